// #region token
import { oauth } from '@jetway/auth'
import { bearerToken, Client } from '@jetway/client'
import { http } from '@jetway/client/http'
import { toFetch } from '@jetway/core/http'
import { startAuthorizationServer } from '@jetway/testing/authorization-server'
import { expect, it } from 'vitest'
import { server } from '../src/authorization/files.ts'

const ADDRESS = 'http://127.0.0.1:3000/mcp'

it('the handler reads the user from the token', async () => {
  await using issuer = await startAuthorizationServer({ scopes: ['mcp', 'files:write'] })
  const authenticate = oauth({ issuer: issuer.issuer, scopes: ['mcp'] })
  const handler = toFetch(server, { publicUrl: ADDRESS, authenticate })
  const { accessToken } = await issuer.issue({ resource: ADDRESS, user: 'bob', scopes: ['mcp'] })

  const client = new Client({ name: 'test', version: '1.0.0' })
  const send = (url: string | URL, init?: RequestInit): Promise<Response> => handler(new Request(url, init))
  await client.connect(http(ADDRESS, { auth: bearerToken(accessToken), fetch: send }))
  expect((await client.callTool('whoami')).content).toEqual([{ type: 'text', text: 'You are bob' }])
  await expect(client.callTool('write_file')).rejects.toThrow('403')
  await client.close()
})
// #endregion token

// #region flow
import { authorizationCode, oauth as clientOAuth } from '@jetway/client/oauth'
import { mcp } from '@jetway/fastify'
import Fastify from 'fastify'

it('a client obtains a token after a 401, and then the additional scope that a tool needs', async () => {
  await using issuer = await startAuthorizationServer({ scopes: ['mcp', 'files:write'] })
  const app = Fastify()
  await app.register(mcp, { server, authenticate: oauth({ issuer: issuer.issuer, scopes: ['mcp'] }) })
  const origin = await app.listen({ host: '127.0.0.1', port: 0 })

  const client = new Client({ name: 'test', version: '1.0.0' })
  const auth = clientOAuth({
    grant: authorizationCode({
      redirectUri: 'http://127.0.0.1:33418/callback',
      authorize: issuer.signIn,
    }),
    clientMetadataUrl: issuer.clientMetadataUrl,
  })
  await client.connect(http(`${origin}/mcp`, { auth }))
  expect((await client.callTool('write_file')).content).toEqual([{ type: 'text', text: 'Written' }])
  await client.close()
  await app.close()
})
// #endregion flow
