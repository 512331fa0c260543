export interface CachedListOptions<Item> {
  readonly fetch: () => Promise<readonly Item[]>
  readonly onError: (error: unknown) => void
  /** Whether the list may have changed without a notification. If so, it is fetched every time. */
  readonly mayHaveChanged: () => boolean
}

/** One list of a server, fetched on demand if it is out of date. */
export class CachedList<Item> {
  items: readonly Item[] | undefined
  readonly #options: CachedListOptions<Item>
  #fetchedVersion = 0
  #version = 1
  #fetching: { readonly version: number; readonly done: Promise<void> } | undefined

  constructor(options: CachedListOptions<Item>) {
    this.#options = options
  }

  invalidate(): void {
    this.#version++
  }

  /** Fetches the list. Concurrent callers share a request unless it began before the last change. Never rejects. */
  async refresh(): Promise<void> {
    const version = this.#version
    if (this.#fetchedVersion === version && !this.#options.mayHaveChanged()) return
    if (this.#fetching === undefined) {
      const done = this.#replace(version).finally(() => (this.#fetching = undefined))
      this.#fetching = { version, done }
      return done
    }
    const { version: fetching, done } = this.#fetching
    await done
    if (fetching !== version) await this.refresh()
  }

  async #replace(version: number): Promise<void> {
    try {
      this.items = await this.#options.fetch()
      this.#fetchedVersion = version
    } catch (error) {
      this.#options.onError(error)
    }
  }
}
