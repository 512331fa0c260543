/** An address that a person was sent to, by the id that tells it from others. */
export interface PendingUrl {
  readonly id: string
  /** When nobody waits to hear of it any more, in ms since 1970. */
  readonly until: number
}

/** Per session; the oldest goes first. */
const MAX_ADDRESSES = 64
/** A person who signs in somewhere is done, or gone, after an hour. */
const KEPT_MS = 3_600_000

/** Notes more of them. What is too old goes, and what is too many. */
export function withPendingUrls(
  known: readonly PendingUrl[],
  ids: readonly string[],
  now: number,
): readonly PendingUrl[] {
  const added = ids.map((id) => ({ id, until: now + KEPT_MS }))
  return [...known.filter(({ until }) => until > now), ...added].slice(-MAX_ADDRESSES)
}

/** The others, if the id is among them; undefined where nobody waits to hear of it. */
export function withoutPendingUrl(
  known: readonly PendingUrl[],
  id: string,
  now: number,
): readonly PendingUrl[] | undefined {
  const live = known.filter(({ until }) => until > now)
  return live.some((it) => it.id === id) ? live.filter((it) => it.id !== id) : undefined
}
