import { createHash } from 'node:crypto'

/** Who owns a session or a stream, and its id. */
interface Owned {
  readonly principal: string
  readonly session: string
}

/**
 * The names of all keys. `1` is the version of their layout. No name shows a principal or an id, and no input can produce
 * the name of another: both are hashed, the principal with its length before it. Braces contain the part by which a
 * cluster chooses a node: all keys of a session have one, those of all nodes another, those of all tasks a third.
 */
export class Keys {
  readonly #prefix: string
  readonly #control: string
  readonly #tasks: string

  constructor(namespace: string) {
    this.#prefix = `jw1:${namespace}:`
    this.#control = `{${namespace}}`
    this.#tasks = `${this.#prefix}t:{${namespace}:t}:`
  }

  session(hash: string): string {
    return `${this.#prefix}s:{${hash}}`
  }

  /** The sessions of a principal, by expiry. */
  principal(hash: string): string {
    return `${this.#prefix}p:{${hash}}`
  }

  /** The streams of a session, by the time of their start. */
  streams(session: string): string {
    return `${this.#prefix}x:{${session}}`
  }

  /** The state of a stream. */
  stream(session: string, stream: string): string {
    return `${this.#prefix}m:{${session}}:${stream}`
  }

  /** The events of a stream. */
  events(session: string, stream: string): string {
    return `${this.#prefix}e:{${session}}:${stream}`
  }

  usedState(nonce: string): string {
    return `${this.#prefix}1:${hashOf(nonce)}`
  }

  /** Exists while a node runs. */
  lease(node: string): string {
    return `${this.#prefix}n:${this.#control}:${node}`
  }

  inbox(node: string): string {
    return `${this.#prefix}i:${this.#control}:${node}`
  }

  get bus(): string {
    return `${this.#prefix}b:${this.#control}`
  }

  /** Records, positions by owner, ended tasks, expiries and the count of bytes. */
  get tasks(): TaskKeys {
    const [records, owners, ended, expiries, bytes] = ['r', 'o', 'd', 'x', 'b'].map(
      (key) => this.#tasks + key,
    )
    return [records, owners, ended, expiries, bytes] as TaskKeys
  }
}

export type TaskKeys = readonly [
  records: string,
  owners: string,
  ended: string,
  expiries: string,
  bytes: string,
]

/** 22 characters: 128 bits of SHA-256. */
export const hashOf = (text: string): string =>
  createHash('sha256').update(text).digest('base64url').slice(0, 22)

export const hashOfSession = ({ principal, session }: Owned): string =>
  hashOf(`${principal.length}:${principal}${session}`)
