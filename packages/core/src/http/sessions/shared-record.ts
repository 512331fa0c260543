import type { ChangeRecord } from '../../session/session-keeper.ts'
import type { Session } from '../../session/session.ts'
import type { SessionKey, SessionRecord, SessionStore, StoredSession } from '../../stores/session-store.ts'
import type { Clock } from '../../util/clock.ts'
import type { Logger } from '../../util/logger.ts'
import { InOrder } from '../../util/promises.ts'
import { fromStore } from '../streams/store-failure.ts'

/**
 * The maximum number of attempts to save a change. An attempt fails if another process changes the record at
 * the same time.
 */
const TRIES = 5
/** The maximum number of changes that wait while the store is failing. Beyond it, the oldest change is dropped. */
const MAX_UNSAVED = 256
/** The fraction of its time to live after which the record of a session in use is renewed. */
const RENEW = 0.25

/** The store and the settings for all shared records of a mount. */
export interface SharedRecords {
  readonly store: SessionStore
  readonly clock: Clock
  readonly logger: Logger
  /** How long a record is assumed to be unchanged after it was read, in ms. */
  readonly verifyMs: number
  /** Returns how long a session with this record may be idle, in ms. */
  readonly ttlMs: (record: SessionRecord) => number
}

/**
 * Returns a time that is longer than the session's time to live, so that the session need not be renewed in the
 * store for every request.
 */
export const storedMs = (ttlMs: number): number => ttlMs * (1 + RENEW)

/** Synchronizes a session's record with the store, where other processes also change it. */
export class SharedRecord {
  readonly #shared: SharedRecords
  readonly #session: Session
  #version: string
  #checkedAt: number
  #renewedAt: number
  #unsaved: ChangeRecord[] = []
  readonly #steps = new InOrder()
  #verifying: Promise<boolean> | undefined

  /** @param version - the version of the session's record, which has just been read or written */
  constructor(shared: SharedRecords, session: Session, version: string) {
    this.#shared = shared
    this.#session = session
    this.#version = version
    this.#checkedAt = shared.clock.now()
    this.#renewedAt = this.#checkedAt
  }

  /** Returns whether a request must wait until the record has been reread, or renewed in the store. */
  mustVerify(now: number): boolean {
    return Math.abs(now - this.#checkedAt) >= this.#shared.verifyMs || this.isRenewalDue(now)
  }

  isRenewalDue(now: number): boolean {
    // The clock may have been set back.
    return Math.abs(now - this.#renewedAt) > this.#shared.ttlMs(this.#session.record) * RENEW
  }

  /**
   * Reads the record, and adopts the changes of other processes. Resolves to false if the session has ended.
   *
   * @throws StoreFailure
   */
  verify(): Promise<boolean> {
    this.#verifying ??= Promise.resolve(this.#steps.run(() => this.#verify())).finally(() => {
      this.#verifying = undefined
    })
    return this.#verifying
  }

  /**
   * Rereads the record because another process has changed it. Requests that arrive during the read wait
   * until it has finished.
   */
  refresh(): Promise<boolean> {
    this.#checkedAt = -Infinity
    return this.verify()
  }

  /**
   * Stores a change that has already been applied to the local record. If the store fails, the change is
   * stored later.
   */
  async save(change: ChangeRecord): Promise<void> {
    this.#unsaved.push(change)
    if (this.#unsaved.length > MAX_UNSAVED) this.#unsaved.shift()
    await this.#steps.run(() => this.#saveChanges())
  }

  get #key(): SessionKey {
    const { principal, id } = this.#session.record
    return { principal, id }
  }

  get #storedMs(): number {
    return storedMs(this.#shared.ttlMs(this.#session.record))
  }

  async #verify(): Promise<boolean> {
    const { store, clock } = this.#shared
    const now = clock.now()
    const due = this.isRenewalDue(now)
    // Another node may have initialized the session and extended its lifetime.
    const { initialized } = this.#session.record
    const stored = await fromStore(() =>
      store.get(this.#key, due && initialized ? this.#storedMs : undefined),
    )
    if (stored === undefined) return false
    this.#adopt(stored)
    this.#checkedAt = now
    if (due && initialized) this.#renewedAt = now
    else if (due) await fromStore(() => this.#replace())
    // A store that is out of memory can be read but not changed. The session continues.
    if (this.#unsaved.length > 0) await this.#saveChanges()
    return true
  }

  async #saveChanges(): Promise<void> {
    try {
      await this.#flush()
    } catch (error) {
      this.#shared.logger.error({ err: error }, 'A session store failed. The change is stored later')
    }
  }

  async #flush(): Promise<void> {
    const { store } = this.#shared
    for (let left = TRIES; this.#unsaved.length > 0 && left > 0; left--) {
      const { length } = this.#unsaved
      if (await this.#replace()) {
        this.#unsaved.splice(0, length)
        continue
      }
      const stored = await store.get(this.#key)
      if (stored === undefined) return
      this.#adopt(stored)
    }
  }

  async #replace(): Promise<boolean> {
    const { store, clock } = this.#shared
    const version = await store.replace(this.#session.record, this.#version, this.#storedMs)
    if (version === undefined) return false
    this.#version = version
    this.#checkedAt = this.#renewedAt = clock.now()
    return true
  }

  #adopt(stored: StoredSession): void {
    if (stored.version === this.#version) return
    let own = stored.record
    for (const change of this.#unsaved) own = { ...own, ...change(own) }
    this.#session.adopt(own)
    this.#version = stored.version
  }
}
