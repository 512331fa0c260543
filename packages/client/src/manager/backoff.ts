/** How a server that was lost is reconnected. */
export interface ReconnectOptions {
  /** Attempts before the server is removed. 0: it is removed at once. @default 5 */
  readonly maxAttempts?: number
  /** Ms before the first attempt. @default 1_000 */
  readonly firstMs?: number
  /** By how much each wait is longer than the one before. @default 2 */
  readonly factor?: number
  /** Ms between attempts at most. @default 30_000 */
  readonly lastMs?: number
  /**
   * The part of each wait that chance may take away, from 0 to 1, so that many hosts do not come back at the same moment.
   *
   * @default 0.5
   */
  readonly jitter?: number
  /**
   * Ms that a connection has to last for the attempts to be counted from 0 again: a server that comes up and dies at once
   * uses them up.
   *
   * @default 30_000
   */
  readonly stableMs?: number
}

const RECONNECT: Required<ReconnectOptions> = {
  maxAttempts: 5,
  firstMs: 1_000,
  factor: 2,
  lastMs: 30_000,
  jitter: 0.5,
  stableMs: 30_000,
}

/** Ms before an attempt, the first being 1. `chance` is between 0 and 1. */
export function waitBefore(
  attempt: number,
  { firstMs, factor, lastMs, jitter }: Required<ReconnectOptions>,
  chance: number,
): number {
  const whole = Math.min(firstMs * factor ** (attempt - 1), lastMs)
  return Math.round(whole * (1 - jitter * chance))
}

/** @throws RangeError */
export function resolveReconnect(options: ReconnectOptions = {}): Required<ReconnectOptions> {
  const given = Object.entries(options).filter(([, value]) => value !== undefined)
  const all: Required<ReconnectOptions> = { ...RECONNECT, ...Object.fromEntries(given) }
  for (const [name, value] of Object.entries(all))
    if (!Number.isFinite(value) || value < 0)
      throw new RangeError(`reconnect.${name} is a number from 0, not ${value}`)
  if (all.jitter > 1) throw new RangeError('reconnect.jitter is a part: 1 at most')
  return all
}
