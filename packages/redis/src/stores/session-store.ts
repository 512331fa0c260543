import {
  ANONYMOUS,
  type SessionKey,
  type SessionLifetime,
  type SessionRecord,
  type SessionStore,
  type StoredSession,
} from '@jetway/core/stores'
import type { Commands } from '../commands/commands.ts'
import { hashOf, hashOfSession, type Keys } from '../keys.ts'
import { ADD_TO_PRINCIPAL, RENEW_OF_PRINCIPAL, REPLACE } from '../scripts/sessions.ts'

/** Stores each session record as JSON in an expiring key. The text of a record is its version. */
export class RedisSessionStore implements SessionStore {
  readonly #commands: Commands
  readonly #keys: Keys

  constructor(commands: Commands, keys: Keys) {
    this.#commands = commands
    this.#keys = keys
  }

  async create(record: SessionRecord, { ttlMs, maxPerPrincipal }: SessionLifetime): Promise<string> {
    const { hash, key } = this.#locate(record)
    const version = JSON.stringify(record)
    const ms = wholeMs(ttlMs)
    const write = this.#commands.run(key, ['SET', key, version, 'PX', ms])
    if (maxPerPrincipal === undefined) {
      await write
      return version
    }
    const index = this.#keys.principal(hashOf(record.principal))
    const add = this.#commands.script(ADD_TO_PRINCIPAL, [index], [hash, ms, maxPerPrincipal])
    const [dropped] = await Promise.all([add, write])
    await Promise.all(
      (dropped as readonly string[])
        .filter((other) => other !== hash)
        .map((other) => this.#keys.session(other))
        .map(async (other) => this.#commands.run(other, ['UNLINK', other])),
    )
    return version
  }

  async get(key: SessionKey, ttlMs?: number): Promise<StoredSession | undefined> {
    const { hash, key: name } = this.#locate(key)
    const args = ttlMs === undefined ? ['GET', name] : ['GETEX', name, 'PX', wholeMs(ttlMs)]
    const renewed = ttlMs === undefined ? undefined : this.#renew(key, hash, ttlMs)
    const reading = this.#commands.run(name, args)
    const version = renewed === undefined ? await reading : (await Promise.all([reading, renewed]))[0]
    return typeof version === 'string' ? new Stored(version) : undefined
  }

  async replace(record: SessionRecord, version: string, ttlMs: number): Promise<string | undefined> {
    const { hash, key } = this.#locate(record)
    const next = JSON.stringify(record)
    const [replaced] = await Promise.all([
      this.#commands.script(REPLACE, [key], [version, next, wholeMs(ttlMs)]),
      this.#renew(record, hash, ttlMs),
    ])
    return replaced === 1 ? next : undefined
  }

  async delete(key: SessionKey): Promise<boolean> {
    const { hash, key: name } = this.#locate(key)
    const index = this.#keys.principal(hashOf(key.principal))
    const [deleted] = await Promise.all([
      this.#commands.run(name, ['UNLINK', name]),
      key.principal !== ANONYMOUS && this.#commands.run(index, ['ZREM', index, hash]),
    ])
    return deleted === 1
  }

  /**
   * Renews a session in its principal's index. Anonymous clients have no index, because their sessions are
   * not limited.
   */
  async #renew({ principal }: SessionKey, hash: string, ttlMs: number): Promise<void> {
    if (principal === ANONYMOUS) return
    const index = this.#keys.principal(hashOf(principal))
    await this.#commands.script(RENEW_OF_PRINCIPAL, [index], [hash, wholeMs(ttlMs)])
  }

  #locate({ principal, id }: SessionKey): { readonly hash: string; readonly key: string } {
    const hash = hashOfSession({ principal, session: id })
    return { hash, key: this.#keys.session(hash) }
  }
}

/** Parses a record on first use, because most are read only to see that they have not changed. */
class Stored implements StoredSession {
  readonly version: string

  constructor(version: string) {
    this.version = version
  }

  get record(): SessionRecord {
    return JSON.parse(this.version) as SessionRecord
  }
}

/** Rounds up to whole milliseconds, at least 1, as Redis requires. */
const wholeMs = (ms: number): string => String(Math.max(1, Math.ceil(ms)))
