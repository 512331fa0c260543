import { createHash } from 'node:crypto'

/** The owner and the id of a session or a stream. */
interface Owned {
  readonly principal: string
  readonly session: string
}

/** The maximum number of sessions whose hashes are kept. */
const MAX_HASHES = 1_000

/**
 * Builds the names of all keys. `1` is the version of the key layout. Principals and ids are hashed, so that
 * no name reveals them. The principal's length is hashed before the principal, so that no other input
 * produces the same name. Braces contain the part by which a cluster selects a node: it is the same for all
 * keys of a session, for all nodes, and for all tasks.
 */
export class Keys {
  readonly #prefix: string
  readonly #control: string
  readonly #tasks: string
  readonly #hashes = new Map<string, string>()

  constructor(namespace: string) {
    this.#prefix = `jw1:${namespace}:`
    this.#control = `{${namespace}}`
    this.#tasks = `${this.#prefix}k:{${namespace}:t}:`
  }

  session(hash: string): string {
    return `${this.#prefix}s:{${hash}}`
  }

  /** Returns the key of a principal's sessions, sorted by expiry. */
  principal(hash: string): string {
    return `${this.#prefix}p:{${hash}}`
  }

  ofStream(key: Owned & { readonly stream: string }): StreamKeys {
    return this.ofStreamHash(this.#hashOf(key), hashOf(key.stream))
  }

  /** Returns the hash of a session. Recent hashes are cached, because each response needs one. */
  #hashOf(session: Owned): string {
    const name = nameOf(session)
    const known = this.#hashes.get(name)
    if (known !== undefined) return known
    if (this.#hashes.size >= MAX_HASHES) this.#hashes.clear()
    const hash = hashOf(name)
    this.#hashes.set(name, hash)
    return hash
  }

  ofStreamHash(session: string, token: string): StreamKeys {
    return {
      session,
      token,
      state: `${this.#prefix}m:{${session}}:${token}`,
      events: `${this.#prefix}e:{${session}}:${token}`,
      streams: `${this.#prefix}x:{${session}}`,
    }
  }

  /** Returns two keys: a principal's used states, sorted by expiry, and the expiry of the last dropped state. */
  usedStates(principal: string): readonly [states: string, dropped: string] {
    const hash = hashOf(principal)
    return [`${this.#prefix}1:{${hash}}`, `${this.#prefix}2:{${hash}}`]
  }

  /** Returns the key that exists while a node is running. */
  lease(node: string): string {
    return `${this.#prefix}n:${this.#control}:${node}`
  }

  inbox(node: string): string {
    return `${this.#prefix}i:${this.#control}:${node}`
  }

  get bus(): string {
    return `${this.#prefix}b:${this.#control}`
  }

  get tasks(): TaskKeys {
    const of = (key: string): string => this.#tasks + key
    return [of('r'), of('h'), of('o'), of('d'), of('x'), of('b'), of('n'), of('s')]
  }
}

/** The keys of a stream. */
export interface StreamKeys {
  /** The hash of the session. */
  readonly session: string
  /** The name of the stream within `streams`. */
  readonly token: string
  readonly state: string
  readonly events: string
  /** The session's streams, sorted by start time. */
  readonly streams: string
}

export type TaskKeys = readonly [
  records: string,
  heads: string,
  owners: string,
  ended: string,
  expiries: string,
  sums: string,
  most: string,
  largest: string,
]

/** Hashes a string as Redis does in a script, so that records can be compared without sending their text. */
export const sha1 = (text: string): string => createHash('sha1').update(text).digest('hex')

/** Hashes a string to 22 characters, which encode 128 bits of its SHA-256. */
export const hashOf = (text: string): string =>
  createHash('sha256').update(text).digest('base64url').slice(0, 22)

export const hashOfSession = (session: Owned): string => hashOf(nameOf(session))

const nameOf = ({ principal, session }: Owned): string => `${principal.length}:${principal}${session}`
