/** A URL that a user was asked to open, by the id of its elicitation. */
export interface PendingUrl {
  readonly id: string
  /** When it expires, in ms since 1970. */
  readonly until: number
}

/** The maximum per session; the oldest is dropped first. */
const MAX_URLS = 64
/** After an hour, a user has either signed in or given up. */
const KEPT_MS = 3_600_000

/** Adds ids, and drops those that are too old or too many. */
export function withPendingUrls(
  known: readonly PendingUrl[],
  ids: readonly string[],
  now: number,
): readonly PendingUrl[] {
  const added = ids.map((id) => ({ id, until: now + KEPT_MS }))
  return [...known.filter(({ until }) => until > now), ...added].slice(-MAX_URLS)
}

/** Removes an id. Returns undefined if it is not in the list. */
export function withoutPendingUrl(
  known: readonly PendingUrl[],
  id: string,
  now: number,
): readonly PendingUrl[] | undefined {
  const live = known.filter(({ until }) => until > now)
  return live.some((it) => it.id === id) ? live.filter((it) => it.id !== id) : undefined
}
