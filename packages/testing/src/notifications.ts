import type { JsonRpcNotification } from '@jetway/core/protocol'

type Watcher = (notification: JsonRpcNotification) => void

/** The notifications that a peer received, and the waiters for the next ones. */
export class Notifications {
  readonly heard: JsonRpcNotification[] = []
  readonly #watchers = new Set<Watcher>()

  add(notification: JsonRpcNotification): void {
    this.heard.push(notification)
    for (const watcher of this.#watchers) watcher(notification)
  }

  /** Resolves to the first that matches, past or future. */
  next(
    method: string,
    fits: (params: Readonly<Record<string, unknown>>) => boolean = () => true,
  ): Promise<JsonRpcNotification> {
    const matches = (notification: JsonRpcNotification): boolean =>
      notification.method === method && fits(notification.params ?? {})
    const known = this.heard.find(matches)
    if (known !== undefined) return Promise.resolve(known)
    return new Promise((resolve) => {
      const watcher: Watcher = (notification) => {
        if (!matches(notification)) return
        this.#watchers.delete(watcher)
        resolve(notification)
      }
      this.#watchers.add(watcher)
    })
  }
}
