import { describe, expect, it } from 'vitest'
import type { RequestContext } from '../../src/call/request-context.ts'
import { McpServer } from '../../src/server/mcp-server.ts'
import type { LimitOptions } from '../../src/server/options.ts'
import { openAnsweringClient, textOf } from '../support/answering-client.ts'
import { FakeClock, settled } from '@jetway-apps/test-support'

type Logged = readonly [fields: object, message: string]

interface Setup {
  readonly limits?: LimitOptions
  readonly timeoutMs?: number
  readonly handler: (ctx: RequestContext) => unknown
}

async function start({ limits = {}, timeoutMs, handler }: Setup) {
  const logged: Logged[] = []
  const log = (fields: object, message: string): void => void logged.push([fields, message])
  const clock = new FakeClock()
  const server = new McpServer(
    { name: 'slow', version: '1' },
    { clock, limits, logger: { debug() {}, info() {}, warn: log, error: log } },
  )
  server.addTool({
    name: 'slow',
    ...(timeoutMs !== undefined && { timeoutMs }),
    handler: (_args, ctx) => handler(ctx),
  })
  const client = await openAnsweringClient(server)
  return { clock, logged, reply: client.call('slow') }
}

const never = (): Promise<never> => new Promise(() => {})

describe('a call that exceeds its time limit', () => {
  const silent = 'reported no progress for 1000 ms'
  it.each<[string, Setup, problem: string, fix: string]>([
    [
      'without progress',
      { limits: { handlerTimeoutMs: 1_000 }, handler: never },
      silent,
      'Call ctx.progress in the handler, or raise limits.handlerTimeoutMs, or timeoutMs of the definition.',
    ],
    [
      'of the tool',
      { timeoutMs: 1_000, handler: never },
      silent,
      'Call ctx.progress in the handler, or raise timeoutMs of the definition.',
    ],
    [
      'in total',
      {
        limits: { handlerTimeoutMs: 900, maxHandlerTimeoutMs: 1_500 },
        handler: async (ctx) => {
          for (let done = 1; !ctx.signal.aborted; done++) {
            await ctx.progress(done)
            await settled()
          }
        },
      },
      'took longer than 1500 ms',
      'Raise limits.maxHandlerTimeoutMs, or run the tool as a task: taskSupport.',
    ],
  ])(
    'fails with an error that names the limit, and is logged with the option to change (limit %s)',
    async (_, setup, problem, fix) => {
      const { clock, logged, reply } = await start(setup)
      for (let passed = 0; passed < 20; passed++) {
        await clock.advance(100)
        await settled()
      }
      expect(textOf(await reply)).toBe(`Timed out: tools/call ${problem}`)
      const fields = { requestId: 2, method: 'tools/call', name: 'slow', limitMs: expect.any(Number) }
      expect(logged).toEqual([[fields, `A call was ended because it ${problem}. ${fix}`]])
    },
  )
})

it('a server uses a single timer for all calls with the same limit', async () => {
  const clock = new FakeClock()
  const server = new McpServer({ name: 'slow', version: '1' }, { clock, progressHeartbeat: false })
  for (const [name, timeoutMs] of [
    ['a', 1_000],
    ['b', 1_000],
    ['c', 2_000],
  ] as const)
    server.addTool({ name, timeoutMs, handler: never })
  const client = await openAnsweringClient(server)
  const before = clock.pending
  for (const name of ['a', 'a', 'b', 'b', 'c', 'c']) void client.call(name)
  await settled()
  expect(clock.pending - before).toBe(2)
})

describe('an invalid argument of ctx.progress', () => {
  it.each<[string, readonly unknown[]]>([
    [`'50%'`, ['50%']],
    [`1, 'Half done'`, [1, 'Half done']],
    ['NaN', [Number.NaN]],
    ['1, 2, an array', [1, 2, ['Half done']]],
    ['null', [null]],
  ])('is logged once per call: ctx.progress(%s)', async (given, args) => {
    const { logged, reply } = await start({
      handler: (ctx) => {
        // Nobody awaits these promises, so a rejection would end the process.
        for (let again = 0; again < 3; again++) void ctx.progress(...(args as [number]))
        return 'done'
      },
    })
    expect(textOf(await reply)).toBe('done')
    const message = `ctx.progress takes a number, a total and a text, such as ctx.progress(50, 100, 'Half done'), not ctx.progress(${given})`
    expect(logged).toEqual([[{ requestId: 2, method: 'tools/call', name: 'slow' }, message]])
  })
})
