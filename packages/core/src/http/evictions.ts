import type { LiveSession } from './live-session.ts'

/** How many are chosen at a time: few enough that the choice is still fair when the last of them goes. */
const AT_A_TIME = 16

/**
 * Chooses the sessions that make room: idle ones, those first that never were initialized, then by when they were last
 * used. A flood of new sessions would make looking at all of them every time costly, so several are chosen at once.
 */
export class Evictions {
  readonly #chosen: { readonly live: LiveSession; readonly lastSeen: number }[] = []

  /** The session to close, or undefined where none is idle. */
  next(all: () => Iterable<LiveSession>): LiveSession | undefined {
    return this.#take() ?? this.#choose(all())
  }

  #take(): LiveSession | undefined {
    for (let next = this.#chosen.shift(); next !== undefined; next = this.#chosen.shift()) {
      const { live, lastSeen } = next
      if (live.lastSeen === lastSeen && !live.session.closed && !live.active) return live
    }
    return undefined
  }

  #choose(all: Iterable<LiveSession>): LiveSession | undefined {
    const oldest: LiveSession[] = []
    for (const live of all) {
      const last = oldest.at(-1)
      if (oldest.length === AT_A_TIME && last !== undefined && !isBefore(live, last)) continue
      if (live.active) continue
      if (oldest.length === AT_A_TIME) oldest.pop()
      const at = oldest.findIndex((other) => isBefore(live, other))
      oldest.splice(at === -1 ? oldest.length : at, 0, live)
    }
    for (const live of oldest) this.#chosen.push({ live, lastSeen: live.lastSeen })
    return this.#chosen.shift()?.live
  }
}

function isBefore(a: LiveSession, b: LiveSession): boolean {
  const first = a.session.record.initialized
  return first === b.session.record.initialized ? a.lastSeen < b.lastSeen : !first
}
