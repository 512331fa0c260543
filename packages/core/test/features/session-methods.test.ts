import { describe, expect, it } from 'vitest'
import { tieredEngine } from '../../src/schema/tiered-engine.ts'
import { createFeatures, type Features } from '../../src/features/features.ts'
import { LOG_LEVELS } from '../../src/protocol/types.ts'
import type { CallSession } from '../../src/call/scope.ts'
import { call, mcpErrorOf } from './helpers.ts'
import { PARTS } from './parts.ts'

interface Kept {
  subscriptions: readonly string[]
  logLevel?: string
}

/** Returns the options of a call in a session that records its updates. */
function session(subscriptions: readonly string[] = []) {
  const kept: Kept = { subscriptions }
  const updates: object[] = []
  const own: CallSession = {
    id: 'own',
    record: kept,
    logLevel: undefined,
    addPendingUrls: () => {},
    update: (change) => {
      const changed = change(own.record)
      updates.push(changed)
      Object.assign(kept, changed)
    },
    closed: false,
    channel: undefined,
    onClose: () => {},
    holdOpen: () => () => {},
  }
  return { kept, updates, options: { scope: { session: own } } }
}

function serve(): Features {
  const features = createFeatures({
    ...PARTS,
    schemas: tieredEngine(),
    publish: () => {},
  })
  features.resources.registry.add({ uri: 'a://b', name: 'b', handler: () => 'x' })
  features.resources.templates.registry.add({ uriTemplate: 'w://{city}', name: 'w', handler: () => 'x' })
  return features
}

describe('logging/setLevel', () => {
  it.each(LOG_LEVELS)('stores the level %s in the session', async (level) => {
    const { kept, options } = session()
    expect(await call(serve().methods, 'logging/setLevel', { level }, options)).toEqual({})
    expect(kept.logLevel).toBe(level)
  })

  it.each([['loud'], [''], ['INFO'], [undefined], [null], [3], ['toString']])(
    'rejects %j with -32602, and stores nothing',
    async (level) => {
      const { updates, options } = session()
      expect(
        (await mcpErrorOf(() => call(serve().methods, 'logging/setLevel', { level }, options))).code,
      ).toBe(-32602)
      expect(updates).toEqual([])
    },
  )

  it('succeeds without a session', async () => {
    expect(await call(serve().methods, 'logging/setLevel', { level: 'error' })).toEqual({})
  })
})

describe('resources/subscribe', () => {
  it.each(['a://b', 'w://oslo'])(
    'stores a subscription to %s only once, even if the request is sent again',
    async (uri) => {
      const { kept, options } = session(['a://other'])
      for (let i = 0; i < 3; i++)
        expect(await call(serve().methods, 'resources/subscribe', { uri }, options)).toEqual({})
      expect(kept.subscriptions).toEqual(['a://other', uri])
    },
  )

  it('rejects an unknown resource', async () => {
    const { updates, options } = session()
    const error = await mcpErrorOf(() =>
      call(serve().methods, 'resources/subscribe', { uri: 'q://x' }, options),
    )
    expect(error).toMatchObject({ reason: 'resource-not-found', data: { uri: 'q://x' } })
    expect(updates).toEqual([])
  })

  it('accepts URIs with 65,536 characters in total, and rejects more with an error that names the limit', async () => {
    const long = (n: number): string => `w://${n}${'x'.repeat(8_187)}`
    const { kept, options } = session(Array.from({ length: 7 }, (_, n) => long(n)))
    const { methods } = serve()
    await call(methods, 'resources/subscribe', { uri: long(7) }, options)
    const error = await mcpErrorOf(() => call(methods, 'resources/subscribe', { uri: 'a://b' }, options))
    expect(error).toMatchObject({ code: -32602, message: expect.stringContaining('65536') })
    expect(kept.subscriptions.join('')).toHaveLength(65_536)
    await call(methods, 'resources/subscribe', { uri: long(7) }, options)
    await call(methods, 'resources/unsubscribe', { uri: long(2) }, options)
    await call(methods, 'resources/subscribe', { uri: 'a://b' }, options)
    expect(kept.subscriptions).toHaveLength(8)
  })

  it('accepts 1024 subscriptions, and rejects the next with an error that names the limit', async () => {
    const many = Array.from({ length: 1023 }, (_, i) => `w://${i}`)
    const { kept, options } = session(many)
    const { methods } = serve()
    await call(methods, 'resources/subscribe', { uri: 'w://last' }, options)
    const error = await mcpErrorOf(() => call(methods, 'resources/subscribe', { uri: 'a://b' }, options))
    expect(error).toMatchObject({ code: -32602, message: expect.stringContaining('1024') })
    expect(kept.subscriptions).toHaveLength(1024)
    await call(methods, 'resources/subscribe', { uri: 'w://last' }, options)
    await call(methods, 'resources/unsubscribe', { uri: 'w://5' }, options)
    await call(methods, 'resources/subscribe', { uri: 'a://b' }, options)
    expect(kept.subscriptions.at(-1)).toBe('a://b')
  })

  it.each(['resources/subscribe', 'resources/unsubscribe'])(
    'rejects an invalid uri with -32602: %s',
    async (method) => {
      for (const uri of [undefined, 5, null]) {
        expect((await mcpErrorOf(() => call(serve().methods, method, { uri }, session().options))).code).toBe(
          -32602,
        )
      }
    },
  )

  it.each(['resources/subscribe', 'resources/unsubscribe'])('requires a session: %s', async (method) => {
    const error = await mcpErrorOf(() => call(serve().methods, method, { uri: 'a://b' }))
    expect(error).toMatchObject({ code: -32600, message: expect.stringContaining('session') })
  })
})

describe('resources/unsubscribe', () => {
  it('ends only the given subscription, even if the resource no longer exists', async () => {
    const { kept, options } = session(['gone://x', 'a://b'])
    expect(await call(serve().methods, 'resources/unsubscribe', { uri: 'gone://x' }, options)).toEqual({})
    expect(kept.subscriptions).toEqual(['a://b'])
  })

  it('succeeds even if the subscription does not exist, and keeps the others', async () => {
    const { kept, options } = session(['a://b'])
    expect(await call(serve().methods, 'resources/unsubscribe', { uri: 'q://x' }, options)).toEqual({})
    expect(kept.subscriptions).toEqual(['a://b'])
  })
})
