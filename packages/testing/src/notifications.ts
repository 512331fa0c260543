import { isDeepStrictEqual } from 'node:util'
import type { JsonRpcNotification } from '@jetway/core/protocol'

/** Selects notifications by their params: either the properties that the params must have, or a function. */
export type ParamsMatch =
  | Readonly<Record<string, unknown>>
  | ((params: Readonly<Record<string, unknown>>) => boolean)

type Watcher = (notification: JsonRpcNotification) => void

/** The notifications that a peer has received, and the callers that wait for later ones. */
export class Notifications {
  readonly received: JsonRpcNotification[] = []
  readonly #watchers = new Set<Watcher>()

  add(notification: JsonRpcNotification): void {
    this.received.push(notification)
    for (const watcher of this.#watchers) watcher(notification)
  }

  /** Returns the first received notification that matches. */
  find(method: string, match?: ParamsMatch): JsonRpcNotification | undefined {
    return this.received.find(matcherOf(method, match))
  }

  /** Resolves to the first notification that matches, even if it has already arrived. */
  next(method: string, match?: ParamsMatch): Promise<JsonRpcNotification> {
    const known = this.find(method, match)
    return known === undefined ? this.later(method, match) : Promise.resolve(known)
  }

  /** Resolves to the first matching notification from now on. */
  later(method: string, match?: ParamsMatch): Promise<JsonRpcNotification> {
    const matches = matcherOf(method, match)
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

function matcherOf(method: string, match: ParamsMatch = {}): (notification: JsonRpcNotification) => boolean {
  const fits =
    typeof match === 'function'
      ? match
      : (params: Readonly<Record<string, unknown>>) =>
          Object.entries(match).every(([name, value]) => isDeepStrictEqual(params[name], value))
  return (notification) => notification.method === method && fits(notification.params ?? {})
}
