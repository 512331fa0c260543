import { McpError, type RequestContext, result, ToolError } from '@jetway/core'
import { describe, expect, it } from 'vitest'
import { alive, CANARY, failOnUnhandled, serve, turn } from './support/hostile.ts'

failOnUnhandled()

const cycle: Record<string, unknown> = {}
cycle['self'] = cycle
const manyWays: Record<string, unknown> = {}
for (let i = 0; i < 10; i++) manyWays[i] = manyWays
const hostile = (traps: ProxyHandler<object>, target: object = {}): unknown => new Proxy(target, traps)
const trap = (): never => {
  throw new Error(CANARY)
}
const everyTrap: ProxyHandler<object> = { get: trap, getPrototypeOf: trap, has: trap, ownKeys: trap }

const THROWN: [what: string, value: unknown][] = [
  ['an Error', Object.assign(new Error(CANARY, { cause: CANARY }), { data: CANARY })],
  ['a string', CANARY],
  ['undefined', undefined],
  ['null', null],
  ['an object with a code', { code: -32602, message: CANARY }],
  ['a proxy', hostile(everyTrap)],
  ['a proxy of an McpError', hostile({ get: trap }, new McpError(-32000, CANARY))],
  ['a proxy of a ToolError', hostile({ get: trap }, new ToolError(CANARY))],
  ['an McpError without a code', new McpError(undefined as never, CANARY)],
  ['a function', () => CANARY],
  ['a symbol', Symbol(CANARY)],
]

/** Values that a tool without an outputSchema may return, and whether each can be sent. */
const RETURNED: [what: string, value: unknown, said: boolean][] = [
  ['undefined', undefined, true],
  ['null', null, true],
  ['5', 5, true],
  ['NaN', Number.NaN, true],
  ['a date', new Date(0), true],
  ['an invalid date', new Date(Number.NaN), true],
  ['a map', new Map([[1, 2]]), false],
  ['nearly a result of the protocol', { content: [{ type: 'text', text: 5 }] }, false],
  ['a BigInt', 1n, false],
  ['a cycle', cycle, false],
  ['a toJSON that throws', { toJSON: trap }, false],
  ['a proxy that throws', hostile(everyTrap), false],
  ['a symbol', Symbol('x'), false],
  ['a function', () => 1, false],
  ['a getter that throws', Object.defineProperty({}, 'a', { enumerable: true, get: trap }), false],
  [
    'a member that throws when it is awaited',
    hostile({ get: (_, key) => (key === 'then' ? trap() : undefined) }),
    false,
  ],
  ['content with a cycle', result({ content: 'x', _meta: cycle }), false],
  ['content with a cycle of many ways', result({ content: 'x', _meta: manyWays }), false],
]

describe('a call to a misbehaving handler', () => {
  const ways: [string, (act: () => unknown) => (args: object, ctx: RequestContext) => unknown][] = [
    ['at once', (act) => () => act()],
    ['later', (act) => async () => (await turn(), act())],
  ]
  for (const [when, way] of ways) {
    it.each(THROWN)(`receives one generic error if the handler throws %s ${when}`, async (_, value) => {
      const bench = await serve()
      const handler = way(() => {
        throw value
      })
      bench.server.addTool({ name: 'bad', handler })
      bench.server.addResource({ uri: 'x://bad', name: 'bad', handler })
      bench.server.addPrompt({ name: 'bad', handler: handler as () => string })
      const asked = [
        await bench.peer.request('tools/call', { name: 'bad' }),
        await bench.peer.request('resources/read', { uri: 'x://bad' }),
        await bench.peer.request('prompts/get', { name: 'bad' }),
      ]
      expect(asked).toMatchObject([
        { result: { isError: true } },
        { error: { code: -32603 } },
        { error: { code: -32603 } },
      ])
      expect(JSON.stringify(asked)).not.toMatch(/canary|at .*\.ts/)
      expect(await alive(bench)).toEqual([])
    })

    it.each(RETURNED)(`receives one response if the handler returns %s ${when}`, async (_, value, said) => {
      const bench = await serve()
      const handler = way(() => value)
      bench.server.addTool({ name: 'odd', handler })
      bench.server.addResource({ uri: 'x://odd', name: 'odd', handler })
      bench.server.addPrompt({ name: 'odd', handler: handler as () => string })
      const tool = await bench.peer.request('tools/call', { name: 'odd' })
      expect(tool.result?.['isError']).toBe(said ? undefined : true)
      const read = await bench.peer.request('resources/read', { uri: 'x://odd' })
      expect(Number('result' in read) + Number('error' in read)).toBe(1)
      expect((await bench.peer.request('prompts/get', { name: 'odd' })).error).toMatchObject({ code: -32603 })
      expect(JSON.stringify([tool, read])).not.toContain('canary')
      expect(await alive(bench)).toEqual([])
    })

    it.each<[string, unknown]>([
      ['a wrong type', { n: 'x', secret: CANARY }],
      ['nothing', undefined],
      ['NaN where a number is due', { n: Number.NaN }],
      ['Infinity where a number is due', { n: Number.POSITIVE_INFINITY }],
      ['a cycle', cycle],
      ['a BigInt', { n: 1n }],
    ])(
      `receives one generic error if the handler has an outputSchema and returns %s ${when}`,
      async (_, value) => {
        const bench = await serve()
        const outputSchema = {
          type: 'object',
          properties: { n: { type: 'number' } },
          required: ['n'],
        } as const
        bench.server.addTool({ name: 'odd', outputSchema, handler: way(() => value) })
        const { result: answer } = await bench.peer.request('tools/call', { name: 'odd' })
        expect(answer).toMatchObject({
          isError: true,
          content: [{ text: expect.stringMatching(/reference/) }],
        })
        expect(JSON.stringify(answer)).not.toContain(CANARY)
        expect(await alive(bench)).toEqual([])
      },
    )
  }

  it('frees its slot if the handler never settles', async () => {
    const bench = await serve()
    bench.server.addTool({ name: 'hangs', timeoutMs: 20, handler: () => new Promise<string>(() => {}) })
    const answers = await Promise.all(
      Array.from({ length: 100 }, () => bench.peer.request('tools/call', { name: 'hangs' })),
    )
    for (const { result: answer } of answers)
      expect(answer).toMatchObject({ isError: true, content: [{ text: expect.stringMatching(/Timed out/) }] })
    expect((await bench.peer.request('tools/call', { name: 'echo' })).result).toMatchObject({ content: [{}] })
    expect(await alive(bench)).toEqual([])
  })

  it('ends even if its handler sends messages to a disconnected client', async () => {
    const bench = await serve()
    let ctx: RequestContext | undefined
    bench.server.addTool({
      name: 'talks',
      async handler(_, own) {
        ctx = own
        await new Promise<void>((resolve) => own.signal.addEventListener('abort', () => resolve()))
        for (let n = 0; n < 1_000; n++) {
          await own.progress(n)
          own.log.error('late')
        }
        throw new Error(CANARY)
      },
    })
    void bench.peer.request('tools/call', { name: 'talks', _meta: { progressToken: 1 } }).catch(() => {})
    await turn()
    await bench.peer.close()
    await bench.server.close({ deadline: 0 })
    await turn()
    expect(ctx?.signal.aborted).toBe(true)
    bench.server.notify.resourceUpdated('x://1')
    bench.server.addTool({ name: 'late', handler: () => 'x' })
    expect(bench.peer.strays).toEqual([])
  })
})
