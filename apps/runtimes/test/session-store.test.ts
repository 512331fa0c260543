import type { SessionRecord } from '@jetway/core/stores'
import { expect, it } from 'vitest'
import { ObjectSessionStore, type ObjectStorage } from '../src/session-store.ts'

const record: SessionRecord = {
  id: 'session-1',
  principal: 'alice',
  revision: '1999-12-31',
  client: { capabilities: {} },
  initialized: true,
  createdAt: 0,
  listChanged: [],
  subscriptions: [],
}

/** Creates the storage of an object, which also records the time of the object's alarm. */
function createStorage(): { readonly storage: ObjectStorage; readonly alarm: () => number } {
  const entries = new Map<string, unknown>()
  let alarm = 0
  const storage: ObjectStorage = {
    get: <T>(key: string) => Promise.resolve(structuredClone(entries.get(key)) as T | undefined),
    put: async (key, value) => void entries.set(key, structuredClone(value)),
    deleteAll: async () => entries.clear(),
    setAlarm: async (time) => void (alarm = time),
  }
  return { storage, alarm: () => alarm }
}

it('the store returns a session only for the matching principal and id', async () => {
  const store = new ObjectSessionStore(createStorage().storage)
  expect(await store.get(record)).toBeUndefined()
  await store.create(record, { ttlMs: 1_000 })
  expect((await store.get(record))?.record).toEqual(record)
  for (const other of [{ principal: 'mallory' }, { id: 'session-2' }]) {
    const key = { ...record, ...other }
    expect(await store.get(key)).toBeUndefined()
    expect(await store.replace(key, 'any', 1_000)).toBeUndefined()
    expect(await store.delete(key)).toBe(false)
  }
  expect(await store.delete(record)).toBe(true)
  expect(await store.get(record)).toBeUndefined()
})

it('the store replaces a record only if the caller has read its latest version', async () => {
  const store = new ObjectSessionStore(createStorage().storage)
  const first = await store.create(record, { ttlMs: 1_000 })
  const changed: SessionRecord = { ...record, subscriptions: ['test://a'] }
  const second = await store.replace(changed, first, 1_000)
  expect(await store.get(record)).toEqual({ record: changed, version: second })
  expect(await store.replace(record, first, 1_000)).toBeUndefined()
  expect((await store.get(record))?.record).toEqual(changed)
})

it("the store sets the object's alarm to the session's expiry", async () => {
  const { storage, alarm } = createStorage()
  const store = new ObjectSessionStore(storage)
  const start = Date.now()
  await store.create(record, { ttlMs: 1_000_000 })
  expect(alarm()).toBeGreaterThanOrEqual(start + 1_000_000)
  await store.get(record)
  await store.get(record, 9_000_000)
  expect(alarm()).toBeGreaterThanOrEqual(start + 9_000_000)
})
