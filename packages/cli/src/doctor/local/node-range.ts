/** Major, minor and patch. */
type Version = readonly [number, number, number]

/** From a version up to, but without, another. */
interface Interval {
  readonly from: Version
  readonly below: Version
}

const FIRST: Version = [0, 0, 0]
const LAST: Version = [Infinity, 0, 0]

/**
 * Whether a version such as `v22.3.0` is in a range of npm, such as `^20.19 || >=22.12`. Tags of prereleases are ignored.
 * Undefined for a range that is not understood.
 */
export function isInRange(version: string, range: string): boolean | undefined {
  const given = parsePartial(version)
  if (given === undefined) return undefined
  const alternatives = range.split('||').map(intervalsOf)
  if (alternatives.includes(undefined)) return undefined
  const at = lowest(given)
  return alternatives.some((intervals = []) =>
    intervals.every(({ from, below }) => compare(at, from) >= 0 && compare(at, below) < 0),
  )
}

/** All of them must hold. */
function intervalsOf(text: string): readonly Interval[] | undefined {
  const [, from, to] = /^\s*(\S+)\s+-\s+(\S+)\s*$/.exec(text) ?? []
  // Operators may be followed by a space.
  const words =
    from === undefined || to === undefined
      ? text
          .trim()
          .replaceAll(/([<>=~^])\s+/g, '$1')
          .split(/\s+/)
      : [`>=${from}`, `<=${to}`]
  const intervals = words.map(intervalOf)
  return intervals.includes(undefined) ? undefined : (intervals as readonly Interval[])
}

function intervalOf(word: string): Interval | undefined {
  const [, operator = '', rest = ''] = /^(>=|<=|>|<|=|~>?|\^)?(.*)$/.exec(word) ?? []
  const partial = parsePartial(rest)
  if (partial === undefined) return undefined
  const from = lowest(partial)
  switch (operator) {
    case '>=':
      return { from, below: LAST }
    case '>':
      return { from: after(partial), below: LAST }
    case '<':
      return { from: FIRST, below: from }
    case '<=':
      return { from: FIRST, below: after(partial) }
    case '^':
      return { from, below: after(compatible(partial)) }
    case '~':
    case '~>':
      return { from, below: after(partial.slice(0, 2)) }
    default:
      return { from, below: after(partial) }
  }
}

/** The leading numbers of a version: `20.x` has one, and `*` none. */
function parsePartial(text: string): readonly number[] | undefined {
  const [, ...parts] = /^v?(?:(\d+|[xX*])(?:\.(\d+|[xX*])(?:\.(\d+|[xX*]))?)?)?(?:[-+].*)?$/.exec(text) ?? []
  if (parts.length === 0) return undefined
  const end = parts.findIndex((part) => part === undefined || !/^\d+$/.test(part))
  return parts.slice(0, end < 0 ? parts.length : end).map(Number)
}

const lowest = ([major = 0, minor = 0, patch = 0]: readonly number[]): Version => [major, minor, patch]

/** The first version after all that begin so. */
function after([major, minor, patch]: readonly number[]): Version {
  if (major === undefined) return LAST
  if (minor === undefined) return [major + 1, 0, 0]
  return patch === undefined ? [major, minor + 1, 0] : [major, minor, patch + 1]
}

/** The part of a version that `^` keeps: up to the first number that is not 0. */
function compatible(partial: readonly number[]): readonly number[] {
  const at = partial.findIndex((part) => part > 0)
  return at < 0 ? partial : partial.slice(0, at + 1)
}

function compare(a: Version, b: Version): number {
  const at = a.findIndex((part, index) => part !== b[index])
  return at < 0 ? 0 : (a[at] ?? 0) - (b[at] ?? 0)
}
