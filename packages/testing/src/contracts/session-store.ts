import type { SessionRecord, SessionStore } from '@jetway/core/stores'
import { describe, expect, it } from 'vitest'

export interface SessionStoreSubject {
  readonly store: SessionStore
  /** Advances the store's clock, in ms. */
  readonly pass: (ms: number) => Promise<void>
}

export type CreateSessionStore = () => SessionStoreSubject | Promise<SessionStoreSubject>

const TTL = 1_000

const record = (change: Partial<SessionRecord> = {}): SessionRecord => ({
  id: 'session-1',
  principal: 'alice',
  revision: '1999-12-31',
  client: { info: { name: 'test', version: '1' }, capabilities: { roots: { listChanged: true } } },
  initialized: true,
  createdAt: 1_700_000_000_000,
  listChanged: ['tools'],
  subscriptions: ['test://a'],
  ...change,
})

function records(create: CreateSessionStore): void {
  it('returns a stored record whole', async () => {
    const { store } = await create()
    const full = record({ logLevel: 'debug' })
    await store.put(full, TTL)
    expect(await store.get(full)).toEqual(full)
    const bare = record({ id: 'session-2', principal: '', client: { capabilities: {} } })
    await store.put(bare, TTL)
    expect(await store.get(bare)).toEqual(bare)
  })

  it('returns undefined for an unknown id', async () => {
    const { store } = await create()
    expect(await store.get({ principal: 'alice', id: 'never' })).toBeUndefined()
    expect(await store.delete({ principal: 'alice', id: 'never' })).toBe(false)
    await store.touch({ principal: 'alice', id: 'never' }, TTL)
    expect(await store.get({ principal: 'alice', id: 'never' })).toBeUndefined()
  })

  it('finds a record by principal and id together', async () => {
    const { store } = await create()
    await store.put(record(), TTL)
    await store.put(record({ principal: 'bob', subscriptions: [] }), TTL)
    for (const principal of ['', 'Alice', 'alice ', 'mallory']) {
      expect(await store.get({ principal, id: 'session-1' })).toBeUndefined()
      expect(await store.delete({ principal, id: 'session-1' })).toBe(false)
    }
    expect((await store.get({ principal: 'bob', id: 'session-1' }))?.subscriptions).toEqual([])
    expect((await store.get({ principal: 'alice', id: 'session-1' }))?.subscriptions).toEqual(['test://a'])
  })

  it.each([
    ['a:b', 'c', 'a', 'b:c'],
    ['a', '', '', 'a'],
    ['a\n', 'b', 'a', '\nb'],
    ['*', 'x', 'y', 'x'],
    ['["a"', 'b]', 'a', 'b'],
    ['__proto__', 'a', 'constructor', 'a'],
  ])(
    'takes no principal and id for another: %j %j, %j %j',
    async (principal, id, otherPrincipal, otherId) => {
      const { store } = await create()
      await store.put(record({ principal, id }), TTL)
      expect(await store.get({ principal: otherPrincipal, id: otherId })).toBeUndefined()
      expect(await store.get({ principal, id })).toEqual(record({ principal, id }))
    },
  )
}

function lifetimes(create: CreateSessionStore): void {
  it('replaces a record that is put again', async () => {
    const { store } = await create()
    await store.put(record({ initialized: false }), TTL)
    await store.put(record({ initialized: true }), TTL)
    expect((await store.get(record()))?.initialized).toBe(true)
  })

  it('deletes a record, and reports whether there was one', async () => {
    const { store } = await create()
    await store.put(record(), TTL)
    expect(await store.delete(record())).toBe(true)
    expect(await store.delete(record())).toBe(false)
    expect(await store.get(record())).toBeUndefined()
  })

  it('drops a record after its TTL, which put and touch restart', async () => {
    const { store, pass } = await create()
    for (const id of ['left', 'touched', 'put']) await store.put(record({ id }), TTL)
    await pass(TTL * 0.7)
    await store.touch({ principal: 'alice', id: 'touched' }, TTL)
    await store.put(record({ id: 'put' }), TTL)
    await pass(TTL * 0.7)
    expect(await store.get({ principal: 'alice', id: 'left' })).toBeUndefined()
    expect(await store.get({ principal: 'alice', id: 'touched' })).toBeDefined()
    expect(await store.get({ principal: 'alice', id: 'put' })).toBeDefined()
    await pass(TTL)
    expect(await store.get({ principal: 'alice', id: 'touched' })).toBeUndefined()
    expect(await store.delete({ principal: 'alice', id: 'put' })).toBe(false)
  })
}

/** The contract of a SessionStore. Calls `create` for each test. */
export function describeSessionStore(name: string, create: CreateSessionStore): void {
  describe(`a session store: ${name}`, () => {
    records(create)
    lifetimes(create)
  })
}
