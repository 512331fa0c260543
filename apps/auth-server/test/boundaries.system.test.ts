import { inspect } from 'node:util'
import { callTool, FakeClock, MODERN, request, requestMeta } from '@jetway-apps/test-support'
import { HEADERS, post } from '@jetway-apps/test-support/http'
import { MOUNTS, NODE_MOUNTS } from '@jetway-apps/test-support/mounts'
import type { AuthorizationServer } from '@jetway/testing/authorization-server'
import { telemetry } from '@jetway/otel'
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createServer, openSession, protect, startIssuer } from './support/protected.ts'

const tokenOf = async (issuer: AuthorizationServer, resource: string, user: string): Promise<string> =>
  (await issuer.issue({ resource, user, scopes: ['mcp'] })).accessToken

describe("a user's session", () => {
  it.each(Object.entries(MOUNTS))('responds with 404 to every other user on %s', async (_, mount) => {
    const issuer = await startIssuer()
    const url = await protect(issuer, mount)
    const alice = await openSession(url, await tokenOf(issuer, url, 'alice'))
    const bob = { ...alice, authorization: `Bearer ${await tokenOf(issuer, url, 'bob')}` }
    const statuses = async (headers: Record<string, string>): Promise<number[]> => {
      const called = await post(url, JSON.stringify(callTool('whoami')), headers)
      const stream = await fetch(url, { headers: { ...HEADERS, ...headers } })
      await stream.body?.cancel()
      const deleted = await fetch(url, { method: 'DELETE', headers: { ...HEADERS, ...headers } })
      return [called, stream, deleted].map(({ status }) => status)
    }
    expect(await statuses(bob)).toEqual([404, 404, 404])
    expect(await statuses(alice)).toEqual([200, 200, 204])
  })
})

describe('a stream with an expired token', () => {
  const listen = JSON.stringify(
    request('subscriptions/listen', { notifications: { toolsListChanged: true }, _meta: requestMeta() }),
  )
  const STREAMS: Readonly<
    Record<string, [path: string, open: (url: string, token: string) => Promise<Response>]>
  > = {
    'of a session': [
      '/mcp',
      async (url, token) => fetch(url, { headers: { ...HEADERS, ...(await openSession(url, token)) } }),
    ],
    'of subscriptions/listen': [
      '/mcp',
      (url, token) =>
        post(url, listen, {
          authorization: `Bearer ${token}`,
          'mcp-protocol-version': MODERN,
          'mcp-method': 'subscriptions/listen',
        }),
    ],
    'of HTTP+SSE': ['/sse', (url, token) => fetch(url, { headers: { authorization: `Bearer ${token}` } })],
  }

  const cases = Object.entries(NODE_MOUNTS).flatMap(([host, mount]) =>
    Object.entries(STREAMS).map(([name, stream]) => [name, host, mount, stream] as const),
  )

  it.each(cases)(
    'is closed one minute after the token expires: %s on %s',
    async (_name, _host, mount, [path, open]) => {
      const clock = new FakeClock()
      await clock.advance(Date.now() - clock.now())
      const issuer = await startIssuer()
      const mounted = await protect(issuer, mount, {
        server: createServer({ clock }),
        legacySse: true,
      })
      const url = new URL(path, mounted).href
      const stream = await open(url, await tokenOf(issuer, url, 'alice'))
      expect([stream.status, stream.headers.get('content-type')]).toEqual([200, 'text/event-stream'])
      const ended = stream.text()
      await clock.advance((issuer.lifetime + 62) * 1000)
      await ended
    },
  )
})

describe('tokens', () => {
  it.each(Object.entries(NODE_MOUNTS))(
    'never appear in logs, events, errors, spans or contexts on %s',
    async (_, mount) => {
      const seen: string[] = []
      const see = (...values: readonly unknown[]): void => {
        for (const value of values)
          seen.push(inspect(value, { depth: 12, showHidden: true, maxStringLength: null }))
      }
      const exporter = new InMemorySpanExporter()
      const tracerProvider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] })
      onTestFinished(() => tracerProvider.shutdown())
      const server = createServer({
        logger: { debug: see, info: see, warn: see, error: see },
        telemetry: telemetry({ tracerProvider, capture: { arguments: true, results: true } }),
      })
      for (const event of ['session:open', 'session:close', 'request', 'reject'] as const)
        server.on(event, see)
      server.addTool({
        name: 'spy',
        handler: (_args, ctx) => {
          see(ctx, ctx.auth)
          throw new Error('A failure that is logged')
        },
      })
      const issuer = await startIssuer()
      const url = await protect(issuer, mount, { server })
      const token = await tokenOf(issuer, url, 'alice')
      const session = await openSession(url, token)
      const expired = await tokenOf(Object.assign(issuer, { lifetime: -90 }), url, 'bob')
      const forged = `${token.slice(0, -20)}${'A'.repeat(20)}`
      const tokens = [token, expired, forged, 'canary-that-is-no-jwt']
      const send = async (name: string, headers: object): Promise<number> => {
        const response = await post(url, JSON.stringify(callTool(name)), { ...session, ...headers })
        see([...response.headers], await response.text())
        return response.status
      }
      expect([await send('spy', {}), await send('write', {})]).toEqual([200, 403])
      for (const bad of [expired, forged, 'canary-that-is-no-jwt'])
        expect(await send('whoami', { authorization: `Bearer ${bad}` })).toBe(401)
      issuer.rotateKeys()
      issuer.disrupt('keys', 'unreachable')
      const unknown = await tokenOf(Object.assign(issuer, { lifetime: 300 }), url, 'carol')
      await send('whoami', { authorization: `Bearer ${unknown}` })

      const spans = exporter.getFinishedSpans()
      expect(spans.length).toBeGreaterThan(0)
      see(...spans)

      const all = seen.join('\n')
      expect(all).toContain('A failure that is logged')
      expect(all).toContain("subject: 'alice'")
      const secrets = [...tokens, unknown].flatMap((one) => [one, one.split('.').at(-1) ?? one])
      expect(secrets.filter((secret) => all.includes(secret))).toEqual([])
    },
  )
})
