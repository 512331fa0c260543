import { createHash } from 'node:crypto'
import type { JsonRpcRequest } from '@jetway/core/protocol'
import { compareLists, type ListChanges, type Lists } from '../conversation/lists.ts'
import { Questions } from '../conversation/questions.ts'
import { type ListKind, SessionReplay } from '../conversation/replay.ts'
import type { HttpProcess } from './process-http.ts'
import { type Caller, openSession, type Refusal, sessionLists } from './open-session.ts'

/** The maximum number of requests whose cut-off replies can be resumed. */
const MAX_UNANSWERED = 256

/** Called when a session's lists have changed. */
export type OnListChanges = (session: Session, process: HttpProcess, changes: ListChanges) => void

/** One client's session. It has a different id in each process. */
export class Session {
  /** The session id that the client uses. It comes from the first process. */
  readonly id: string
  readonly replay: SessionReplay = new SessionReplay()
  readonly questions: Questions = new Questions()
  /** List changes that must be announced on the next stream. */
  readonly owed: Set<ListKind> = new Set()
  /** The number of open streams. The session is kept while there are any. */
  streams = 0
  readonly #ids = new Map<number, Promise<string | Refusal>>()
  readonly #unanswered = new Map<number, Map<string, JsonRpcRequest>>()
  readonly #onListChanges: OnListChanges
  #lists: Promise<Lists> | undefined
  #outdated = false
  /** The process that refused the client's credentials with 401. */
  #refusedOn: number | undefined
  /** A digest of the client's credentials. */
  #credentials: string

  constructor(
    id: string,
    { process, caller }: { readonly process: HttpProcess; readonly caller: Caller },
    onListChanges: OnListChanges,
  ) {
    this.id = id
    this.#credentials = digestOf(caller)
    this.#onListChanges = onListChanges
    this.#ids.set(process.generation, Promise.resolve(id))
  }

  /** Returns whether a request has the same credentials as the session's client. */
  isOf(caller: Caller): boolean {
    return digestOf(caller) === this.#credentials
  }

  /** Returns whether a process has refused the client's credentials, so that the client needs new ones. */
  needsCredentials(generation: number): boolean {
    return this.#refusedOn === generation
  }

  /** Records the client's new credentials. */
  takeOver(caller: Caller): void {
    this.#credentials = digestOf(caller)
  }

  /**
   * Resolves to this session's id in a process. If necessary, first opens the session there with the caller's
   * credentials.
   */
  idOn(process: HttpProcess, caller: Caller): Promise<string | Refusal> {
    const { generation } = process
    const known = this.#ids.get(generation)
    if (known !== undefined) return known
    const opening = openSession(process, this.replay, caller)
    this.#ids.set(generation, opening)
    opening.then(
      (id) => {
        if (typeof id !== 'string') {
          this.#ids.delete(generation)
          if (id.status === 401) this.#refusedOn = generation
        } else if (this.#lists !== undefined)
          this.#lists = this.#compare(this.#lists, process, withId(caller, id))
      },
      () => this.#ids.delete(generation),
    )
    return opening
  }

  /** Returns the session's id in a process where it is already open. */
  knownOn(generation: number): Promise<string | Refusal> | undefined {
    return this.#ids.get(generation)
  }

  /**
   * Reads the lists from the first process, to compare them after a restart. The caller's headers contain the
   * session id in that process.
   */
  readFirstLists(process: HttpProcess, caller: Caller): void {
    this.#lists ??= sessionLists(process, caller)
    this.#lists.catch(() => {})
  }

  /** Records that the current process has announced list changes. */
  outdate(): void {
    this.#outdated = true
  }

  /** Keeps requests whose stream ended before they received a response. */
  keepUnanswered(generation: number, requests: Iterable<readonly [string, JsonRpcRequest]>): void {
    const kept = this.#unanswered.get(generation) ?? new Map<string, JsonRpcRequest>()
    for (const [key, request] of requests) if (kept.size < MAX_UNANSWERED) kept.set(key, request)
    this.#unanswered.set(generation, kept)
  }

  /** Returns the requests to which a process had not responded when their stream ended. */
  unanswered(generation: number): Map<string, JsonRpcRequest> {
    return this.#unanswered.get(generation) ?? new Map()
  }

  /** Forgets a process that has exited. */
  forget(generation: number): void {
    // The session was never open in this process.
    if (!this.#ids.delete(generation)) return
    // The client has had enough time to resume the streams of earlier processes.
    for (const old of this.#unanswered.keys()) if (old < generation) this.#unanswered.delete(old)
  }

  async #compare(old: Promise<Lists>, process: HttpProcess, caller: Caller): Promise<Lists> {
    const outdated = this.#outdated
    this.#outdated = false
    const before = await old.catch((): Lists => new Map())
    const after = await sessionLists(process, caller).catch(() => undefined)
    if (after === undefined) return before
    const { kinds, lines } = compareLists(before, after)
    const all: ReadonlySet<ListKind> = outdated ? new Set(['tools', 'resources', 'prompts']) : kinds
    this.#onListChanges(this, process, { kinds: all, lines })
    return after
  }
}

/**
 * The relayed sessions. When there are too many, the least recently used session without a stream is dropped.
 */
export class Sessions {
  readonly #limit: number
  readonly #sessions = new Map<string, Session>()

  constructor(limit: number) {
    this.#limit = limit
  }

  add(session: Session): void {
    this.#sessions.set(session.id, session)
    for (const { id, streams } of this.#sessions.values()) {
      if (this.#sessions.size <= this.#limit) return
      if (streams === 0) this.#sessions.delete(id)
    }
    const [oldest] = this.#sessions.keys()
    if (this.#sessions.size > this.#limit && oldest !== undefined) this.#sessions.delete(oldest)
  }

  get(id: string): Session | undefined {
    const session = this.#sessions.get(id)
    if (session === undefined) return undefined
    this.#sessions.delete(id)
    this.#sessions.set(id, session)
    return session
  }

  delete(id: string): void {
    this.#sessions.delete(id)
  }

  all(): Iterable<Session> {
    return this.#sessions.values()
  }
}

const digestOf = ({ headers }: Caller): string =>
  createHash('sha256')
    .update(JSON.stringify([headers.authorization, headers['x-api-key'], headers.cookie]))
    .digest('base64')

export const withId = ({ path, headers }: Caller, id: string): Caller => ({
  path,
  headers: { ...headers, 'mcp-session-id': id },
})
