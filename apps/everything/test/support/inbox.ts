/** A received notification. */
export interface Received {
  readonly method: string
  readonly params?: Readonly<Record<string, unknown>> | undefined
}

type Matcher = (message: Received) => boolean

/** One client's notifications, and a way to wait for more. */
export class Inbox {
  readonly #messages: Received[] = []
  readonly #waiting = new Set<{ matches: Matcher; resolve: (message: Received) => void }>()

  async take(message: Received): Promise<void> {
    this.#messages.push(message)
    for (const waiter of this.#waiting) {
      if (!waiter.matches(message)) continue
      this.#waiting.delete(waiter)
      waiter.resolve(message)
    }
  }

  of(method: string): readonly Received[] {
    return this.#messages.filter((message) => message.method === method)
  }

  clear(): void {
    this.#messages.length = 0
  }

  /**
   * Resolves to the next notification with this method. Notifications that have already arrived do not count.
   */
  next(method: string): Promise<Received> {
    return new Promise((resolve) => {
      this.#waiting.add({ matches: (message) => message.method === method, resolve })
    })
  }
}
