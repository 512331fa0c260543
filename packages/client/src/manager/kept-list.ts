/** The last good version of one list of a server, which is asked for only when somebody wants it and it is out of date. */
export class KeptList<Item> {
  readonly #load: () => Promise<readonly Item[]>
  readonly #failed: (error: unknown) => void
  #items: readonly Item[] | undefined
  /** What is known is of this version; lists that were asked for before a change say nothing of what is after it. */
  #known = 0
  #wanted = 1
  #loading: { readonly version: number; readonly done: Promise<void> } | undefined
  /** The one after that which is under way, for all who have asked since a change: a server may tell of any number. */
  #next: Promise<void> | undefined

  constructor(load: () => Promise<readonly Item[]>, failed: (error: unknown) => void) {
    this.#load = load
    this.#failed = failed
  }

  /** Undefined while the list has never been had. */
  get items(): readonly Item[] | undefined {
    return this.#items
  }

  get outdated(): boolean {
    return this.#known < this.#wanted
  }

  /** Asks for nothing. */
  outdate(): void {
    this.#wanted++
  }

  /** Brings the list up to date, with one request for all who want that. Where it fails, the last good one stays. */
  async refresh(): Promise<void> {
    if (!this.outdated) return
    const loading = this.#loading
    if (loading === undefined) return this.#begin()
    if (loading.version === this.#wanted) return loading.done
    this.#next ??= loading.done.then(() => {
      this.#next = undefined
      return this.refresh()
    })
    return this.#next
  }

  #begin(): Promise<void> {
    const version = this.#wanted
    const done = this.#replace(version).finally(() => {
      this.#loading = undefined
    })
    this.#loading = { version, done }
    return done
  }

  async #replace(version: number): Promise<void> {
    try {
      this.#items = await this.#load()
      this.#known = version
    } catch (error) {
      this.#failed(error)
    }
  }
}
