import type { JsonObject } from '@jetway/core/protocol'
import { compareLists, type ListChanges, type Lists } from '../conversation/lists.ts'
import { identityOf } from '../conversation/request-meta.ts'
import { type Caller, sessionLists } from './open-session.ts'
import type { HttpProcess } from './process-http.ts'

/**
 * Reads the lists on behalf of a client that has neither a session nor a subscription, to print what a
 * restart changed for that client. For any other client, its session or subscription compares the lists.
 */
export class ListObserver {
  readonly #onChanges: (process: HttpProcess, changes: ListChanges) => void
  #client: { readonly caller: Caller; readonly meta: JsonObject } | undefined
  #generation: number | undefined
  #lists: Promise<Lists | undefined> | undefined

  constructor(onChanges: (process: HttpProcess, changes: ListChanges) => void) {
    this.#onChanges = onChanges
  }

  /** Records the first client of each process, because its credentials are the newest. */
  saw(process: HttpProcess, caller: Caller, params: JsonObject | undefined): void {
    if (this.#generation === process.generation) return
    this.#generation = process.generation
    const isSame = this.#client?.caller.headers.authorization === caller.headers.authorization
    this.#client = { caller, meta: identityOf(params) }
    if (!isSame || this.#lists === undefined) this.#lists = this.#read(process)
  }

  /** Compares the previous lists with those of a new process. */
  use(process: HttpProcess): void {
    if (this.#lists !== undefined) this.#lists = this.#compare(this.#lists, this.#read(process), process)
  }

  /** Resolves to undefined if the process exits. */
  async #read(process: HttpProcess): Promise<Lists | undefined> {
    if (this.#client === undefined) return undefined
    const { caller, meta } = this.#client
    return sessionLists(process, caller, { _meta: meta }).catch(() => undefined)
  }

  async #compare(
    old: Promise<Lists | undefined>,
    now: Promise<Lists | undefined>,
    process: HttpProcess,
  ): Promise<Lists | undefined> {
    const [before, after] = await Promise.all([old, now])
    if (before === undefined || after === undefined) return after ?? before
    this.#onChanges(process, compareLists(before, after))
    return after
  }
}
