/** One list of a server, fetched on demand if it is out of date. */
export class CachedList<Item> {
  items: readonly Item[] | undefined
  readonly #fetch: () => Promise<readonly Item[]>
  readonly #onError: (error: unknown) => void
  #fetchedVersion = 0
  #version = 1
  #fetching: { readonly version: number; readonly done: Promise<void> } | undefined

  constructor(fetch: () => Promise<readonly Item[]>, onError: (error: unknown) => void) {
    this.#fetch = fetch
    this.#onError = onError
  }

  invalidate(): void {
    this.#version++
  }

  /** Fetches the list. Concurrent callers share a request unless it began before the last change. Never rejects. */
  async refresh(): Promise<void> {
    const version = this.#version
    if (this.#fetchedVersion === version) return
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
      this.items = await this.#fetch()
      this.#fetchedVersion = version
    } catch (error) {
      this.#onError(error)
    }
  }
}
