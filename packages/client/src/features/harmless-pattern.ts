/** A pattern with so few repetitions takes well below a second for a text of this length, whatever the two are. */
export const longestText = 4_096
const MAX_REPETITIONS = 1
const MAX_LENGTH = 1_024
/** Beyond it a repetition counts as one without an end. */
const FEW = 16

/**
 * Whether a pattern of somebody else's is safe to run. It is refused where a group is repeated that has a repetition or
 * a choice in it, for these backtrack without end; where it looks around or back; and where it has more than one
 * repetition that has no end, since those multiply with the length of the text. Some harmless ones are refused as well.
 */
export function isHarmlessPattern(pattern: string): boolean {
  if (pattern.length > MAX_LENGTH) return false
  /** For each open group, whether something in it makes repeating it dangerous. */
  const open: boolean[] = [false]
  let repetitions = 0
  let closed: boolean | undefined
  for (let i = 0; i < pattern.length; i++) {
    const char = pattern[i]
    const group = closed
    closed = undefined
    switch (char) {
      case '\\': {
        const next = pattern[++i] ?? ''
        if (/[1-9k]/.test(next)) return false
        break
      }
      case '[':
        i = endOfClass(pattern, i)
        break
      case '(':
        if (pattern[i + 1] === '?') {
          if (pattern[i + 2] !== ':') return false
          i += 2
        }
        open.push(false)
        break
      case ')':
        if (open.length === 1) return false
        closed = open.pop()
        if (closed === true) open[open.length - 1] = true
        break
      case '|':
        open[open.length - 1] = true
        break
      case '*':
      case '+':
      case '?':
      case '{': {
        const { most, end } = repetition(pattern, i)
        if (most > 1 && group === true) return false
        if (most > FEW) repetitions++
        if (repetitions > MAX_REPETITIONS) return false
        open[open.length - 1] = true
        i = end
        break
      }
    }
  }
  return open.length === 1
}

function endOfClass(pattern: string, start: number): number {
  for (let i = start + 1; i < pattern.length; i++) {
    if (pattern[i] === '\\') i++
    else if (pattern[i] === ']') return i
  }
  return pattern.length
}

/** How often, at most, and where the quantifier ends. A brace that is none stands for itself. */
function repetition(pattern: string, at: number): { readonly most: number; readonly end: number } {
  const lazy = (end: number): number => (pattern[end + 1] === '?' ? end + 1 : end)
  if (pattern[at] !== '{') return { most: pattern[at] === '?' ? 1 : Infinity, end: lazy(at) }
  const counted = /^\{(\d+)(,?)(\d*)\}/.exec(pattern.slice(at, at + 32))
  if (counted === null) return { most: 1, end: at }
  const [all, least, comma, most = ''] = counted
  const count = comma === '' ? Number(least) : most === '' ? Infinity : Number(most)
  return { most: count, end: lazy(at + all.length - 1) }
}
