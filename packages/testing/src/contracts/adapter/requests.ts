import type { Logger } from '@jetway/core'
import type { AuthInfo, HttpRequest } from '@jetway/core/http'
import { expect } from 'vitest'
import { type AdapterClient, callFrame, messagesOf, REVISION, textOf, type WholeReply } from './client.ts'
import { seeing } from './servers.ts'
import type { AdapterCase } from './types.ts'

const ADA: AuthInfo = { principal: 'ada' }

/** Creates an `authenticate` option that records each request as the endpoint sees it. */
export function watching<T extends AuthInfo | Promise<AuthInfo> = AuthInfo>(
  answer: T = ADA as T,
): {
  readonly seen: HttpRequest[]
  readonly authenticate: (r: HttpRequest) => T
} {
  const seen: HttpRequest[] = []
  return { seen, authenticate: (request) => (seen.push(request), answer) }
}

/** Results of authentication with which an adapter requests the body immediately, or only later. */
const EITHER: readonly (AuthInfo | Promise<AuthInfo>)[] = [ADA, Promise.resolve(ADA)]

export function expectError(
  reply: Pick<WholeReply, 'status' | 'headers' | 'body'>,
  status: number,
  code: number,
): void {
  expect([reply.status, reply.body]).toEqual([status, expect.stringContaining('"jsonrpc":"2.0"')])
  expect(messagesOf(reply)[0]?.error?.code).toBe(code)
}

const statusOf = (received: string): string | undefined => /^HTTP\/1\.1 (\d{3})/.exec(received)?.[1]
/** Every reply that is read in this way ends with the end of its JSON. */
const isAnswered = (received: string): boolean => received.includes('\r\n\r\n') && received.includes('}')

/** Sends bytes, and returns the status of the first reply. */
export async function statusFor(client: AdapterClient, bytes: string): Promise<string | undefined> {
  const connection = await client.raw()
  await connection.send(bytes)
  const received = await connection.until(isAnswered, 'a reply')
  connection.leave()
  return statusOf(received)
}

const heads: readonly AdapterCase[] = [
  {
    name: 'passes the method, the first value of a query parameter, and headers by lower-case name',
    async run({ serve }) {
      const { seen, authenticate } = watching()
      const { client, url } = await serve({ stateless: true, authenticate })
      await client.send({
        path: `${new URL(url).pathname}?a=1&a=2&b=%C3%A4`,
        headers: { 'X-One': 'one' },
        body: callFrame('echo', { text: 'x' }),
      })
      const [request] = seen as [HttpRequest]
      expect([request.method, request.route]).toEqual(['POST', 'mcp'])
      expect(['a', 'b', 'c'].map((name) => request.query(name))).toEqual(['1', 'ä', undefined])
      expect([request.header('x-one'), request.header('x-two')]).toEqual(['one', undefined])
    },
  },
  {
    name: 'answers a forbidden Host and a DELETE before the body arrives',
    async run({ serve }) {
      const { client } = await serve({ allowedHosts: ['127.0.0.1'] })
      const bytes = client.post('', { host: 'rebound.example.com', 'content-length': '1000' })
      expect(await statusFor(client, bytes)).toBe('403')
      const ending = client.post('', { 'mcp-session-id': 'none', 'content-length': '1000' })
      expect(await statusFor(client, ending.replace('POST', 'DELETE'))).toBe('404')
    },
  },
  {
    name: 'refuses a repeated Mcp-Session-Id',
    async run({ serve }) {
      const { client } = await serve()
      const session = (await client.initialize())['mcp-session-id']
      const bytes = client.post(callFrame('echo', { text: 'x' }), {
        'mcp-session-id': session,
        'Mcp-Session-Id': session,
      })
      expect(await statusFor(client, bytes)).toBe('400')
    },
  },
  {
    name: 'refuses repeated headers only if they must be single',
    needs: 'rawHeaders',
    async run({ serve }) {
      const { client } = await serve({ stateless: true })
      const repeated = (name: string, value: string): string =>
        client.post(callFrame('echo', { text: 'x' }), { [name]: value, [name.toUpperCase()]: value })
      for (const [name, value] of [
        ['authorization', 'Bearer a'],
        ['content-type', 'application/json'],
        ['host', client.url.host],
        ['origin', 'http://localhost'],
        ['last-event-id', 'a'],
        ['mcp-protocol-version', REVISION],
      ] as const) {
        // Two Host or Origin values joined by a comma are never allowed.
        expect([name, await statusFor(client, repeated(name, value))]).toEqual([
          name,
          expect.stringMatching(name === 'host' || name === 'origin' ? /^40[03]$/ : /^400$/),
        ])
      }
      expect(await statusFor(client, repeated('x-forwarded-for', '10.0.0.1'))).toBe('200')
    },
  },
  {
    name: 'passes both addresses of the socket',
    needs: 'peer',
    async run({ serve }) {
      const { seen, authenticate } = watching()
      const { client } = await serve({ stateless: true, authenticate })
      await client.call('echo', { text: 'x' })
      expect(seen[0]?.peer?.localAddress).toMatch(/127\.0\.0\.1$/)
      expect(seen[0]?.peer?.remoteAddress).toMatch(/127\.0\.0\.1$/)
    },
  },
  {
    name: 'accepts loopback Hosts only on a loopback socket',
    needs: 'peer',
    async run({ serve }) {
      const { client } = await serve({ stateless: true })
      const refused = await client.send({ headers: { host: 'rebound.example.com' }, body: callFrame('echo') })
      expectError(refused, 403, -32600)
      expect(await client.call('echo', { text: 'x' }, { host: 'localhost' })).toBe('x')
    },
  },
]

const bodies: readonly AdapterCase[] = [
  {
    name: 'reads a body whose chunks split a character',
    async run({ serve }) {
      const text = 'aä€😀'
      const frame = callFrame('echo', { text })
      const bytes = new TextEncoder().encode(frame)
      const half = bytes.length - new TextEncoder().encode(frame.slice(frame.indexOf('😀'))).length + 2
      for (const auth of EITHER) {
        const { seen, authenticate } = watching(auth)
        const { client } = await serve({ stateless: true, authenticate })
        const connection = await client.raw()
        await connection.send(client.post('', { 'content-length': `${bytes.length}` }))
        await connection.send(bytes.slice(0, half))
        await client.eventually(() => seen.length === 1, 'the request to reach the endpoint')
        await connection.send(bytes.slice(half))
        expect(await connection.until(isAnswered, 'the answer')).toContain(`"text":"${text}"`)
      }
    },
  },
  {
    name: 'accepts a body of exactly the limit, and answers 413 to a declared length of one byte more',
    async run({ serve }) {
      const frame = callFrame('echo', { text: 'x'.repeat(1000) })
      for (const auth of EITHER) {
        const options = { stateless: true, limits: { bodyBytes: frame.length }, authenticate: () => auth }
        const { client } = await serve(options)
        expect((await client.send({ body: frame })).status).toBe(200)
        const declared = client.post('', { 'content-length': `${frame.length + 1}` })
        expect(await statusFor(client, declared)).toBe('413')
      }
    },
  },
  {
    name: 'counts a chunked body, and answers 413 beyond the limit',
    async run({ serve }) {
      const frame = callFrame('echo', { text: 'x'.repeat(1000) })
      for (const auth of EITHER) {
        const options = { stateless: true, limits: { bodyBytes: frame.length }, authenticate: () => auth }
        const { client } = await serve(options)
        expect(textOf(await client.send({ body: frame, chunked: true }))).toHaveLength(1000)
        expectError(await client.send({ body: `${frame} `, chunked: true }), 413, -32600)
      }
    },
  },
  {
    name: 'answers a body that is not JSON with a JSON-RPC error',
    async run({ serve }) {
      const { client } = await serve({ stateless: true })
      expectError(await client.send({ body: '{' }), 400, -32700)
      expectError(await client.send({ body: '' }), 400, -32700)
      expectError(await client.send({ body: 'a=1', headers: { 'content-type': 'text/plain' } }), 415, -32600)
    },
  },
  {
    name: 'answers a request whose client disconnects before the end of the body, and serves others',
    async run({ serve }) {
      for (const auth of EITHER) {
        const { seen, authenticate } = watching(auth)
        const { client, close, server } = await serve({ stateless: true, authenticate })
        const reasons: string[] = []
        server.on('reject', ({ reason }) => void reasons.push(reason))
        const connection = await client.raw()
        await connection.send(client.post('{"jsonrpc"', { 'content-length': '1000' }))
        await client.eventually(() => seen.length === 1, 'the request to reach the endpoint')
        connection.leave()
        expect(await client.call('echo', { text: 'x' })).toBe('x')
        await client.eventually(() => reasons.includes('unreadableBody'), 'the end of the request')
        await client.within(close(), 'the close')
      }
    },
  },
  {
    name: 'accepts a body that the host has parsed',
    needs: 'parsedBody',
    async run({ serve }) {
      const { client } = await serve({ stateless: true }, { parsesBodies: true })
      expect(await client.call('echo', { text: 'ä' })).toBe('ä')
    },
  },
  {
    name: 'answers many requests on one connection in order, as JSON and as streams',
    async run({ serve }) {
      const { client } = await serve({ stateless: true })
      const ids = Array.from({ length: 50 }, (_, index) => index + 1)
      const connection = await client.raw()
      const call = (id: number): string =>
        callFrame(id % 2 === 0 ? 'echo' : 'report', { text: `<${id}>`, times: 1 }, id)
      await connection.send(ids.map((id) => client.post(call(id))).join(''))
      const answered = (text: string): string[] =>
        Array.from(text.matchAll(/"text":"(<\d+>)"/g), ([, found]) => found ?? '')
      const received = await connection.until((text) => answered(text).length >= ids.length, 'all answers')
      expect(answered(received)).toEqual(ids.map((id) => `<${id}>`))
    },
  },
  {
    name: 'never reads the body of a refused request as the next request',
    async run({ serve }) {
      const { seen, authenticate } = watching()
      const { client } = await serve({ stateless: true, allowedHosts: ['127.0.0.1'], authenticate })
      const connection = await client.raw()
      const smuggled = client.post(callFrame('echo', { text: '<smuggled>' }))
      await connection.send(client.post(smuggled, { host: 'rebound.example.com' }))
      await connection.send(client.post(callFrame('echo', { text: '<second>' })))
      const received = await connection.until((text) => /<.+>/.test(text), 'the second answer, or a close')
      expect(statusOf(received)).toBe('403')
      expect(received).not.toContain('<smuggled>')
      expect(seen.length).toBeLessThan(2)
    },
  },
]

const hosts: readonly AdapterCase[] = [
  {
    name: 'passes locals to tools, and computes them once per call',
    needs: 'locals',
    async run({ serve }) {
      let made = 0
      const { client } = await serve({ stateless: true }, { locals: () => ({ made: ++made }) }, seeing())
      expect(await client.call('seen')).toBe('{"locals":{"made":1}}')
      expect(await client.call('seen')).toBe('{"locals":{"made":2}}')
    },
  },
  {
    name: 'does not compute locals if the guard refuses the head',
    needs: 'locals',
    async run({ serve }) {
      let made = 0
      const { client } = await serve({ stateless: true }, { locals: () => ++made })
      const headers = { origin: 'https://evil.example.com' }
      expectError(await client.send({ headers, body: callFrame('echo') }), 403, -32600)
      expect(made).toBe(0)
    },
  },
  {
    name: 'answers 500 as JSON-RPC if `locals` throws, and writes the message only to the log',
    needs: 'locals',
    async run({ serve }) {
      const cause = new Error('secret')
      const locals = (): never => {
        throw cause
      }
      const errors: unknown[] = []
      const logger: Logger = { ...SILENT, error: (fields) => void errors.push(fields) }
      const { client } = await serve({ stateless: true, logger }, { locals })
      const reply = await client.send({ body: callFrame('echo') })
      expectError(reply, 500, -32603)
      expect(reply.body).not.toContain('secret')
      expect(errors).toEqual([expect.objectContaining({ err: cause })])
    },
  },
  {
    name: 'passes on auth info from the host, and refuses expired auth info before the body arrives',
    needs: 'auth',
    async run({ serve }) {
      const { client } = await serve({ stateless: true }, { auth: () => ADA }, seeing())
      expect(await client.call('seen')).toBe('{"auth":"ada"}')
      const expired = await serve({ stateless: true }, { auth: () => ({ ...ADA, expiresAt: 1 }) })
      const bytes = expired.client.post('', { 'content-length': '1000' })
      expect(await statusFor(expired.client, bytes)).toBe('401')
    },
  },
  {
    name: 'leaves other paths and their bodies to the host, also when the server has closed',
    needs: 'routes',
    async run({ serve }) {
      const { client, server } = await serve({ logger: SILENT })
      const stream = await client.listen()
      const echo = async (): Promise<void> => {
        const echoed = await client.send({ path: '/echo', body: '{"text":"ä"}' })
        expect([echoed.status, echoed.body]).toEqual([200, '{"text":"ä"}'])
      }
      await echo()
      for (const path of ['/', `${client.url.pathname}2`, `${client.url.pathname}/below`]) {
        const reply = await client.send({ path, body: callFrame('echo', { text: 'x' }) })
        expect([path, reply.status, reply.body.includes('jsonrpc')]).toEqual([path, 404, false])
      }
      await server.close({ deadline: 100 })
      await stream.whole()
      await echo()
    },
  },
]

/** A logger for cases that cause errors. */
export const SILENT: Logger = { debug() {}, info() {}, warn() {}, error() {} }

/** The cases for requests. */
export const REQUEST_CASES: readonly AdapterCase[] = [...heads, ...bodies, ...hosts]
