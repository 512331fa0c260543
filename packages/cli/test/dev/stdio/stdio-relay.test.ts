import { settled } from '@jetway-apps/test-support'
import { describe, expect, it, vi } from 'vitest'
import { answerOf, callOf, INITIALIZE, request, TOOLS_CHANGED } from '../support/raw-http.ts'
import { initialize, INITIALIZED, note, relayStdio, server } from '../support/relay-stdio.ts'
import { useFakeTimers } from '../../support/fake-timers.ts'

const down = (id: number) => ({
  id,
  error: { code: -32_603, message: expect.stringContaining('is not running') },
})
const busy = (id: number) => ({ id, error: { message: expect.stringContaining('Too many requests wait') } })

describe('StdioRelay', () => {
  it('forwards messages to the process and back', async () => {
    const front = relayStdio()
    const process = await front.start()
    await front.client.write(request(1, 'ping'), note('notifications/x'), 'no JSON', '7')
    expect(process.take()).toEqual([request(1, 'ping'), note('notifications/x'), 'no JSON', 7])
    await process.write(answerOf(1), note('notifications/y'), answerOf(1), answerOf(5))
    expect(front.client.take()).toEqual([answerOf(1), note('notifications/y')])
    expect(front.printed).toEqual([])
  })

  it('splits batches from the client, but keeps batches from the process intact', async () => {
    const front = relayStdio()
    const process = await front.start()
    await front.client.write([request(1, 'ping'), request(2, 'ping')])
    expect(process.take()).toEqual([request(1, 'ping'), request(2, 'ping')])
    await process.write([answerOf(1), answerOf(9), answerOf(2)], [answerOf(1)])
    expect(front.client.take()).toEqual([[answerOf(1), answerOf(2)]])
  })

  it('prints lines that are not protocol messages', async () => {
    const front = relayStdio()
    const process = await front.start()
    await process.write('hello', '7', 'null', '"text"')
    const stray = (text: string): string => `The server wrote to stdout, which carries the protocol: ${text}`
    expect(front.printed).toEqual(['hello', '7', 'null', '"text"'].map(stray))
    expect(front.client.got).toEqual([])
  })

  it.each([
    ['client', 'The client sent a message that cannot be read: '],
    ['process', 'The server wrote to stdout, which carries the protocol: '],
  ] as const)('prints overlong messages from the %s', async (from, begin) => {
    const front = relayStdio()
    const process = await front.start()
    const { write } = from === 'client' ? front.client : process
    await write('x'.repeat(10 * 1024 * 1024 + 1))
    await vi.waitFor(() => expect(front.printed).toEqual([expect.stringContaining(begin)]))
  })

  it('ends when the client disconnects', async () => {
    const front = relayStdio()
    await front.client.end()
    await front.relay.ended
  })
})

describe('StdioRelay handling sessions', () => {
  it('opens the session in the next process with the same settings', async () => {
    const front = relayStdio()
    const accepts = server([], ({ id }) => (typeof id === 'number' && id > 0 ? { result: {} } : undefined))
    await front.start(accepts)
    await initialize(front)
    await front.client.write(
      request(1, 'logging/setLevel', { level: 'debug' }),
      request(2, 'resources/subscribe', { uri: 'a:1' }),
    )
    const second = front.spawn(server())
    await front.relay.prepare(second.child)
    await settled()
    const id = (index: number) => `jetway-dev:2:${index}`
    expect(second.take()).toEqual([
      { ...INITIALIZE, id: id(0) },
      INITIALIZED,
      { ...request(0, 'logging/setLevel', { level: 'debug' }), id: id(1) },
      { ...request(0, 'resources/subscribe', { uri: 'a:1' }), id: id(2) },
    ])
    // Settings that change in the meantime are sent when the relay uses the process.
    await front.client.write(
      request(3, 'resources/unsubscribe', { uri: 'a:1' }),
      request(4, 'resources/subscribe', { uri: 'a:2' }),
    )
    front.relay.use(second.child)
    await settled()
    expect(second.take().slice(0, 2)).toMatchObject([
      { method: 'resources/unsubscribe', params: { uri: 'a:1' } },
      { method: 'resources/subscribe', params: { uri: 'a:2' } },
    ])
    expect(front.printed).toEqual([])
  })

  it('does not open a session before the client does', async () => {
    const front = relayStdio()
    const first = await front.start(server())
    const second = await front.start(server())
    expect([first.got, second.got]).toEqual([[], []])
  })

  it.each([
    ['an error', { error: { code: 1, message: 'no' } }, 'Error: no'],
    ['an error without text', { error: {} }, 'Error: undefined'],
    ['neither result nor error', {}, 'Error: undefined'],
  ])('rejects a process that responds to initialize with %s', async (_, answer, why) => {
    const front = relayStdio()
    await front.start(server())
    await initialize(front)
    const second = front.spawn(() => answer)
    await expect(front.relay.prepare(second.child)).rejects.toMatchObject({
      name: 'StartError',
      reason: 'failed',
      message: `The new code does not take over the session: ${why}`,
    })
  })

  it('rejects a process that exits', async () => {
    const front = relayStdio()
    await front.start(server())
    await initialize(front)
    const second = front.spawn()
    const prepared = front.relay.prepare(second.child)
    front.relay.lost(second.child)
    await expect(prepared).rejects.toThrow('ProcessEnded')
  })

  it.each<[string, object, string]>([
    [
      'another revision',
      { protocolVersion: 's', capabilities: {} },
      'The server now speaks revision s: the client must reconnect',
    ],
    [
      'new capabilities',
      { protocolVersion: 'r', capabilities: { tools: {}, logging: {}, prompts: {} } },
      'The client must reconnect to use the new capabilities logging, prompts',
    ],
  ])('prints a hint if the next process responds to initialize with %s', async (_, result, hint) => {
    const front = relayStdio()
    await front.start(server())
    await initialize(front)
    await front.start(server([], ({ method }) => (method === 'initialize' ? { result } : undefined)))
    expect(front.printed).toEqual([hint])
  })
})

describe('StdioRelay while no process is running', () => {
  it('keeps held messages in order', async () => {
    useFakeTimers()
    const front = relayStdio()
    await front.client.write(request(1, 'ping'), note('notifications/x'), [request(2, 'ping')])
    expect(front.client.got).toEqual([])
    const process = await front.start()
    expect(process.got).toEqual([request(1, 'ping'), note('notifications/x'), request(2, 'ping')])
    expect(vi.getTimerCount()).toBe(0)
    await front.client.write('no JSON')
    expect(process.got).toContain('no JSON')
  })

  it('responds to requests with an error after 10 s, and drops notifications', async () => {
    useFakeTimers()
    const front = relayStdio()
    await front.client.write('no JSON', request(1, 'ping'), note('notifications/x'))
    await vi.advanceTimersByTimeAsync(9_999)
    await settled()
    expect(front.client.got).toEqual([])
    await vi.advanceTimersByTimeAsync(1)
    await settled()
    expect(front.client.got).toMatchObject([down(1)])
    expect((await front.start()).got).toEqual([])
  })

  it('holds 1,024 messages, and refuses the next request', async () => {
    useFakeTimers()
    const front = relayStdio()
    const requests = Array.from({ length: 1_024 }, (_, id) => request(id, 'ping'))
    await front.client.write(...requests)
    expect(front.client.take()).toEqual([])
    await front.client.write(request(1_024, 'ping'), note('notifications/x'))
    expect(front.client.take()).toMatchObject([busy(1_024)])
    expect((await front.start()).got).toHaveLength(1_024)
  })
})

it('StdioRelay forwards 4,096 open requests, and refuses the next one', async () => {
  const front = relayStdio()
  const process = await front.start()
  await front.client.write(...Array.from({ length: 4_096 }, (_, id) => request(id, 'ping')))
  await vi.waitFor(() => expect(process.got).toHaveLength(4_096))
  await front.client.write(request(4_096, 'ping'), note('notifications/x'))
  expect(front.client.take()).toMatchObject([busy(4_096)])
  expect(process.got.at(-1)).toEqual(note('notifications/x'))
  await process.write(answerOf(0))
  await front.client.write(request(4_097, 'ping'))
  expect(process.got.at(-1)).toEqual(request(4_097, 'ping'))
})

describe('a process that StdioRelay replaces', () => {
  it('is drained once all its requests have responses', async () => {
    const front = relayStdio()
    const first = await front.start()
    await front.client.write(request(1, 'ping'))
    const drained = vi.fn()
    void front.relay.drained(first.child).then(drained)
    await front.start()
    expect(drained).not.toHaveBeenCalled()
    await first.write(answerOf(1))
    expect(drained).toHaveBeenCalledOnce()
    expect(front.client.take()).toEqual([answerOf(1)])
    await front.relay.drained({ ...first.child, generation: 99 })
  })

  it('receives no new requests', async () => {
    const front = relayStdio()
    const first = await front.start()
    void front.relay.drained(first.child)
    await front.client.write(request(1, 'ping'))
    expect(first.got).toEqual([])
    expect((await front.start()).got).toEqual([request(1, 'ping')])
  })

  it('leaves its initialize request to the next process, while its calls return error results', async () => {
    const front = relayStdio()
    const first = await front.start()
    await front.client.write(INITIALIZE, callOf(1, 'a'))
    front.relay.lost(first.child)
    await settled()
    expect(front.client.take()).toMatchObject([{ id: 1, result: { isError: true } }])
    expect((await front.start()).got).toEqual([INITIALIZE])
    await first.write(answerOf(1))
    expect(front.client.take()).toEqual([])
  })

  it('hands its subscriptions to the next process', async () => {
    const front = relayStdio()
    const listen = request(9, 'subscriptions/listen', {
      _meta: { 'io.modelcontextprotocol/protocolVersion': 'x' },
    })
    const acknowledged = note('notifications/subscriptions/acknowledged', {
      _meta: { 'io.modelcontextprotocol/subscriptionId': 9 },
      notifications: { toolsListChanged: true },
    })
    const first = await front.start(server(['a']))
    await front.client.write(listen)
    await first.write(acknowledged)
    expect(front.client.take()).toEqual([acknowledged])
    const second = await front.start(server(['b']))
    await second.write(acknowledged)
    await settled()
    expect(second.got).toContainEqual(listen)
    expect(front.client.take()).toEqual([
      { ...TOOLS_CHANGED, params: { _meta: { 'io.modelcontextprotocol/subscriptionId': 9 } } },
    ])
  })
})

describe('StdioRelay when its input ends', () => {
  it('sends the remaining responses', async () => {
    useFakeTimers()
    const front = relayStdio()
    const process = await front.start()
    await front.client.write(request(1, 'ping'))
    const finished = vi.fn()
    const finishing = front.relay.finish(1_000).then(finished)
    await settled()
    expect(finished).not.toHaveBeenCalled()
    await process.write(answerOf(1))
    await finishing
    expect(front.client.take()).toEqual([answerOf(1)])
    expect(vi.getTimerCount()).toBe(0)
  })

  it('disconnects after the time limit if a request still has no response', async () => {
    useFakeTimers()
    const front = relayStdio()
    await front.start()
    await front.client.write(request(1, 'ping'))
    const finished = vi.fn()
    const finishing = front.relay.finish(1_000).then(finished)
    await vi.advanceTimersByTimeAsync(999)
    expect(finished).not.toHaveBeenCalled()
    await vi.advanceTimersByTimeAsync(1)
    await finishing
    await front.relay.ended
  })

  it('disconnects immediately if no request is open or no process is running', async () => {
    useFakeTimers()
    const front = relayStdio()
    await front.start()
    await front.relay.finish(1_000)
    await relayStdio().relay.finish(1_000)
    expect(vi.getTimerCount()).toBe(0)
  })
})
