/** A shorter prefix is not significant. */
const MIN_BEGINNING = 3

/**
 * Returns the known name that a wrong one most likely means, by the rule of TypeScript's "did you mean": at
 * most 40 % of the characters differ. Otherwise returns one that starts with it, like `ttlMs` for `ttl`, or
 * undefined.
 */
export function nearestName(name: string, known: readonly string[]): string | undefined {
  const wanted = fold(name)
  return similar(wanted, known) ?? (wanted.length < MIN_BEGINNING ? undefined : beginning(wanted, known))
}

const beginning = (wanted: string, known: readonly string[]): string | undefined =>
  known.find((candidate) => fold(candidate).startsWith(wanted))

function similar(wanted: string, known: readonly string[]): string | undefined {
  let least = Math.floor(wanted.length * 0.4) + 1
  let best: string | undefined
  for (const candidate of known) {
    const distance = editDistance(wanted, fold(candidate))
    if (distance >= least) continue
    least = distance
    best = candidate
  }
  return best
}

const fold = (name: string): string => name.toLowerCase().replace(/[_-]/g, '')

/** The Levenshtein distance: how many characters must be added, removed or replaced. */
function editDistance(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, at) => at)
  for (let line = 0; line < from.length; line++) {
    const next = [line + 1]
    for (let at = 0; at < to.length; at++) {
      const replaced = (row[at] as number) + (from[line] === to[at] ? 0 : 1)
      next.push(Math.min(replaced, (row[at + 1] as number) + 1, (next[at] as number) + 1))
    }
    row = next
  }
  return row[to.length] as number
}
