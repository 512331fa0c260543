/** The last good version of one list of a server, which is asked for only when somebody wants it and it is out of date. */
export class KeptList<Item> {
  readonly #load: () => Promise<readonly Item[]>
  readonly #failed: (error: unknown) => void
  #items: readonly Item[] | undefined
  /** What is known is of this version; lists that were asked for before a change say nothing of what is after it. */
  #known = 0
  #wanted = 1
  #loading: { readonly version: number; readonly done: Promise<void> } | undefined

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
    const version = this.#wanted
    if (this.#loading?.version !== version) {
      const done = this.#replace(version, this.#loading?.done).finally(() => {
        if (this.#loading === loading) this.#loading = undefined
      })
      const loading = { version, done }
      this.#loading = loading
    }
    await this.#loading?.done
  }

  /** One request at a time. */
  async #replace(version: number, before: Promise<void> | undefined): Promise<void> {
    await before
    try {
      this.#items = await this.#load()
      this.#known = version
    } catch (error) {
      this.#failed(error)
    }
  }
}
