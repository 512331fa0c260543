import { randomBytes } from 'node:crypto'
import { request } from 'node:http'
import { text as readText } from 'node:stream/consumers'
import { introspection } from '@jetway/auth'
import { callTool, initialize, INITIALIZED, logLines } from '@jetway-apps/test-support'
import { startCluster } from '@jetway-apps/test-support/cluster'
import { post, text } from '@jetway-apps/test-support/http'
import { NODE_MOUNTS } from '@jetway-apps/test-support/mounts'
import { program } from '@jetway-tools/runtimes/program'
import { describe, expect, it, onTestFinished } from 'vitest'
import { type BoundClient, signInWithKey } from './support/bound-client.ts'
import { ERAS } from './support/flow.ts'
import { call, connect, protect, startIssuer, userAgent } from './support/protected.ts'

/** Opens a session. Returns the headers of its requests. */
async function open(client: BoundClient): Promise<Record<string, string>> {
  const opened = await client.post(initialize())
  expect(opened.status).toBe(200)
  const headers = { 'mcp-session-id': opened.headers.get('mcp-session-id') ?? '' }
  expect((await client.post(INITIALIZED, headers)).status).toBe(202)
  return headers
}

describe.each(Object.entries(NODE_MOUNTS))('a server on %s that requires DPoP', (_, mount) => {
  it.each(['jwt', 'opaque'] as const)('serves the oauth4webapi client (%s)', async (tokens) => {
    const issuer = await startIssuer({ tokens })
    const { clientId, clientSecret } = issuer.service
    const token = tokens === 'opaque' ? { token: introspection({ clientId, clientSecret }) } : {}
    const logger = logLines()
    const url = await protect(issuer, mount, { logger, protection: { dpop: 'require', ...token } })
    const client = await signInWithKey(issuer, url, 'mcp files:write')
    expect(client.tokenType).toBe('dpop')
    const session = await open(client)
    expect(await text(await client.post(callTool('whoami'), session))).toContain('alice')
    expect(await text(await client.post(callTool('write'), session))).toContain('written')
    const stolen = { ...session, authorization: `Bearer ${client.token}` }
    expect((await post(url, JSON.stringify(callTool('whoami')), stolen)).status).toBe(401)
    expect(logger.lines).toEqual([expect.stringContaining('An access token was refused')])
  })

  it('sends a nonce to the oauth4webapi client, and accepts that nonce', async () => {
    const issuer = await startIssuer()
    const url = await protect(issuer, mount, { protection: { dpop: { mode: 'require', nonce: true } } })
    const client = await signInWithKey(issuer, url, 'mcp')
    const session = await open(client)
    for (const _call of [1, 2, 3])
      expect(await text(await client.post(callTool('whoami'), session))).toContain('alice')
    expect(client.nonces()).toBe(1)
  })

  it.each(ERAS)(
    "accepts a bound token from Jetway's client after a 401, and later a token with more scopes (%s)",
    async (revision) => {
      const issuer = await startIssuer()
      const url = await protect(issuer, mount, {
        revisions: [revision],
        protection: { dpop: { mode: 'require', nonce: true } },
      })
      const { auth } = userAgent(issuer, { clients: [issuer.client], dpop: {} })
      const { client, sent } = await connect(url, auth)
      expect(await call(client, 'whoami')).toContain('alice')
      expect(await call(client, 'write')).toBe('written')
      expect(sent.filter(({ status }) => status === 403)).toHaveLength(1)
    },
  )

  it('refuses a request with two proofs', async () => {
    const issuer = await startIssuer()
    const url = await protect(issuer, mount, { protection: { dpop: 'accept' } })
    const client = await signInWithKey(issuer, url, 'mcp')
    const signed = await client.sign()
    const dpop = [signed['dpop'] ?? '', (await client.sign())['dpop'] ?? '']
    const sending = request(url, { method: 'POST', headers: { ...signed, dpop } })
    sending.end(JSON.stringify(initialize()))
    const status = await new Promise((resolve, reject) => {
      sending.on('error', reject)
      sending.on('response', (response) => void readText(response).then(() => resolve(response.statusCode)))
    })
    expect(status).toBe(401)
  })
})

it('three processes share their nonces, and accept each proof only once in total', async () => {
  const issuer = await startIssuer()
  const node = program(new URL('support/serve-node.ts', import.meta.url))
  const cluster = await startCluster(node, 3, {
    ISSUER: issuer.issuer,
    NONCE_KEY: randomBytes(32).toString('base64'),
  })
  onTestFinished(() => cluster.stop())
  const client = await signInWithKey(issuer, cluster.url, 'mcp')
  const session = await open(client)
  const who = new Set<string | undefined>()
  // There are more requests than processes, so that each process receives at least one.
  for (const _call of [1, 2, 3, 4]) who.add(await text(await client.post(callTool('who'), session)))
  expect(who.size).toBe(3)
  expect(client.nonces()).toBe(1)

  const stolen = { ...(await client.sign()), ...session }
  const statuses: number[] = []
  for (const _call of [1, 2, 3, 4])
    statuses.push((await post(cluster.url, JSON.stringify(callTool('who')), stolen)).status)
  expect(statuses).toEqual([200, 401, 401, 401])
})
