/** The resources that a session is subscribed to, with the functions that unsubscribe. */
export class SubscribedResources {
  readonly #subscribe: (uri: string) => (() => void) | undefined
  readonly #ends = new Map<string, (() => void) | undefined>()

  constructor(subscribe: (uri: string) => (() => void) | undefined) {
    this.#subscribe = subscribe
  }

  /** Subscribes to new resources and unsubscribes from all others. */
  set(uris: readonly string[]): void {
    for (const uri of uris) if (!this.#ends.has(uri)) this.#ends.set(uri, this.#subscribe(uri))
    if (this.#ends.size === uris.length) return
    const left = new Set(uris)
    for (const [uri, end] of this.#ends) {
      if (left.has(uri)) continue
      this.#ends.delete(uri)
      end?.()
    }
  }
}
