import type { JsonRpcRequest } from '@jetway/core/protocol'
import { compareLists, type ListChanges, type Lists } from '../conversation/lists.ts'
import { Questions } from '../conversation/questions.ts'
import { type ListKind, SessionReplay } from '../conversation/replay.ts'
import type { HttpProcess } from './process-http.ts'
import { type Caller, openSession, type Refusal, sessionLists } from './open-session.ts'

/** Requests whose reply was cut, and that may be answered when the client resumes the stream. */
const MAX_UNANSWERED = 256

/** What a session does with changes of its lists. */
export type OnListChanges = (session: Session, process: HttpProcess, changes: ListChanges) => void

/** One client's session, that each process knows by another id. */
export class Session {
  /** The id that the client knows: the one of the first process. */
  readonly id: string
  readonly replay: SessionReplay = new SessionReplay()
  readonly questions: Questions = new Questions()
  /** Changes that no stream has carried yet. */
  readonly owed: Set<ListKind> = new Set()
  /** Open streams. While there is one, the session is kept. */
  streams = 0
  readonly #ids = new Map<number, Promise<string | Refusal>>()
  readonly #unanswered = new Map<number, Map<string, JsonRpcRequest>>()
  readonly #onListChanges: OnListChanges
  #lists: Promise<Lists> | undefined
  #outdated = false

  constructor(id: string, process: HttpProcess, onListChanges: OnListChanges) {
    this.id = id
    this.#onListChanges = onListChanges
    this.#ids.set(process.generation, Promise.resolve(id))
  }

  /** The id of this session in a process, which is opened there if need be, with the credentials of the caller. */
  idOn(process: HttpProcess, caller: Caller): Promise<string | Refusal> {
    const { generation } = process
    const known = this.#ids.get(generation)
    if (known !== undefined) return known
    const opening = openSession(process, this.replay, caller)
    this.#ids.set(generation, opening)
    opening.then(
      (id) => {
        if (typeof id !== 'string') this.#ids.delete(generation)
        else if (this.#lists !== undefined)
          this.#lists = this.#compare(this.#lists, process, withId(caller, id))
      },
      () => this.#ids.delete(generation),
    )
    return opening
  }

  /** The id in a process that has the session already. */
  knownOn(generation: number): Promise<string | Refusal> | undefined {
    return this.#ids.get(generation)
  }

  /** Reads the lists of the first process, for the comparison after a change. The caller has the id of the process. */
  readFirstLists(process: HttpProcess, caller: Caller): void {
    this.#lists ??= sessionLists(process, caller)
    this.#lists.catch(() => {})
  }

  /** The current process has announced another change of its lists. */
  outdate(): void {
    this.#outdated = true
  }

  /** Keeps requests whose stream has ended without the answer. */
  keepUnanswered(generation: number, requests: Iterable<readonly [string, JsonRpcRequest]>): void {
    const kept = this.#unanswered.get(generation) ?? new Map<string, JsonRpcRequest>()
    for (const [key, request] of requests) if (kept.size < MAX_UNANSWERED) kept.set(key, request)
    this.#unanswered.set(generation, kept)
  }

  /** The requests that a process owes an answer, on a stream that is resumed. */
  unanswered(generation: number): Map<string, JsonRpcRequest> {
    return this.#unanswered.get(generation) ?? new Map()
  }

  /** A process has ended. */
  forget(generation: number): void {
    // A process that never served changes nothing.
    if (!this.#ids.delete(generation)) return
    // The client had its chance to resume streams of the processes before.
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

/** The relayed sessions. Beyond the limit the one is dropped that was used least recently and has no stream. */
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

export const withId = ({ path, headers }: Caller, id: string): Caller => ({
  path,
  headers: { ...headers, 'mcp-session-id': id },
})
