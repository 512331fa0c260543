import type { SessionRecord, SessionStore } from '@jetway/core/stores'
import { describe, expect, it } from 'vitest'

/** An empty store for one test, and its clock. */
export interface SessionStoreSubject {
  readonly store: SessionStore
  /** Advances the store's clock, in ms. */
  readonly pass: (ms: number) => Promise<void>
}

/** Creates a new store for each test. */
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

const LIFETIME = { ttlMs: TTL }

function records(create: CreateSessionStore): void {
  it('returns the complete record', async () => {
    const { store } = await create()
    const full = record({
      logLevel: 'debug',
      stream: { node: 'node-1', token: 'stream-1' },
      pendingUrls: [{ id: 'url-1', until: 1_700_000_000_000 }],
    })
    const version = await store.create(full, LIFETIME)
    expect(await store.get(full)).toMatchObject({ record: full, version })
    const bare = record({ id: 'session-2', principal: '', client: { capabilities: {} } })
    await store.create(bare, LIFETIME)
    expect((await store.get(bare))?.record).toEqual(bare)
  })

  it('returns undefined for an unknown id', async () => {
    const { store } = await create()
    const never = { principal: 'alice', id: 'never' }
    expect(await store.get(never)).toBeUndefined()
    expect(await store.delete(never)).toBe(false)
    expect(await store.get(never, TTL)).toBeUndefined()
    expect(await store.replace(record(never), 'any', TTL)).toBeUndefined()
    expect(await store.get(never)).toBeUndefined()
  })

  it('finds a record by its principal and id together', async () => {
    const { store } = await create()
    await store.create(record(), LIFETIME)
    const version = await store.create(record({ principal: 'bob', subscriptions: [] }), LIFETIME)
    for (const principal of ['', 'Alice', 'alice ', 'mallory']) {
      expect(await store.get({ principal, id: 'session-1' })).toBeUndefined()
      expect(await store.replace(record({ principal }), version, TTL)).toBeUndefined()
      expect(await store.delete({ principal, id: 'session-1' })).toBe(false)
    }
    const subscriptions = async (principal: string): Promise<unknown> =>
      (await store.get({ principal, id: 'session-1' }))?.record.subscriptions
    expect(await subscriptions('bob')).toEqual([])
    expect(await subscriptions('alice')).toEqual(['test://a'])
  })

  it.each([
    ['a:b', 'c', 'a', 'b:c'],
    ['a', '', '', 'a'],
    ['a\n', 'b', 'a', '\nb'],
    ['*', 'x', 'y', 'x'],
    ['{a}', 'b', '{a', '}b'],
    ['["a"', 'b]', 'a', 'b'],
    ['__proto__', 'a', 'constructor', 'a'],
  ])(
    'distinguishes the principal and id %j %j from %j %j',
    async (principal, id, otherPrincipal, otherId) => {
      const { store } = await create()
      await store.create(record({ principal, id }), LIFETIME)
      expect(await store.get({ principal: otherPrincipal, id: otherId })).toBeUndefined()
      expect((await store.get({ principal, id }))?.record).toEqual(record({ principal, id }))
    },
  )
}

function changes(create: CreateSessionStore): void {
  it('replaces a record if its version has not changed', async () => {
    const { store } = await create()
    const first = await store.create(record({ initialized: false }), LIFETIME)
    const second = await store.replace(record(), first, TTL)
    expect(second).toBeTypeOf('string')
    expect(second).not.toBe(first)
    expect(await store.get(record())).toMatchObject({ record: record(), version: second })
  })

  it('changes nothing if the record has another version', async () => {
    const { store } = await create()
    const first = await store.create(record(), LIFETIME)
    const second = await store.replace(record({ logLevel: 'debug' }), first, TTL)
    expect(await store.replace(record({ logLevel: 'error' }), first, TTL)).toBeUndefined()
    expect(await store.get(record())).toMatchObject({ record: { logLevel: 'debug' }, version: second })
  })

  it('applies only one of many concurrent changes', async () => {
    const { store } = await create()
    const version = await store.create(record(), LIFETIME)
    const uris = Array.from({ length: 20 }, (_, i) => `test://${i}`)
    const versions = await Promise.all(
      uris.map(async (uri) => store.replace(record({ subscriptions: [uri] }), version, TTL)),
    )
    const won = uris.filter((_, i) => versions[i] !== undefined)
    expect(won).toHaveLength(1)
    expect((await store.get(record()))?.record.subscriptions).toEqual(won)
  })

  it('does not restore a deleted record', async () => {
    const { store } = await create()
    const version = await store.create(record(), LIFETIME)
    expect(await store.delete(record())).toBe(true)
    expect(await store.replace(record(), version, TTL)).toBeUndefined()
    expect(await store.get(record())).toBeUndefined()
    expect(await store.delete(record())).toBe(false)
  })
}

function lifetimes(create: CreateSessionStore): void {
  it('drops a record after its TTL, which is restarted by `replace` and by `get` with a TTL', async () => {
    const { store, pass } = await create()
    const versions = new Map<string, string>()
    for (const id of ['left', 'read', 'renewed', 'replaced'])
      versions.set(id, await store.create(record({ id }), LIFETIME))
    const known = async (id: string): Promise<boolean> =>
      (await store.get({ principal: 'alice', id })) !== undefined
    await pass(TTL * 0.7)
    await store.get({ principal: 'alice', id: 'read' })
    await store.get({ principal: 'alice', id: 'renewed' }, TTL)
    await store.replace(record({ id: 'replaced' }), versions.get('replaced') ?? '', TTL)
    await pass(TTL * 0.7)
    expect(await Promise.all(['left', 'read', 'renewed', 'replaced'].map(known))).toEqual([
      false,
      false,
      true,
      true,
    ])
    await pass(TTL)
    expect(await known('renewed')).toBe(false)
    expect(await store.replace(record({ id: 'renewed' }), versions.get('renewed') ?? '', TTL)).toBeUndefined()
    expect(await store.delete({ principal: 'alice', id: 'replaced' })).toBe(false)
  })

  it("keeps a record's version when its TTL restarts", async () => {
    const { store } = await create()
    const version = await store.create(record(), LIFETIME)
    expect((await store.get(record(), TTL))?.version).toBe(version)
    expect(await store.replace(record({ logLevel: 'debug' }), version, TTL)).toBeTypeOf('string')
  })
}

function limits(create: CreateSessionStore): void {
  it('drops the record that expires first if a principal has too many records', async () => {
    const { store, pass } = await create()
    const limited = { ...LIFETIME, maxPerPrincipal: 2 }
    const held = async (principal: string): Promise<string[]> => {
      const ids = ['a', 'b', 'c', 'd']
      const found = await Promise.all(ids.map(async (id) => store.get({ principal, id })))
      return ids.filter((_, i) => found[i] !== undefined)
    }
    for (const id of ['a', 'b']) {
      await store.create(record({ id }), limited)
      await pass(10)
    }
    await store.get({ principal: 'alice', id: 'a' }, TTL)
    await pass(10)
    await store.create(record({ id: 'c' }), limited)
    expect(await held('alice')).toEqual(['a', 'c'])
    await store.delete({ principal: 'alice', id: 'c' })
    await pass(10)
    await store.create(record({ id: 'd' }), limited)
    expect(await held('alice')).toEqual(['a', 'd'])
    for (const id of ['a', 'b', 'c', 'd']) await store.create(record({ id, principal: '' }), LIFETIME)
    expect(await held('')).toEqual(['a', 'b', 'c', 'd'])
  })

  it('does not drop a new record, even if it expires first', async () => {
    const { store, pass } = await create()
    const ids = ['a', 'b', 'c', 'd', 'opened', 'opened too']
    for (const id of ids) {
      const ttlMs = id.startsWith('opened') ? 10 * TTL : 20 * TTL
      await store.create(record({ id }), { ttlMs, maxPerPrincipal: 4 })
      await pass(10)
    }
    const found = await Promise.all(ids.map(async (id) => store.get({ principal: 'alice', id })))
    expect(ids.filter((_, i) => found[i] !== undefined)).toEqual(['c', 'd', 'opened', 'opened too'])
  })
}

/** The contract of a SessionStore, as Vitest tests. Calls `create` for each of them. */
export function describeSessionStore(name: string, create: CreateSessionStore): void {
  describe(`a session store: ${name}`, () => {
    records(create)
    changes(create)
    lifetimes(create)
    limits(create)
  })
}
