import { type RequestContext, ToolError } from '@jetway/core'

/**
 * Returns whether the call belongs to a session. The original needs sessions for everything; here, only a few
 * tools do.
 */
export const hasSession = ({ session }: Pick<RequestContext, 'session'>): boolean => session !== undefined

/** @throws ToolError without a session */
export function sessionOf({ session }: Pick<RequestContext, 'session'>) {
  if (session === undefined)
    throw new ToolError('This needs a session: connect with a revision that has them')
  return session
}

/** Runs a function immediately and then every five seconds, for each session that has switched it on. */
export class Pulses {
  readonly #timers = new Map<string, NodeJS.Timeout>()

  /** @returns whether the function is now switched on */
  toggle(session: string, beat: () => void): boolean {
    if (this.stop(session)) return false
    beat()
    this.#timers.set(session, setInterval(beat, 5_000).unref())
    return true
  }

  /** @returns whether the function was switched on */
  stop(session: string): boolean {
    clearInterval(this.#timers.get(session))
    return this.#timers.delete(session)
  }
}
