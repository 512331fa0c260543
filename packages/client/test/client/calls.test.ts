import { settled } from '@jetway-apps/test-support'
import { McpError } from '@jetway/core/protocol'
import { afterEach, describe, expect, it, vi } from 'vitest'
import type { Client } from '../../src/client/client.ts'
import { ConnectionClosedError, RequestTimeoutError } from '../../src/errors.ts'
import { Method, Notification } from '../support/dates.ts'
import { modern, scripted, type ScriptedServer, sessions, listener, timed } from '../support/scripted.ts'

// Waits, because Vitest detects an unhandled rejection only in the next turn of the event loop.
afterEach(() => settled())

const DONE = { content: [{ type: 'text', text: 'done' }] }
const eras = [
  ['with sessions', sessions()],
  ['without sessions', modern()],
] as const

const callOf = (server: ScriptedServer, tool: string): Promise<object> =>
  server.hears(({ params }) => (params as { name?: string } | undefined)?.name === tool)

describe.each(eras)('a call to a server %s', (_, handshake) => {
  it('times out after a minute of silence, and then ignores a late response', async () => {
    const { client, server, clock } = await timed(handshake)
    const call = client.callTool('slow').catch((error: unknown) => error)
    const { id } = await server.hears(Method.CallTool)
    await clock.advance(59_999)
    expect(client.stats().pending).toBe(1)
    await clock.advance(1)
    expect(await call).toBeInstanceOf(RequestTimeoutError)
    expect(await call).toMatchObject({
      code: 'timeout',
      timeoutMs: 60_000,
      method: Method.CallTool,
      message: expect.stringMatching(/^No answer to tools\/call within 60000 ms/) as string,
    })
    expect(server.of(Notification.Cancelled)).toMatchObject([{ params: { requestId: id } }])
    server.answer(id, DONE)
    await settled()
    expect(client.stats()).toMatchObject({ pending: 0, ignored: { responses: 1 } })
    expect(clock.pending).toBe(0)
  })

  it('can set its own time limits without affecting those of the client', async () => {
    const { client, server, clock } = await timed(handshake, { timeoutMs: 5_000 })
    const brief = client.callTool('a', {}, { timeoutMs: 100 }).catch((error: unknown) => error)
    const long = client.callTool('b').catch((error: unknown) => error)
    await callOf(server, 'b')
    await clock.advance(100)
    expect(await brief).toMatchObject({ timeoutMs: 100 })
    await clock.advance(4_900)
    expect(await long).toMatchObject({ timeoutMs: 5_000 })
  })

  it("uses the client's new time limits only if it starts after the change", async () => {
    const { client, server, clock } = await timed(handshake, { timeoutMs: 5_000 })
    const waiting = client.callTool('a').catch((error: unknown) => error)
    await server.hears(Method.CallTool)
    client.setTimeouts({ timeoutMs: 100 })
    const later = client.callTool('b').catch((error: unknown) => error)
    await callOf(server, 'b')
    await clock.advance(100)
    expect(await later).toMatchObject({ timeoutMs: 100 })
    client.setTimeouts({ timeoutMs: undefined, maxTotalMs: 50 } as object)
    const short = client.callTool('c').catch((error: unknown) => error)
    await callOf(server, 'c')
    await clock.advance(50)
    expect(await short).toMatchObject({ timeoutMs: 50 })
    await clock.advance(4_850)
    expect(await waiting).toMatchObject({ timeoutMs: 5_000 })
    for (const timeoutMs of [0, -1, Number.NaN])
      expect(() => client.setTimeouts({ timeoutMs })).toThrow(RangeError)
    client.setTimeouts({ timeoutMs: 1 })
    const shortest = client.callTool('d').catch((error: unknown) => error)
    await callOf(server, 'd')
    await clock.advance(1)
    expect(await shortest).toMatchObject({ timeoutMs: 1 })
  })

  it('continues for up to five minutes as long as it receives progress', async () => {
    const { client, server, clock } = await timed(handshake)
    const onProgress = vi.fn<(report: object) => void>()
    const call = client.callTool('slow', {}, { onProgress }).catch((error: unknown) => error)
    const { id, params } = await server.hears(Method.CallTool)
    expect(params).toMatchObject({ _meta: { progressToken: id } })
    for (let i = 1; i < 6; i++) {
      await clock.advance(59_000)
      server.notify(Notification.Progress, {
        progressToken: id,
        progress: i,
        total: 10,
        message: `step ${i}`,
      })
      await settled()
    }
    expect(onProgress).toHaveBeenLastCalledWith({ progress: 5, total: 10, message: 'step 5' })
    expect(client.stats().pending).toBe(1)
    await clock.advance(5_000)
    expect(await call).toMatchObject({ code: 'timeout', timeoutMs: 300_000 })
  })

  it('rejects with the reason of its signal, even before it is sent', async () => {
    const { client, server } = await scripted(handshake)
    const gone = AbortSignal.abort(new Error('Never mind'))
    await expect(client.callTool('x', {}, { signal: gone })).rejects.toThrow('Never mind')
    expect(server.of(Method.CallTool)).toHaveLength(0)
    const controller = new AbortController()
    const call = client.callTool('x', {}, { signal: controller.signal })
    const { id } = await server.hears(Method.CallTool)
    controller.abort(new Error('Enough'))
    await expect(call).rejects.toThrow('Enough')
    expect(await server.hears(Notification.Cancelled)).toMatchObject({
      params: { requestId: id, reason: 'Enough' },
    })
  })

  it("rejects with the server's error, including code and data", async () => {
    const { client } = await scripted({
      ...handshake,
      [Method.CallTool]: { error: { code: 4711, message: 'Out of paper', data: { tray: 2 } } },
    })
    const failure = await client.callTool('print').catch((error: unknown) => error)
    expect(failure).toBeInstanceOf(McpError)
    expect(failure).toMatchObject({ code: 4711, message: 'Out of paper', data: { tray: 2 } })
  })

  it('rejects with ConnectionClosedError when either side closes the connection', async () => {
    for (const end of [(client: Client) => client.close(), undefined]) {
      const { client, server } = await scripted(handshake)
      const closed = listener(client, 'close')
      const calls = Array.from({ length: 10 }, (__, i) =>
        client.callTool(`tool ${i}`).catch((error: unknown) => error),
      )
      await settled()
      await (end === undefined ? server.close() : end(client))
      for (const failure of await Promise.all(calls)) expect(failure).toBeInstanceOf(ConnectionClosedError)
      expect(await client.closed).toEqual({ kind: 'end' })
      expect(client.isAlive).toBe(false)
      await expect(client.callTool('late')).rejects.toThrow(ConnectionClosedError)
      await Promise.all([client.close(), client.close()])
      expect(closed).toHaveBeenCalledTimes(1)
    }
  })
})

describe('many concurrent calls', () => {
  it('each receive their own response, regardless of the order of responses', async () => {
    const { client, server } = await scripted(sessions())
    const calls = Array.from({ length: 1_000 }, (_, i) => client.callTool('echo', { i }))
    await vi.waitFor(() => expect(server.of(Method.CallTool)).toHaveLength(1_000))
    for (const { id, params } of server.of(Method.CallTool).toReversed()) {
      const { i } = (params as { arguments: { i: number } }).arguments
      server.answer(id, { content: [{ type: 'text', text: String(i) }] })
    }
    const texts = (await Promise.all(calls)).map(
      ({ content: [block] }) => block?.type === 'text' && block.text,
    )
    expect(texts).toEqual(calls.map((_, i) => String(i)))
  })
})

describe('an invalid message', () => {
  it.each([
    ['text that is not a message', 'not JSON at all'],
    ['a message of another protocol', { id: 1, result: {} }],
    ['an empty array', []],
    ['null', null],
    ['a request with a result', { jsonrpc: '2.0', id: 1, method: 'ping', result: {} }],
    ['a response to no request', { jsonrpc: '2.0', id: 99, result: {} }],
    ['an error for no request', { jsonrpc: '2.0', id: 'x', error: { code: 1, message: 'x' } }],
    [
      'progress for no request',
      { jsonrpc: '2.0', method: Notification.Progress, params: { progressToken: 5, progress: 1 } },
    ],
    [
      'progress without a value',
      { jsonrpc: '2.0', method: Notification.Progress, params: { progressToken: 3 } },
    ],
    [
      'a cancellation without a request id',
      { jsonrpc: '2.0', method: Notification.Cancelled, params: { requestId: {} } },
    ],
    ['an unknown notification', { jsonrpc: '2.0', method: 'notifications/nothing' }],
    ['a deeply nested message', `${'['.repeat(100_000)}${']'.repeat(100_000)}`],
    [
      'a message that could pollute prototypes',
      '{"jsonrpc":"2.0","id":99,"result":{"__proto__":{"polluted":true}}}',
    ],
  ])('does not close the connection: %s', async (_, garbage) => {
    const { client, server } = await scripted(sessions())
    client.on('error', () => {})
    const call = client.callTool('x')
    const { id } = await server.hears(Method.CallTool)
    server.say(garbage)
    server.say(garbage)
    server.answer(id, DONE)
    expect(await call).toEqual(DONE)
    expect(Object.hasOwn(Object.prototype, 'polluted')).toBe(false)
  })

  it('is counted, as is a duplicate response', async () => {
    const { client, server } = await scripted(sessions())
    const call = client.callTool('x')
    const { id } = await server.hears(Method.CallTool)
    for (let i = 0; i < 10; i++) server.answer(id, DONE)
    server.say('{')
    await call
    await settled()
    expect(client.stats().ignored).toEqual({ responses: 9, progress: 0, requests: 0, malformed: 1 })
  })

  it.each([
    ['a string', 'done'],
    ['content that is not a list', { content: 'done' }],
    ['a null content block', { content: [null] }],
  ])('fails the call to which it responds: %s', async (_, result) => {
    const { client, server } = await scripted(sessions())
    const call = client.callTool('x').catch((error: unknown) => error)
    const { id } = await server.hears(Method.CallTool)
    server.say({ jsonrpc: '2.0', id, result })
    expect(await call).toMatchObject({ code: 'invalid-response' })
    expect(client.isAlive).toBe(true)
  })

  it.each([
    ['no contents', {}],
    ['contents that are not a list', { contents: { uri: 'a://x' } }],
    ['contents without a uri', { contents: [{ uri: 'a://x', text: '' }, { text: '' }] }],
    ['contents with a null entry', { contents: [null] }],
  ])('fails the resources/read request to which it responds: %s', async (_, result) => {
    const { client } = await scripted({ ...sessions(), [Method.ReadResource]: result })
    await expect(client.readResource('a://x')).rejects.toMatchObject({ code: 'invalid-response' })
  })

  it('is not reported for a batch in a revision that supports batches', async () => {
    const { client, server } = await scripted(sessions('2025-03-26'))
    const both = Promise.all([client.callTool('a'), client.callTool('b')])
    await vi.waitFor(() => expect(server.of(Method.CallTool)).toHaveLength(2))
    server.say(server.of(Method.CallTool).map(({ id }) => ({ jsonrpc: '2.0', id, result: DONE })))
    expect(await both).toEqual([DONE, DONE])
  })

  it('is counted and then ignored, even 20,000 times', async () => {
    const { client, server } = await scripted(sessions())
    for (let i = 0; i < 20_000; i++) server.say({ jsonrpc: '2.0', id: i + 10, result: {} })
    await client.request('ping', {}, { timeoutMs: 1 }).catch(() => {})
    await vi.waitFor(() => expect(client.stats().ignored.responses).toBeGreaterThanOrEqual(19_999))
    expect(client.stats().pending).toBe(0)
  })
})

it.each([
  ['no members', {}, []],
  ['null as its content', { content: null }, []],
  ['a toolResult', { toolResult: { sum: 3 } }, [{ type: 'text', text: '{"sum":3}' }]],
  ['a toolResult that is a string', { toolResult: '3', content: [] }, [{ type: 'text', text: '3' }]],
  ['a toolResult and content', { toolResult: '3', ...DONE }, DONE.content],
])('callTool accepts a result with %s', async (_, result, content) => {
  const { client } = await scripted({ ...sessions(), [Method.CallTool]: result })
  expect(await client.callTool('x')).toEqual({ ...result, content })
})

describe('listeners', () => {
  it('do not affect responses or other listeners if they throw, reject or are slow', async () => {
    const { client, server } = await scripted(sessions())
    const errors = vi.fn<(error: Error) => void>()
    const heard = vi.fn<() => void>()
    client.on('notification', () => {
      throw new Error('first')
    })
    client.on('notification', () => Promise.reject(new Error('second')))
    client.on('notification', () => new Promise(() => {}))
    client.on('notification', heard)
    client.on('error', errors)
    client.on('error', () => {
      throw new Error('nobody hears this')
    })
    const onProgress = (): void => {
      throw new Error('third')
    }
    const call = client.callTool('x', {}, { onProgress })
    const { id } = await server.hears(Method.CallTool)
    server.notify(Notification.ToolsListChanged)
    server.notify(Notification.Progress, { progressToken: id, progress: 1 })
    server.answer(id, DONE)
    expect(await call).toEqual(DONE)
    await settled()
    expect(heard).toHaveBeenCalledTimes(1)
    expect(errors.mock.calls.map(([{ message }]) => message).toSorted()).toEqual(['first', 'second', 'third'])
  })

  it('are not called after they are removed', async () => {
    const { client, server } = await scripted(sessions())
    const heard = vi.fn<() => void>()
    client.on('toolsChanged', heard)()
    server.notify(Notification.ToolsListChanged)
    await settled()
    expect(heard).not.toHaveBeenCalled()
  })
})

describe('an invalid call', () => {
  it('rejects without affecting other calls', async () => {
    const { client } = await scripted({ ...sessions(), [Method.CallTool]: DONE })
    await expect(client.callTool('x', { big: 1n })).rejects.toThrow(TypeError)
    expect(client.stats().pending).toBe(0)
    expect(await client.callTool('x')).toEqual(DONE)
    await expect(client.getPrompt('x', { n: 1 as unknown as string })).rejects.toThrow('must be a string')
  })

  it('rejects if the server lacks the capability, unless strictCapabilities is false', async () => {
    const bare = {
      ...sessions(),
      [Method.Initialize]: { protocolVersion: '2025-11-25', capabilities: {}, serverInfo: {} },
    }
    const { client, server } = await scripted(bare)
    await expect(client.listTools()).rejects.toMatchObject({ code: 'not-supported' })
    await expect(client.subscribe('a://b')).rejects.toMatchObject({ code: 'not-supported' })
    expect(server.of(Method.ListTools)).toHaveLength(0)
    const insisting = await scripted(
      { ...bare, [Method.ListTools]: { tools: [] } },
      { strictCapabilities: false },
    )
    expect(await insisting.client.listTools()).toEqual([])
  })
})

describe('an unreadable response', () => {
  it.each([
    [
      'is nested too deeply',
      (id: number) =>
        `{"jsonrpc":"2.0","id":${id},"result":{"content":${'['.repeat(2_000)}${']'.repeat(2_000)}}}`,
    ],
    ['is not JSON', (id: number) => `{"jsonrpc":"2.0","id":${id},"result":{"content":[}`],
    ['has its id at the end', (id: number) => `{"result":{"content":[},"id":${id}}`],
  ])('makes its call fail immediately if it %s', async (_, text) => {
    const { client, server } = await scripted(sessions())
    const call = client.callTool('x').catch((error: unknown) => error)
    const other = client.callTool('y')
    const [{ id = 0 } = {}, { id: otherId = 0 } = {}] = await vi.waitFor(() => {
      expect(server.of(Method.CallTool)).toHaveLength(2)
      return server.of(Method.CallTool)
    })
    server.say(text(id as number))
    expect(await call).toMatchObject({ code: 'invalid-response' })
    server.answer(otherId, DONE)
    expect(await other).toEqual(DONE)
  })
})
