import type {
  SessionKey,
  SessionLifetime,
  SessionRecord,
  SessionStore,
  StoredSession,
} from '@jetway/core/stores'
import type { Commands } from '../commands/commands.ts'
import { hashOf, hashOfSession, type Keys, sha1 } from '../keys.ts'
import { ADD_TO_PRINCIPAL, RENEW_OF_PRINCIPAL, REPLACE } from '../scripts/sessions.ts'
import { orMissing, readSession } from './read-records.ts'

/** Stores each session record as JSON in a key that expires. The text of a record is its version. */
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
      (dropped as readonly string[]).filter((other) => other !== hash).map((other) => this.#drop(other)),
    )
    return version
  }

  async get(key: SessionKey, ttlMs?: number): Promise<StoredSession | undefined> {
    const { hash, key: name } = this.#locate(key)
    const args = ttlMs === undefined ? ['GET', name] : ['GETEX', name, 'PX', wholeMs(ttlMs)]
    const renewed = ttlMs === undefined ? undefined : this.#renew(key, hash, ttlMs)
    const reading = this.#commands.run(name, args).catch(orMissing)
    const version = renewed === undefined ? await reading : (await Promise.all([reading, renewed]))[0]
    const record = typeof version === 'string' ? readSession(version, key) : undefined
    return record && { record, version: version as string }
  }

  async replace(record: SessionRecord, version: string, ttlMs: number): Promise<string | undefined> {
    const { hash, key } = this.#locate(record)
    const next = JSON.stringify(record)
    const [replaced] = await Promise.all([
      this.#commands.script(REPLACE, [key], [sha1(version), next, wholeMs(ttlMs)]).catch(orMissing),
      this.#renew(record, hash, ttlMs),
    ])
    return replaced === 1 ? next : undefined
  }

  async delete(key: SessionKey): Promise<boolean> {
    const { hash, key: name } = this.#locate(key)
    const index = this.#keys.principal(hashOf(key.principal))
    const [deleted] = await Promise.all([
      this.#commands.run(name, ['UNLINK', name]),
      this.#commands.run(index, ['ZREM', index, hash]).catch(orMissing),
    ])
    return deleted === 1
  }

  /** Deletes a session from the index, together with its streams, which can no longer be resumed. */
  async #drop(hash: string): Promise<void> {
    const name = this.#keys.session(hash)
    const { streams } = this.#keys.ofStreamHash(hash, '')
    const found = await this.#commands.run(name, ['ZRANGE', streams, '0', '-1']).catch(orMissing)
    const tokens = (found ?? []) as readonly string[]
    const keys = tokens.map((token) => this.#keys.ofStreamHash(hash, token))
    const all = [name, streams, ...keys.flatMap(({ state, events }) => [state, events])]
    await this.#commands.run(name, ['UNLINK', ...all])
  }

  /** Renews a session in the index of its principal, or of all anonymous clients. */
  async #renew({ principal }: SessionKey, hash: string, ttlMs: number): Promise<void> {
    const index = this.#keys.principal(hashOf(principal))
    await this.#commands.script(RENEW_OF_PRINCIPAL, [index], [hash, wholeMs(ttlMs)]).catch(orMissing)
  }

  #locate({ principal, id }: SessionKey): { readonly hash: string; readonly key: string } {
    const hash = hashOfSession({ principal, session: id })
    return { hash, key: this.#keys.session(hash) }
  }
}

/** Rounds up to whole milliseconds, and to at least 1, because Redis requires that. */
const wholeMs = (ms: number): string => String(Math.max(1, Math.ceil(ms)))
