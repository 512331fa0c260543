import { MOUNTS } from '@jetway-apps/test-support/mounts'
import * as v2 from '@modelcontextprotocol/client'
import { UnauthorizedError } from '@modelcontextprotocol/sdk/client/auth.js'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { describe, expect, it, onTestFinished } from 'vitest'
import { officialHost, type OfficialHost, type OfficialProvider } from './support/official-provider.ts'
import { protect, startIssuer } from './support/protected.ts'

type Call = (tool: string) => Promise<unknown>

/** Connects, and signs in whenever the client requests it. */
const CLIENTS: Readonly<Record<string, (url: string, host: OfficialHost) => Promise<Call>>> = {
  v1: async (url, { provider, back }) => {
    const authProvider = withoutRefreshTokens(provider)
    const open = (): StreamableHTTPClientTransport =>
      new StreamableHTTPClientTransport(new URL(url), { authProvider })
    const client = new Client({ name: 'official', version: '1.0.0' })
    onTestFinished(() => client.close())
    const first = open()
    await expect(client.connect(first)).rejects.toThrow(UnauthorizedError)
    await first.finishAuth(back().get('code') ?? '')
    const transport = open()
    await client.connect(transport)
    return signingIn(client, UnauthorizedError, () => transport.finishAuth(back().get('code') ?? ''))
  },
  'v2 with sessions': (url, host) => connectV2(url, host, {}),
  'v2 without sessions': (url, host) =>
    connectV2(url, host, { versionNegotiation: { mode: { pin: '2026-07-28' } } }),
}

/** With a refresh token, v1 would refresh instead of asking for more scopes, and would fail. */
const withoutRefreshTokens = (provider: OfficialProvider): OfficialProvider => ({
  ...provider,
  saveTokens: (tokens) => provider.saveTokens({ ...(tokens as object), refresh_token: undefined }),
})

async function connectV2(
  url: string,
  { provider, back }: OfficialHost,
  options: v2.ClientOptions,
): Promise<Call> {
  const open = (): v2.StreamableHTTPClientTransport =>
    new v2.StreamableHTTPClientTransport(new URL(url), { authProvider: provider })
  const create = (): v2.Client => {
    const client = new v2.Client({ name: 'official', version: '2.0.0' }, options)
    onTestFinished(() => client.close())
    return client
  }
  const first = open()
  await expect(create().connect(first)).rejects.toThrow(v2.UnauthorizedError)
  await first.finishAuth(back())
  const transport = open()
  const client = create()
  await client.connect(transport)
  return signingIn(client, v2.UnauthorizedError, () => transport.finishAuth(back()))
}

/** Calls tools. If a call needs more scopes, signs in and calls again. */
function signingIn(
  client: Client | v2.Client,
  Unauthorized: new (message?: string) => Error,
  signIn: () => Promise<void>,
): Call {
  return async (name) => {
    const call = async (): Promise<unknown> => (await client.callTool({ name })).content
    try {
      return await call()
    } catch (error) {
      if (!(error instanceof Unauthorized)) throw error
      await signIn()
      return call()
    }
  }
}

describe.each(Object.entries(CLIENTS))('the official client %s', (_, connect) => {
  it.each(['a metadata document', 'dynamic registration'])(
    'signs in with %s, and requests more scopes',
    async (kind) => {
      const issuer = await startIssuer()
      const url = await protect(issuer, MOUNTS.toFetch)
      const host = officialHost(issuer, kind === 'a metadata document' ? issuer.clientMetadataUrl : undefined)
      const call = await connect(url, host)
      expect(JSON.stringify(await call('whoami'))).toContain('alice by ')
      expect(JSON.stringify(await call('write'))).toContain('written')
      expect(host.asked.map((scopes) => scopes.includes('files:write'))).toEqual([false, true])
      expect(host.asked.every((scopes) => scopes.includes('mcp'))).toBe(true)
      expect(issuer.requests('registration')).toBe(kind === 'dynamic registration' ? 1 : 0)
    },
  )
})
