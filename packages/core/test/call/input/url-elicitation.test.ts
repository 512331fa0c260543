import { deferred, FakeClock, request, settled, silent } from '@jetway-apps/test-support'
import { describe, expect, it, vi } from 'vitest'
import type { JsonObject, JsonValue } from '../../../src/protocol/jsonrpc.ts'
import { elicitUrl, inputRequired, McpServer, tasks, UrlElicitationRequired } from '../../../src/index.ts'
import { type Bus, type BusListener, MemoryBus } from '../../../src/stores/bus.ts'
import type { CallContext } from '../../../src/call/context.ts'
import type { ServerOptions } from '../../../src/server/options.ts'
import { requestMeta } from '../../support/modern-calls.ts'

const FLOW = 'https://modelcontextprotocol.io/specification/2026-07-28/client/elicitation#url-mode-flow'
const CAPABILITIES = { elicitation: { url: {} } }

/** A bus that counts its listeners. */
class CountingBus implements Bus {
  readonly #inner = new MemoryBus()
  listeners = 0
  publish(topic: string, message: JsonValue): void {
    this.#inner.publish(topic, message)
  }
  subscribe(topic: string, listener: BusListener): () => void {
    this.listeners++
    const end = this.#inner.subscribe(topic, listener)
    return () => {
      this.listeners--
      end()
    }
  }
}

/** Throws an error that requires the user to open a URL, by default one that contains the id of the elicitation. */
function requireUrl(
  url: string | ((id: string) => string) = (id) => `https://mail.example/in?e=${id}`,
): never {
  throw new UrlElicitationRequired(elicitUrl('Sign in', url))
}

interface Answer {
  readonly result?: JsonObject
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown }
}

interface Bench {
  readonly server: McpServer
  readonly clock: FakeClock
  readonly bus: CountingBus
  /** The users who have signed in. */
  readonly known: Set<string>
  runs: number
  readonly ask: (method: string, params: object, capabilities?: object) => Promise<Answer>
  readonly call: (more?: object, name?: string) => Promise<Answer>
}

function open(options: ServerOptions = {}): Bench {
  const clock = new FakeClock()
  const bus = new CountingBus()
  const server = new McpServer({ name: 'test', version: '1' }, { clock, bus, logger: silent, ...options })
  const known = new Set<string>()
  const ask: Bench['ask'] = async (method, params, capabilities = CAPABILITIES) => {
    const message = request(method, { ...params, _meta: requestMeta(capabilities) })
    return JSON.parse((await server.handleMessage(message)) ?? '{}') as Answer
  }
  const bench: Bench = {
    server,
    clock,
    bus,
    known,
    runs: 0,
    ask,
    call: (more = {}, name = 'mail') => ask('tools/call', { name, ...more }),
  }
  const mail = (): string => {
    bench.runs++
    return known.has('ann') ? 'three mails' : requireUrl()
  }
  server.addTool({ name: 'mail', handler: mail })
  server.addTool({ name: 'task', taskSupport: 'optional', handler: mail })
  return bench
}

interface Asked {
  readonly url: string
  readonly key: string
  readonly id: string
  readonly requestState: unknown
}

function asked({ result }: Answer): Asked {
  expect(result).toMatchObject({ resultType: 'input_required' })
  const requests = result?.['inputRequests'] as Record<string, { params: { url: string } }>
  const [[key, { params }] = ['', { params: { url: '' } }]] = Object.entries(requests)
  return { key, url: params.url, id: params.url.split('e=')[1] ?? '', requestState: result?.['requestState'] }
}

/** Waits in real time, because digests and seals are computed on other threads. */
const until = (check: () => void): Promise<void> => vi.waitFor(check, { interval: 2 })

/** While a call waits, two timers are pending: the call's time limit, and the limit of the wait. */
const untilWaiting = ({ clock }: Bench): Promise<void> => until(() => expect(clock.pending).toBe(2))

const agreed = ({ key, requestState }: Asked, action = 'accept'): object => ({
  requestState,
  inputResponses: { [key]: { action } },
})

const textOf = ({ result }: Answer): unknown =>
  (result?.['content'] as { text: string }[] | undefined)?.[0]?.text

describe(`a call after the user has agreed to open a URL (${FLOW})`, () => {
  it('continues when the elicitation is completed', async () => {
    const bench = open()
    const question = asked(await bench.call())
    const call = bench.call(agreed(question))
    await untilWaiting(bench)
    expect(bench.runs).toBe(2)
    bench.server.completeElicitation('another')
    await settled()
    expect(bench.runs).toBe(2)
    bench.known.add('ann')
    bench.server.completeElicitation(question.id)
    expect(textOf(await call)).toBe('three mails')
    expect(bench.runs).toBe(3)
    expect(bench.bus.listeners).toBe(0)
    expect(bench.clock.pending).toBeLessThan(2)
  })

  it('continues immediately if the elicitation was completed before the client retries', async () => {
    const bench = open()
    const question = asked(await bench.call())
    bench.known.add('ann')
    bench.server.completeElicitation(question.id)
    expect(textOf(await bench.call(agreed(question)))).toBe('three mails')
    expect(bench.runs).toBe(2)
  })

  it('notices a completion that occurs while its handler is running', async () => {
    const bench = open()
    let look = deferred()
    look.resolve()
    bench.server.addTool({
      name: 'slow',
      handler: async () => {
        const known = bench.known.has('ann')
        await look.promise
        return known ? 'three mails' : requireUrl()
      },
    })
    const question = asked(await bench.call({}, 'slow'))
    look = deferred()
    const call = bench.call(agreed(question), 'slow')
    await until(() => expect(bench.bus.listeners).toBe(1))
    bench.known.add('ann')
    bench.server.completeElicitation(question.id)
    look.resolve()
    expect(textOf(await call)).toBe('three mails')
  })

  it('asks again with a new URL after 45 s', async () => {
    const bench = open({ limits: { handlerTimeoutMs: 10_000 } })
    const first = asked(await bench.call())
    let answer: Answer | undefined
    const call = bench.call(agreed(first)).then((came) => (answer = came))
    await untilWaiting(bench)
    await bench.clock.advance(44_999)
    expect(answer).toBeUndefined()
    await bench.clock.advance(1)
    const second = asked(await call)
    expect(second.url).not.toBe(first.url)
    expect(bench.runs).toBe(3)
    expect(bench.bus.listeners).toBe(0)
    bench.known.add('ann')
    expect(textOf(await bench.call(agreed(second)))).toBe('three mails')
  })

  it('fails after eight questions', async () => {
    const bench = open()
    let answer = await bench.call()
    for (let round = 1; round <= 8; round++) {
      const call = bench.call(agreed(asked(answer)))
      await untilWaiting(bench)
      await bench.clock.advance(45_000)
      answer = await call
    }
    expect(answer.result).toMatchObject({ isError: true })
    expect(textOf(answer)).toMatch(/after 8 rounds/)
  })

  it('asks immediately if the handler requires a different URL', async () => {
    const bench = open()
    let step = 1
    const handler = () => {
      const of = step++
      return requireUrl((id) => `https://mail.example/${of}?e=${id}`)
    }
    bench.server.addTool({ name: 'steps', handler })
    const first = asked(await bench.call({}, 'steps'))
    expect(asked(await bench.call(agreed(first), 'steps')).url).toMatch(/^https:\/\/mail\.example\/2\?/)
  })

  it('asks again immediately if the URL contains no id', async () => {
    const bench = open()
    bench.server.addTool({ name: 'silent', handler: () => requireUrl('https://mail.example/terms') })
    const first = asked(await bench.call({}, 'silent'))
    expect(asked(await bench.call(agreed(first), 'silent')).url).toBe('https://mail.example/terms')
    expect(bench.bus.listeners).toBe(0)
  })

  it.each([
    ['decline', /declined: Sign in/],
    ['cancel', /closed without an answer: Sign in/],
  ])('returns an error message if the user action is %s', async (action, text) => {
    const bench = open()
    const answer = await bench.call(agreed(asked(await bench.call()), action))
    expect(answer.result).toMatchObject({ isError: true })
    expect(textOf(answer)).toMatch(text)
  })

  it('keeps the state of an earlier round', async () => {
    const bench = open()
    bench.server.addTool({
      name: 'loop',
      handler: (_args, { inputs }) => {
        if (inputs.state === undefined) return inputRequired({}, { state: 'begun' })
        return bench.known.has('ann') ? `goes on: ${inputs.state}` : requireUrl('https://mail.example/in')
      },
    })
    const { result } = await bench.call({}, 'loop')
    const question = asked(await bench.call({ requestState: result?.['requestState'] }, 'loop'))
    bench.known.add('ann')
    expect(textOf(await bench.call(agreed(question), 'loop'))).toBe('goes on: begun')
  })

  it('releases its timers and listeners if the client disconnects', async () => {
    const bench = open()
    const contexts: CallContext[] = []
    bench.server.use((ctx, next) => {
      contexts.push(ctx as unknown as CallContext)
      return next()
    })
    const question = asked(await bench.call())
    void bench.call(agreed(question))
    await untilWaiting(bench)
    contexts.at(-1)?.end?.('cancelled')
    await until(() => expect(bench.bus.listeners).toBe(0))
    expect(bench.clock.pending).toBeLessThan(2)
  })
})

describe('middleware that requires a URL', () => {
  it('runs again on every retry, and guards the handler', async () => {
    const bench = open()
    let ran = 0
    bench.server.addTool({ name: 'guarded', handler: () => `ran ${++ran}` })
    bench.server.use('tools/call', (_ctx, next) => {
      if (bench.known.has('ann')) return next()
      throw new UrlElicitationRequired(
        elicitUrl('Sign in', 'https://mail.example/in'),
        elicitUrl('Agree', 'https://mail.example/terms'),
      )
    })
    const first = await bench.call({}, 'guarded')
    const requests = Object.keys(first.result?.['inputRequests'] as object)
    const all = Object.fromEntries(requests.map((key) => [key, { action: 'accept' }]))
    const state = { requestState: first.result?.['requestState'] }
    for (const more of [
      { inputResponses: all },
      { inputResponses: all, ...state },
      { inputResponses: { [String(requests[0])]: { action: 'accept' } }, ...state },
    ])
      expect((await bench.call(more, 'guarded')).result).toMatchObject({ resultType: 'input_required' })
    expect(ran).toBe(0)
    bench.known.add('ann')
    expect(textOf(await bench.call({ inputResponses: all, ...state }, 'guarded'))).toBe('ran 1')
  })
})

describe('a client that cannot open URLs', () => {
  it('receives the URL as text, or an error that names the missing capability', async () => {
    const bench = open()
    bench.server.addPrompt({ name: 'mail', handler: () => requireUrl('https://mail.example/in') })
    const { result } = await bench.ask('tools/call', { name: 'mail' }, { elicitation: {} })
    expect(result).toMatchObject({ resultType: 'complete', isError: true })
    const { error } = await bench.ask('prompts/get', { name: 'mail' }, { elicitation: {} })
    expect(error).toMatchObject({
      code: -32021,
      message: expect.stringContaining('https://mail.example/in') as string,
      data: { requiredCapabilities: { elicitation: { url: {} } } },
    })
  })
})

describe('a task whose user has to open a URL', () => {
  const DECLARED = { ...CAPABILITIES, extensions: { 'io.modelcontextprotocol/tasks': {} } }

  async function start() {
    const bench = open({ extensions: [tasks()] })
    const { result } = await bench.ask('tools/call', { name: 'task' }, DECLARED)
    expect(result).toMatchObject({ resultType: 'task' })
    const taskId = result?.['taskId']
    const reach = async (status: string): Promise<JsonObject> =>
      vi.waitFor(
        async () => {
          const { result: task = {} } = await bench.ask('tasks/get', { taskId }, DECLARED)
          expect(task).toMatchObject({ status })
          return task
        },
        { interval: 2 },
      )
    return { ...bench, taskId, reach }
  }

  it('asks the user, and continues when the elicitation is completed', async () => {
    const { taskId, reach, ask, known, server } = await start()
    const waiting = await reach('input_required')
    const [[key, { params }] = ['', { params: { url: '' } }]] = Object.entries(
      waiting['inputRequests'] as Record<string, { params: { url: string } }>,
    )
    await ask('tasks/update', { taskId, inputResponses: { [key]: { action: 'accept' } } }, DECLARED)
    await reach('working')
    known.add('ann')
    server.completeElicitation(params.url.split('e=')[1] ?? '')
    expect(await reach('completed')).toMatchObject({ result: { content: [{ text: 'three mails' }] } })
  })

  it('fails with an error message if the user declines', async () => {
    const { taskId, reach, ask } = await start()
    const [key = ''] = Object.keys((await reach('input_required'))['inputRequests'] as object)
    await ask('tasks/update', { taskId, inputResponses: { [key]: { action: 'decline' } } }, DECLARED)
    expect(await reach('completed')).toMatchObject({
      result: { isError: true, content: [{ text: expect.stringContaining('declined: Sign in') as string }] },
    })
  })
})
