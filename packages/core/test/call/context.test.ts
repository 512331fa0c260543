import { deferred } from '@jetway-apps/test-support'
import { describe, expect, it } from 'vitest'
import { REVISIONS } from '../../src/protocol/revisions/index.ts'
import { ClientView } from '../../src/call/request-context.ts'
import { CallContext } from '../../src/call/context.ts'

/** The context of a call, and the parameters of every notification that it sends. */
function createContext(pressure?: Promise<void>): { ctx: CallContext; sent: Record<string, unknown>[] } {
  const [revision] = REVISIONS
  if (revision === undefined) throw new Error('no revision')
  const sent: Record<string, unknown>[] = []
  const message = {
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: { _meta: { progressToken: 't' } },
  } as const
  const ctx = new CallContext(message, {
    revision,
    client: new ClientView(undefined, {}),
    caller: {},
    logLevel: 'debug',
    exchange: {
      duplex: false,
      send: (frame) => {
        sent.push((JSON.parse(frame) as { params: Record<string, unknown> }).params)
        return pressure
      },
    },
  })
  return { ctx, sent }
}

describe('ctx.progress', () => {
  it('returns the same promise to all callers while the client reads slowly', async () => {
    const { promise, resolve } = deferred()
    const { ctx, sent } = createContext(promise)
    const promises = new Set(Array.from({ length: 1_000 }, (_, i) => ctx.progress(i)))
    expect([sent.length, promises.size]).toEqual([1_000, 1])
    resolve()
    await Promise.all(promises)
  })
})

describe('a request context with invalid values', () => {
  it('drops progress that is not a finite number', async () => {
    const { ctx, sent } = createContext()
    for (const value of [Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, '7', 7n])
      await ctx.progress(value as number)
    await ctx.progress(1)
    expect(sent).toEqual([{ progressToken: 't', progress: 1 }])
  })

  it('omits a total that is not a finite number', async () => {
    const { ctx, sent } = createContext()
    await ctx.progress(1, Number.POSITIVE_INFINITY)
    await ctx.progress(2, Number.NaN)
    expect(sent).toEqual([
      { progressToken: 't', progress: 1 },
      { progressToken: 't', progress: 2 },
    ])
  })

  it.each([undefined, () => 1, Symbol('nothing'), { toJSON: () => undefined }])(
    'logs null for data that JSON cannot represent: %s',
    (data) => {
      const { ctx, sent } = createContext()
      ctx.log.error(data)
      expect(sent).toEqual([{ level: 'error', data: null }])
    },
  )

  it('omits a logger name that is not a string', () => {
    const { ctx, sent } = createContext()
    ctx.log.error('oh', 7 as never)
    expect(sent).toEqual([{ level: 'error', data: 'oh' }])
  })

  it('replaces data that cannot be serialised with a placeholder', () => {
    const { ctx, sent } = createContext()
    ctx.log.error({ big: 1n })
    expect(sent).toEqual([{ level: 'error', data: '[data that cannot be serialised]' }])
  })
})
