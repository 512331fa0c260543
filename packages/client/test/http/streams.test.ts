import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { resolveHttpOptions } from '../../src/http/options.ts'
import {
  deliver,
  nextDelay,
  readEvents,
  type StreamPosition,
  type StreamReading,
  wait,
} from '../../src/http/streams.ts'
import type { ClientTransportHandlers } from '../../src/transport/client-transport.ts'

/** Returns handlers that record messages. */
function recording() {
  const messages: unknown[] = []
  const malformed = vi.fn<(reason: string, request?: unknown) => void>()
  const handlers: ClientTransportHandlers = {
    message: (value) => void messages.push(value),
    malformed,
    requestFailed: () => {},
    close: () => {},
  }
  return { handlers, messages, malformed }
}

const options = resolveHttpOptions('http://127.0.0.1/mcp', {})

/** Reads a stream that consists of these chunks. */
async function reading(pieces: readonly string[], more: Partial<StreamReading> = {}) {
  const { handlers, messages } = recording()
  const onAnswered = vi.fn<() => void>()
  const position: StreamPosition = { failures: 7 }
  const body = new ReadableStream<Uint8Array>({
    start: (controller) => {
      for (const piece of pieces) controller.enqueue(new TextEncoder().encode(piece))
      controller.close()
    },
  })
  const { signal } = new AbortController()
  const answered = await readEvents(body, {
    options,
    handlers,
    signal,
    position,
    onAnswered,
    request: 3,
    ...more,
  })
  return { answered, messages, position, told: onAnswered.mock.calls.length }
}

const data = (value: unknown): string => `data: ${JSON.stringify(value)}\n\n`

describe("the response on a request's stream", () => {
  it.each<[string, unknown, boolean]>([
    ['the response', { id: 3, result: {} }, true],
    ['the response with its id as a string', { id: '3', result: {} }, true],
    [
      'the response in a batch',
      [
        { id: 2, result: {} },
        { id: 3, result: {} },
      ],
      true,
    ],
    ["another request's response", { id: 2, result: {} }, false],
    ['a request with the same id', { id: 3, method: 'ping' }, false],
    ['a notification', { method: 'ping' }, false],
    ['a batch without the response', [{ method: 'ping' }], false],
    ['null', null, false],
    ['a number', 3, false],
  ])('is recognized among other messages: %s', async (_, message, found) => {
    const { answered, messages, told } = await reading([data(message)])
    expect({ answered, messages, told }).toEqual({
      answered: found,
      messages: [message],
      told: found ? 1 : 0,
    })
  })

  it('is reported only once', async () => {
    expect(await reading([data({ id: 3 }), data({ id: 3 })])).toMatchObject({ answered: true, told: 1 })
  })

  it('is not recognized on a stream without a request', async () => {
    expect(await reading([data({ id: 'undefined' })], { request: undefined })).toMatchObject({ told: 0 })
  })
})

describe('a stream', () => {
  it('stores its position, and resets its failure count when it receives a message', async () => {
    expect((await reading([`id: a\nretry: 20\ndata: {}\n\n`])).position).toEqual({
      lastEventId: 'a',
      retryMs: 20,
      failures: 0,
    })
    expect((await reading(['id: a\n\nid:\ndata:\n\nevent: other\ndata: {}\n\n'])).position).toEqual({
      failures: 7,
    })
  })

  it('waits until each message has been handled before it delivers the next', async () => {
    const taken: string[] = []
    const { handlers } = recording()
    const message = async (value: unknown): Promise<void> => {
      await Promise.resolve()
      taken.push(`taken ${String(value)}`)
    }
    const onAnswered = (): void => void taken.push('answered')
    await reading(['data: 1\n\n', data({ id: 3 })], { handlers: { ...handlers, message }, onAnswered })
    expect(taken).toEqual(['taken 1', 'taken [object Object]', 'answered'])
  })

  it('rejects if it breaks before the response, but not if it breaks afterwards', async () => {
    const long = ':'.repeat(20)
    const short = { options: { ...options, maxMessageBytes: 10 } }
    await expect(reading([long], short)).rejects.toMatchObject({
      code: 'transport',
      message: 'The stream was cut',
    })
    const answer = ['data:{"id"\n', 'data::3}\n\n', long]
    expect(await reading(answer, { options: { ...options, maxMessageBytes: 20 } })).toMatchObject({
      answered: true,
    })
    expect(await reading([long], { ...short, signal: AbortSignal.abort() })).toMatchObject({
      answered: false,
    })
  })

  it('resets its failure count after it has been open for the maximum delay', async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: 0 })
    onTestFinished(() => void vi.useRealTimers())
    const lasting = async (ms: number): Promise<number> => {
      const body = new ReadableStream<Uint8Array>({
        pull: (controller) => {
          vi.setSystemTime(Date.now() + ms)
          controller.close()
        },
      }, { highWaterMark: 0 }) // prettier-ignore
      const position: StreamPosition = { failures: 7 }
      const { signal } = new AbortController()
      await readEvents(body, { options, handlers: recording().handlers, signal, position })
      return position.failures
    }
    expect([await lasting(29_999), await lasting(30_000)]).toEqual([7, 0])
  })
})

describe('a message', () => {
  it.each([
    ['nested 128 deep', `${'['.repeat(128)}${']'.repeat(128)}`, true],
    ['nested 129 deep', `${'['.repeat(129)}${']'.repeat(129)}`, false],
    ['invalid JSON', '{', false],
  ])('is delivered or reported as malformed: %s', (_, text, passes) => {
    const { handlers, messages, malformed } = recording()
    const { value, taken } = deliver(text, { options, handlers, request: 3 })
    expect(taken).toBeUndefined()
    expect(messages).toEqual(passes ? [JSON.parse(text)] : [])
    expect(value).toEqual(messages[0])
    expect(malformed.mock.calls.map(([, request]) => request)).toEqual(passes ? [] : [3])
  })
})

/** Runs a function while Math.random returns this number. */
function withLuck<T>(random: number, run: () => T): T {
  const chance = vi.spyOn(Math, 'random').mockReturnValue(random)
  try {
    return run()
  } finally {
    chance.mockRestore()
  }
}

describe('the delay before the next attempt', () => {
  it.each<[string, Partial<StreamPosition>, number]>([
    ['is the initial delay at first', {}, 1_000],
    ['doubles after a failure', { failures: 1 }, 2_000],
    ['is limited to the maximum delay', { failures: 5 }, 30_000],
    ['stays at the maximum after many failures', { failures: 5_000 }, 30_000],
    ["is the server's delay if given", { retryMs: 700 }, 700],
    ['is at least half a second', { retryMs: 3 }, 500],
    ["is the server's delay, even above the host's maximum", { retryMs: 40_000, failures: 1 }, 40_000],
    ['is at most an hour', { retryMs: 3_600_001 }, 3_600_000],
  ])('%s', (_, position, ms) => {
    const at = { failures: 0, ...position }
    const { failures } = at
    expect(withLuck(0, () => nextDelay(options, at))).toBe(ms)
    expect(at.failures).toBe(failures + 1)
  })

  it('is lengthened by a random 0 to 20 %, and can be shorter if the host configures shorter delays', () => {
    const host = { initialDelayMs: 5, maxDelayMs: 20 }
    expect(withLuck(1, () => nextDelay(host, { failures: 0, retryMs: 0 }))).toBe(6)
    const none = { initialDelayMs: 0, maxDelayMs: 20 }
    expect(withLuck(0, () => nextDelay(none, { failures: 1 }))).toBe(2)
  })

  it('ends immediately if the signal is aborted', async () => {
    await wait(3_600_000, AbortSignal.abort())
  })
})
