import type {
  SessionKey,
  SessionLifetime,
  SessionRecord,
  SessionStore,
  StoredSession,
} from '@jetway/core/stores'

/** The part of Durable Object storage that the store uses. */
export interface ObjectStorage {
  get<T>(key: string): Promise<T | undefined>
  put(key: string, value: unknown): Promise<void>
  deleteAll(): Promise<void>
  setAlarm(time: number): Promise<void>
}

// #region store
/**
 * Keeps an object's only session in the object's storage. The object's alarm deletes the session when it
 * expires.
 */
export class ObjectSessionStore implements SessionStore {
  readonly #storage: ObjectStorage

  constructor(storage: ObjectStorage) {
    this.#storage = storage
  }

  create(record: SessionRecord, { ttlMs }: SessionLifetime): Promise<string> {
    return this.#put(record, ttlMs)
  }

  async get({ principal, id }: SessionKey, ttlMs?: number): Promise<StoredSession | undefined> {
    const stored = await this.#storage.get<StoredSession>('session')
    if (stored?.record.principal !== principal || stored.record.id !== id) return undefined
    if (ttlMs !== undefined) await this.#storage.setAlarm(Date.now() + ttlMs)
    return stored
  }

  async replace(record: SessionRecord, version: string, ttlMs: number): Promise<string | undefined> {
    const stored = await this.get(record)
    return stored?.version === version ? this.#put(record, ttlMs) : undefined
  }

  async delete(key: SessionKey): Promise<boolean> {
    if ((await this.get(key)) === undefined) return false
    await this.#storage.deleteAll()
    return true
  }

  async #put(record: SessionRecord, ttlMs: number): Promise<string> {
    const version = crypto.randomUUID()
    await this.#storage.put('session', { record, version })
    await this.#storage.setAlarm(Date.now() + ttlMs)
    return version
  }
}
// #endregion
