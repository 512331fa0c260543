import { initialize, type LogLines, logLines } from '@jetway-apps/test-support'
import { callFrame, openSession, post } from '@jetway-apps/test-support/http'
import { NODE_MOUNTS } from '@jetway-apps/test-support/mounts'
import { McpServer } from '@jetway/core'
import { type Authenticate, Rejection } from '@jetway/core/http'
import { describe, expect, it, onTestFinished, vi } from 'vitest'

const fail = (): never => {
  throw new Error('secret')
}
const reject = (): Promise<never> => Promise.reject(new Error('secret'))
const ANN = { principal: 'ann' }

/** The options of a mount. The table also sets `server`, `locals` and `authInfo`, whose types depend on the mount. */
type Options = Readonly<Record<string, unknown>>

const refusing = (headers: object): Options => ({
  authenticate: () => new Rejection(403, 'No', { headers: headers as Record<string, string> }),
})

const challenging = (challengeFor: () => unknown): Options => ({
  authenticate: Object.assign(() => ANN, { challengeFor }) as Authenticate,
})

const documenting = (answer: () => unknown): Options => ({
  authenticate: Object.assign(() => ANN, {
    wellKnown: { paths: ['/.well-known/test'], elsewhere: false, answer },
  }),
})

interface Failure {
  readonly name: string
  readonly options: Options
  /** @default an `initialize` request */
  readonly ask?: (url: string) => Promise<Response>
  /** @default 'error' */
  readonly level?: 'error' | 'warn'
}

const callScoped = (url: string): Promise<Response> => post(url, callFrame('scoped'))
const askDocument = (url: string): Promise<Response> => fetch(new URL('/.well-known/test', url))

const FAILURES: readonly Failure[] = [
  { name: 'authenticate throws', options: { authenticate: fail } },
  { name: 'authenticate rejects', options: { authenticate: reject } },
  { name: 'a Rejection has a header name with a space', options: refusing({ 'x secret': '1' }) },
  { name: 'a Rejection has an empty header name', options: refusing({ '': 'secret' }) },
  { name: 'a Rejection has a header that is undefined', options: refusing({ 'x-secret': undefined }) },
  { name: 'a Rejection has a header that is a list', options: refusing({ 'x-secret': ['a', 'b'] }) },
  { name: 'a Rejection has a header with a line break', options: refusing({ 'x-a': 'a\r\nx-secret: b' }) },
  { name: 'challengeFor throws', options: challenging(fail), ask: callScoped },
  {
    name: 'challengeFor returns what cannot be sent',
    options: challenging(() => 'Bearer secret="王"'),
    ask: callScoped,
  },
  { name: 'challengeFor returns a promise', options: challenging(reject), ask: callScoped },
  { name: 'authInfo throws', options: { authInfo: fail } },
  { name: 'authInfo rejects', options: { authInfo: reject } },
  { name: 'locals throws', options: { locals: fail } },
  { name: 'locals rejects', options: { locals: reject } },
  {
    name: 'locals throws after an asynchronous authenticate',
    options: { authenticate: () => Promise.resolve(ANN), locals: fail },
  },
  { name: 'the selector throws', options: { server: fail } },
  { name: 'the selector rejects', options: { server: reject } },
  {
    name: 'the selector throws after an asynchronous authenticate',
    options: { authenticate: () => Promise.resolve(ANN), server: fail },
  },
  { name: 'a public document throws', options: documenting(fail), ask: askDocument },
  {
    name: 'a public document has a header that cannot be sent',
    options: documenting(() => ({ status: 200, headers: { 'x-secret': 'a\nb' }, body: '' })),
    ask: askDocument,
  },
]

/** Options that `toFetch` does not have, or not in this form. */
const OF_MOUNTS = ['server', 'locals', 'authInfo']

async function serve(mount: keyof typeof NODE_MOUNTS, options: Options): Promise<[string, LogLines]> {
  const logger = logLines()
  const server = new McpServer({ name: 'test', version: '1.0.0' }, { logger })
  server.addTool({ name: 'scoped', scopes: ['more'], handler: () => 'never' })
  const mounted = await NODE_MOUNTS[mount](server, { logger, ...options })
  onTestFinished(mounted.stop)
  return [`${mounted.origin}/mcp`, logger]
}

describe.each(Object.keys(NODE_MOUNTS) as (keyof typeof NODE_MOUNTS)[])('a mount on %s', (mount) => {
  const rows = FAILURES.filter(
    ({ options, ask }) =>
      mount !== 'toFetch' || (ask !== askDocument && !OF_MOUNTS.some((name) => name in options)),
  )
  it.each(rows)(
    'responds with 500, logs the error and keeps running if $name',
    async ({ options, ask, level = 'error' }) => {
      // Hono's error handler prints errors that do not belong to an MCP request.
      if (ask === askDocument && mount === 'Hono') vi.spyOn(console, 'error').mockReturnValue()
      const stateless = ask === callScoped ? { stateless: true } : {}
      const [url, { lines }] = await serve(mount, { ...options, ...stateless })
      for (let time = 1; time <= 2; time++) {
        const response = await (ask?.(url) ?? post(url, JSON.stringify(initialize())))
        expect(response.status).toBe(500)
        expect(JSON.stringify([await response.text(), [...response.headers]])).not.toContain('secret')
        if (ask !== askDocument || mount === 'Node')
          expect(lines.filter((line) => line.startsWith(level))).toHaveLength(time)
      }
    },
  )
})

describe.each(Object.keys(NODE_MOUNTS) as (keyof typeof NODE_MOUNTS)[])('listeners on %s', (mount) => {
  it('do not affect a reply if they throw', async () => {
    const [url, { lines }] = await serve(mount, { onReject: fail, allowedHosts: ['127.0.0.1'] })
    const session = await openSession(url)
    expect((await post(url, callFrame('none'), session)).status).toBe(200)
    expect((await fetch(url, { method: 'PUT' })).status).toBe(405)
    expect(lines.length).toBeGreaterThan(0)
  })
})
