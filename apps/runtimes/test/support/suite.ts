import { connectPeer, HttpTransport, type PeerOptions, type TestConnection } from '@jetway/testing'
import { StdioTransport } from '@jetway/stdio'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { listen, type Listening, type ProcessRuntime, speak } from './processes.ts'

/** The newest revision of each era. */
export const ERAS: readonly (readonly [era: 'sessions' | 'no sessions', revision: string])[] = [
  ['sessions', '2025-11-25'],
  ['no sessions', '2026-07-28'],
]

type Connect = (options: PeerOptions) => Promise<TestConnection>

const NOTE = 'runtimes://note'
const UPDATED = 'notifications/resources/updated'
const PROGRESS = 'notifications/progress'

/** Returns the result of a tool call. */
const call = async (
  peer: TestConnection,
  name: string,
  args: object = {},
  meta: object = {},
): Promise<unknown> => {
  const { result, error } = await peer.request('tools/call', {
    name,
    arguments: { ...args },
    _meta: { ...meta },
  })
  return result ?? error
}

export const connectHttp =
  (url: () => string): Connect =>
  (options) =>
    connectPeer(new HttpTransport({ url: url() }), options)

/** Runs one server file on a runtime, over stdio and over HTTP with Hono, and calls the server in both eras. */
export function describeRuntime(
  name: ProcessRuntime,
  expected: { readonly http: string; readonly is: { readonly name: string; readonly version: RegExp } },
): void {
  const says = { ...expected.is, version: expect.stringMatching(expected.is.version) as unknown }

  describe('Streamable HTTP', () => {
    let server: Listening
    beforeAll(async () => {
      server = await listen(name, expected.http)
    })
    afterAll(() => server?.stop())
    const connect = connectHttp(() => server.url)

    describe.each(ERAS)('with %s', (_, revision) => {
      itAnswers(() => connect({ revision }), says)
      itStreams(() => connect({ revision }))
    })
    itHearsOfClientsThatLeave(connect)

    it('notifies a session of a change on its GET stream', async () => {
      const peer = await connect({ revision: '2025-11-25' })
      await peer.request('resources/subscribe', { uri: NOTE })
      await call(peer, 'write_note', { text: 'for sessions' })
      expect(await peer.notification(UPDATED)).toMatchObject({ params: { uri: NOTE } })
      await peer.close()
    })

    it('notifies a subscription of a change', async () => {
      const peer = await connect({ revision: '2026-07-28' })
      peer
        .request('subscriptions/listen', { notifications: { resourceSubscriptions: [NOTE] } })
        .catch(() => 'ended with the connection')
      await peer.notification('notifications/subscriptions/acknowledged')
      await call(peer, 'write_note', { text: 'for listeners' })
      expect(await peer.notification(UPDATED)).toMatchObject({ params: { uri: NOTE } })
      await peer.close()
    })
  })

  describe('stdio', () => {
    describe.each(ERAS)('with %s', (_, revision) => {
      it('serves calls and streams, and exits with code 0 after its client closes the connection', async () => {
        const { process, exitCode } = speak(name, 'stdio.ts')
        const transport = new StdioTransport({ input: process.stdout, output: process.stdin })
        const peer = await connectPeer(transport, { revision })
        expect(await call(peer, 'where')).toMatchObject({ structuredContent: says })
        expect(await call(peer, 'divide', { dividend: 1, divisor: 2 })).toMatchObject({ isError: true })
        const counted = call(peer, 'count', { to: 2, everyMs: 1 }, { progressToken: 'c' })
        expect(await counted).toMatchObject({ structuredContent: { counted: 2 } })
        expect(progressOf(peer)).toEqual([1, 2])
        await peer.close()
        expect(await exitCode).toBe(0)
      })
    })
  })
}

/** Defines the tests of complete responses. */
export function itAnswers(connect: () => Promise<TestConnection>, says: object): void {
  it("returns structured output with the runtime's name and version", async () => {
    const peer = await connect()
    expect(await call(peer, 'where')).toMatchObject({ structuredContent: says })
    await peer.close()
  })

  it('validates results against their schema', async () => {
    const peer = await connect()
    expect(await call(peer, 'divide', { dividend: 6, divisor: 3 })).toMatchObject({
      structuredContent: { quotient: 2 },
    })
    const held = await call(peer, 'divide', { dividend: 1, divisor: 2 })
    expect(held).toMatchObject({ isError: true })
    expect(held).not.toHaveProperty('structuredContent')
    await peer.close()
  })

  it('rejects invalid arguments', async () => {
    const peer = await connect()
    expect(await call(peer, 'divide', { dividend: 'one', divisor: 2 })).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining('dividend') as unknown }],
    })
    await peer.close()
  })
}

/** Defines the tests of streamed responses. */
export function itStreams(connect: () => Promise<TestConnection>): void {
  it('sends each notification immediately, and then the response', async () => {
    const peer = await connect()
    const endless = call(peer, 'count', { to: 100, everyMs: 1_000 }, { progressToken: 'endless' })
    endless.catch(() => 'ended with the connection')
    await peer.notification(PROGRESS)
    const counted = await call(peer, 'count', { to: 3, everyMs: 1 }, { progressToken: 'short' })
    expect(counted).toMatchObject({ structuredContent: { counted: 3 } })
    expect(progressOf(peer, 'short')).toEqual([1, 2, 3])
    await peer.close()
  })
}

/** Defines the tests of cancellation by disconnecting, without a session. */
export function itHearsOfClientsThatLeave(connect: Connect): void {
  it('aborts the call if a client without a session disconnects', async () => {
    const revision = '2026-07-28'
    const watching = await connect({ revision })
    const before = await abandoned(watching)
    const leaving = await connect({ revision })
    const endless = call(leaving, 'count', { to: 100, everyMs: 1_000 }, { progressToken: 'left' })
    endless.catch(() => 'ended with the connection')
    await leaving.notification(PROGRESS)
    await leaving.close()
    await vi.waitUntil(async () => (await abandoned(watching)) > before, { timeout: 30_000, interval: 20 })
    await watching.close()
  })
}

const abandoned = async (peer: TestConnection): Promise<number> => {
  const { structuredContent } = (await call(peer, 'abandoned')) as { structuredContent: { count: number } }
  return structuredContent.count
}

function progressOf(peer: TestConnection, token = 'c'): unknown[] {
  return peer.notifications
    .filter(({ method, params }) => method === PROGRESS && params?.['progressToken'] === token)
    .map(({ params }) => params?.['progress'])
}
