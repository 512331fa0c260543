import type { AddressInfo } from 'node:net'
import { oauth } from '@jetway/auth'
import { mcp } from '@jetway/fastify'
import { type AuthorizationServer, startAuthorizationServer } from '@jetway/testing/authorization-server'
import Fastify from 'fastify'
import { createWeatherServer, READ, WARN } from './weather-server.ts'

/** A running authorization server, with a weather server that requires its tokens. */
export interface Servers {
  readonly issuer: AuthorizationServer
  /** The address of the weather server. */
  readonly url: string
  close(): Promise<void>
}

/** Starts the authorization server, and the weather server that requires its tokens. */
export async function startServers(): Promise<Servers> {
  const issuer = await startAuthorizationServer({ scopes: [READ, WARN] })
  const app = Fastify({ forceCloseConnections: true })
  await app.register(mcp, {
    server: createWeatherServer(),
    authenticate: oauth({ issuer: issuer.issuer, scopes: [READ] }),
  })
  await app.listen({ host: '127.0.0.1', port: 0 })
  const { port } = app.server.address() as AddressInfo
  return {
    issuer,
    url: `http://127.0.0.1:${port}/mcp`,
    close: async () => {
      await app.close()
      await issuer.close()
    },
  }
}
