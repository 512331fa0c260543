import { withDefaults } from '../util/defaults.ts'

/** Options for reconnecting a lost server. */
export interface ReconnectOptions {
  /**
   * The maximum number of attempts. After the last attempt, the server is removed. With 0, the server is
   * removed immediately.
   * @default 5
   */
  readonly maxAttempts?: number
  /** The delay before the first attempt, in ms. @default 1_000 */
  readonly initialDelayMs?: number
  /** The factor by which each delay is multiplied to obtain the next one. @default 2 */
  readonly factor?: number
  /** The maximum delay, in ms. @default 30_000 */
  readonly maxDelayMs?: number
  /**
   * The maximum random reduction of each delay, from 0 to 1, so that hosts do not all reconnect at the same
   * time.
   *
   * @default 0.5
   */
  readonly jitter?: number
  /** How long a connection must last before attempts are counted from 0 again, in ms. @default 30_000 */
  readonly stableMs?: number
}

export const RECONNECT_DEFAULTS: Required<ReconnectOptions> = {
  maxAttempts: 5,
  initialDelayMs: 1_000,
  factor: 2,
  maxDelayMs: 30_000,
  jitter: 0.5,
  stableMs: 30_000,
}

/**
 * Returns the delay before an attempt, in ms.
 *
 * @param attempt - the number of the attempt, from 1
 * @param random - a random number from 0 to 1
 */
export function waitBefore(
  attempt: number,
  { initialDelayMs, factor, maxDelayMs, jitter }: Required<ReconnectOptions>,
  random: number,
): number {
  const whole = Math.min(initialDelayMs * factor ** (attempt - 1), maxDelayMs)
  return Math.round(whole * (1 - jitter * random))
}

/** Fills in defaults. @throws RangeError for an invalid value */
export function resolveReconnect(options: ReconnectOptions = {}): Required<ReconnectOptions> {
  const all = withDefaults(options, RECONNECT_DEFAULTS)
  for (const [name, value] of Object.entries(all))
    if (!Number.isFinite(value) || value < 0)
      throw new RangeError(`reconnect.${name} must be a number from 0, and is ${value}`)
  if (all.jitter > 1) throw new RangeError('reconnect.jitter must be 1 at most')
  return all
}
