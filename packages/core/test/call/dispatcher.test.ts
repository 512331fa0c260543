import { notification, settled } from '@jetway-apps/test-support'
import { describe, expect, it } from 'vitest'
import { McpError } from '../../src/errors.ts'
import { REVISIONS } from '../../src/protocol/revisions/index.ts'
import { ClientView } from '../../src/call/request-context.ts'
import { CallContext } from '../../src/call/context.ts'
import type { MethodEntry } from '../../src/call/method-table.ts'
import type { EncodedResponse } from '../../src/call/response.ts'
import { complete, type HandlerResult } from '../../src/call/result.ts'
import { createTestRuntime, type TestRuntime } from '../support/runtime.ts'

const failure = (text: string): HandlerResult =>
  complete({ content: [{ type: 'text', text }], isError: true })

function call(
  runtime: TestRuntime,
  method = 'tools/call',
  token?: number,
): { ctx: CallContext; sent: string[]; answer: Promise<EncodedResponse> } {
  const [revision] = REVISIONS
  if (revision === undefined) throw new Error('no revision')
  const sent: string[] = []
  const params = { name: 'one', ...(token === undefined ? {} : { _meta: { progressToken: token } }) }
  const ctx = new CallContext(
    { jsonrpc: '2.0', id: 7, method, params },
    {
      revision,
      client: new ClientView(undefined, {}),
      caller: {},
      logLevel: 'warning',
      exchange: { duplex: false, send: (frame) => void sent.push(frame) },
    },
  )
  return { ctx, sent, answer: Promise.resolve(runtime.dispatcher.run(ctx)) }
}

const tool = (handle: MethodEntry['handle']): TestRuntime =>
  createTestRuntime({ 'tools/call': { handle, failure } })
const parsed = async (answer: Promise<EncodedResponse>): Promise<unknown> =>
  JSON.parse((await answer)?.frame ?? 'null')

describe('the response to a request', () => {
  const cycle: Record<string, unknown> = {}
  cycle['self'] = cycle
  const hostile = new Proxy({}, { getPrototypeOf: () => { throw new Error('no') }, get: () => { throw new Error('no') } }) // prettier-ignore

  it.each<[string, () => HandlerResult | Promise<HandlerResult>]>([
    ['throws', () => { throw new Error('canary') }], // prettier-ignore
    ['rejects', () => Promise.reject(new Error('canary'))],
    ['throws a string', () => { throw 'canary' }], // prettier-ignore
    ['throws undefined', () => { throw undefined }], // prettier-ignore
    ['throws a hostile proxy', () => { throw hostile }], // prettier-ignore
    ['returns a BigInt', () => complete({ content: [], _meta: { n: 1n } })],
    ['returns a cycle', async () => complete({ content: [], _meta: cycle })],
    ['returns a throwing toJSON', () => complete({ content: [], _meta: { toJSON: () => { throw new Error('canary') } } })], // prettier-ignore
  ])('has isError and a reference, but not the cause, if the tool %s', async (_, handle) => {
    const runtime = tool(handle)
    const answer = await parsed(call(runtime).answer)
    expect(answer).toMatchObject({ id: 7, result: { isError: true } })
    expect(JSON.stringify(answer)).toMatch(/reference [\w-]{12}/)
    expect(JSON.stringify(answer)).not.toContain('canary')
    expect(runtime.errors).toHaveLength(1)
  })

  it("is error -32603 with a reference if the method's result has no isError", async () => {
    const runtime = createTestRuntime({
      'prompts/get': { handle: () => Promise.reject(new Error('canary')) },
    })
    const answer = await parsed(call(runtime, 'prompts/get').answer)
    expect(answer).toMatchObject({
      error: { code: -32603, message: expect.stringMatching(/reference/) as unknown },
    })
    expect(JSON.stringify(answer)).not.toContain('canary')
  })

  it('has the code, message and data of an McpError, which is not logged as a failure', async () => {
    const runtime = tool(() => { throw new McpError(-1234, 'mine', { a: 1 }) }) // prettier-ignore
    expect(await parsed(call(runtime).answer)).toMatchObject({
      error: { code: -1234, message: 'mine', data: { a: 1 } },
    })
    expect(runtime.errors).toEqual([])
  })

  it.each(['no/such', '__proto__', 'constructor', 'toString'])(
    'is error -32601 for the method %s',
    async (method) => {
      expect(
        await parsed(
          call(
            tool(() => complete({})),
            method,
          ).answer,
        ),
      ).toMatchObject({ error: { code: -32601 } })
    },
  )
})

describe('time limits', () => {
  const never = (): Promise<HandlerResult> => new Promise(() => {})

  it('end a handler that never settles, and abort its signal', async () => {
    const runtime = tool(never)
    const { ctx, answer } = call(runtime)
    const { signal } = ctx
    await runtime.clock.advance(60_000)
    expect(await parsed(answer)).toMatchObject({ result: { isError: true } })
    expect(signal.aborted).toBe(true)
    expect(runtime.clock.pending).toBe(0)
  })

  it('are extended by progress, up to the hard maximum', async () => {
    const runtime = tool(never)
    const { ctx, answer } = call(runtime)
    let done = false
    void answer.then(() => (done = true))
    for (let minute = 0; minute < 5; minute++) {
      expect(done).toBe(false)
      await runtime.clock.advance(59_000)
      await ctx.progress(minute)
    }
    await runtime.clock.advance(5_000)
    expect(done).toBe(true)
  })

  it('share a single timer, which releaseTimers() clears', async () => {
    const runtime = tool(async () => complete({ content: [] }))
    for (let count = 0; count < 5; count++) await call(runtime).answer
    expect(runtime.clock.pending).toBe(1)
    runtime.dispatcher.releaseTimers()
    expect(runtime.clock.pending).toBe(0)
  })

  it('start anew with each call', async () => {
    const runtime = tool(never)
    const ended: string[] = []
    void call(runtime).answer.then(() => ended.push('first'))
    await runtime.clock.advance(30_000)
    void call(runtime).answer.then(() => ended.push('second'))
    await runtime.clock.advance(30_000)
    expect(ended).toEqual(['first'])
    await runtime.clock.advance(30_000)
    expect(ended).toEqual(['first', 'second'])
    expect(runtime.clock.pending).toBe(0)
  })
})

describe('a call that has ended', () => {
  it('sends neither a response nor other messages after its cancellation', async () => {
    let finish: (() => void) | undefined
    const runtime = tool(() => new Promise((resolve) => (finish = () => resolve(complete({ content: [] })))))
    const { ctx, sent, answer } = call(runtime, 'tools/call', 1)
    ctx.end?.('cancelled')
    finish?.()
    await ctx.progress(1)
    ctx.log.emergency('late')
    expect(await answer).toBeUndefined()
    expect(ctx.signal.reason).toMatchObject({ name: 'AbortError' })
    expect(sent).toEqual([])
  })

  it('sends neither progress notifications nor log messages after its response', async () => {
    const runtime = tool(() => complete({ content: [] }))
    const { ctx, sent, answer } = call(runtime, 'tools/call', 1)
    await answer
    await ctx.progress(1)
    ctx.log.emergency('late')
    expect(sent).toEqual([])
  })
})

describe('progress, https://modelcontextprotocol.io/specification/2025-11-25/basic/utilities/progress', () => {
  it('must increase, even if the token is 0', async () => {
    const runtime = tool(() => new Promise(() => {}))
    const { ctx, sent } = call(runtime, 'tools/call', 0)
    for (const value of [1, 1, 0.5, Number.NaN, 2]) await ctx.progress(value, 4, 'm')
    expect(sent.map((frame) => (JSON.parse(frame) as { params: unknown }).params)).toEqual([
      { progressToken: 0, progress: 1, total: 4, message: 'm' },
      { progressToken: 0, progress: 2, total: 4, message: 'm' },
    ])
  })

  it('is not sent unless the client requested it', async () => {
    const runtime = tool(() => new Promise(() => {}))
    const { ctx, sent } = call(runtime)
    await ctx.progress(1)
    expect(sent).toEqual([])
  })
})

describe('logging from a handler', () => {
  it("sends messages at or above the client's level", () => {
    const runtime = tool(() => new Promise(() => {}))
    const { ctx, sent } = call(runtime)
    ctx.log.info('no')
    ctx.log.warning({ a: 1 }, 'db')
    expect(sent.map((frame) => JSON.parse(frame) as unknown)).toEqual([
      notification('notifications/message', { level: 'warning', logger: 'db', data: { a: 1 } }),
    ])
  })
})

describe('middleware', () => {
  it('runs in the order of registration, outermost first, and can replace the result', async () => {
    const runtime = tool(async () => complete({ content: [] }))
    const order: string[] = []
    for (const name of ['outer', 'inner']) {
      runtime.middleware.add('tools/call', async (_ctx, next) => {
        order.push(`${name} in`)
        const result = await next()
        order.push(`${name} out`)
        return { ...result, _meta: { name } }
      })
    }
    runtime.middleware.add('tools/list', () => Promise.reject(new Error('not mine')))
    expect(await parsed(call(runtime).answer)).toMatchObject({ result: { _meta: { name: 'outer' } } })
    expect(order).toEqual(['outer in', 'inner in', 'inner out', 'outer out'])
  })
})

it('run() returns no promise if the handler is synchronous and there is no middleware', async () => {
  const runtime = tool(() => complete({ content: [] }))
  const { ctx } = call(runtime)
  const again = runtime.dispatcher.run(ctx)
  expect(again).not.toBeInstanceOf(Promise)
  await settled()
})
