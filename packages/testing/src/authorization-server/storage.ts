/** An entry stored by `oidc-provider`: a session, grant, code, token or registered client. */
export interface StoredPayload {
  uid?: string
  grantId?: string
  accountId?: string
  consumed?: unknown
  [member: string]: unknown
}

/** The adapter through which `oidc-provider` stores one kind of payload. */
export interface Storage {
  upsert(id: string, payload: StoredPayload, expiresIn: number | undefined): Promise<void>
  find(id: string): Promise<StoredPayload | undefined>
  findByUid(uid: string): Promise<StoredPayload | undefined>
  findByUserCode(): Promise<undefined>
  consume(id: string): Promise<void>
  destroy(id: string): Promise<void>
  revokeByGrantId(grantId: string): Promise<void>
}

interface Entry {
  readonly kind: string
  readonly payload: StoredPayload
  /** The expiry, in ms since 1970. */
  readonly expiresAt: number
}

/** The maximum number of entries. When it is exceeded, the oldest entries are dropped. */
const MAX_ENTRIES = 10_000

/** The kinds of entries that belong to a user who has signed in. */
const OF_USERS: ReadonlySet<string> = new Set(['Grant', 'AuthorizationCode', 'AccessToken', 'RefreshToken'])

/**
 * Keeps everything in memory, independently of any provider, so that a provider can be replaced by one with
 * other keys. The in-memory storage of `oidc-provider` itself would be shared by all authorization servers in
 * the process.
 */
export class MemoryStorage {
  readonly #entries = new Map<string, Entry>()

  /** Deletes the entries of one user, or of all users. */
  revoke(user: string | undefined): void {
    this.#delete(({ kind, payload }) => OF_USERS.has(kind) && [undefined, payload.accountId].includes(user))
  }

  of(kind: string): Storage {
    const entries = this.#entries
    const keyOf = (id: string): string => `${kind} ${id}`
    const find = (key: string): StoredPayload | undefined => {
      const entry = entries.get(key)
      if (entry === undefined || entry.expiresAt > Date.now()) return entry?.payload
      entries.delete(key)
      return undefined
    }
    return {
      async upsert(id, payload, expiresIn = Infinity) {
        entries.delete(keyOf(id))
        entries.set(keyOf(id), { kind, payload, expiresAt: Date.now() + expiresIn * 1000 })
        const [oldest] = entries.keys()
        if (entries.size > MAX_ENTRIES && oldest !== undefined) entries.delete(oldest)
      },
      find: async (id) => find(keyOf(id)),
      async findByUid(uid) {
        for (const [key, entry] of entries)
          if (entry.kind === kind && entry.payload.uid === uid) return find(key)
        return undefined
      },
      findByUserCode: async () => undefined,
      async consume(id) {
        const payload = find(keyOf(id))
        if (payload !== undefined) payload.consumed = Math.floor(Date.now() / 1000)
      },
      destroy: async (id) => void entries.delete(keyOf(id)),
      revokeByGrantId: async (grantId) =>
        this.#delete((entry) => entry.kind === kind && entry.payload.grantId === grantId),
    }
  }

  #delete(matches: (entry: Entry) => boolean): void {
    for (const [key, entry] of this.#entries) if (matches(entry)) this.#entries.delete(key)
  }
}
