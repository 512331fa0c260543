import { compilePattern } from './pattern.ts'

interface Budget {
  /** @throws StepLimitError if the limit is exceeded */
  spend(steps: number): void
}

/** A state of the automaton that a pattern is compiled to. */
interface State {
  /** The states that may follow: after one character if `takes` is set, otherwise at the same position. */
  readonly next: State[]
  /** Returns whether the state accepts a character. */
  readonly takes?: (char: string) => boolean
  /** Returns whether a match may pass through this state. */
  readonly holds?: (text: readonly string[], at: number, budget: Budget) => boolean
}

/**
 * Creates the states for a part of the pattern, given the state that follows the part. Returns the first of
 * these states.
 */
type Part = (next: State) => State

const END: State = { next: [] }
const STATE_STEPS = 16

/**
 * Matches a pattern without backtracking: all possible matches advance together, one character at a time, so
 * the work does not grow exponentially with the length of the text. The results are the same as those of
 * `RegExp`.
 */
export class CountedPattern {
  readonly #start: State
  readonly #hasUnicode: boolean

  /**
   * @param budget - pays for the states
   * @throws SyntaxError for an invalid regular expression
   * @throws Error for backreferences and lookbehinds, which require backtracking
   * @throws StepLimitError if the limit is exceeded
   */
  constructor(source: string, budget: Budget) {
    const { flags } = compilePattern(source, 'u')
    this.#hasUnicode = flags === 'u'
    this.#start = new Reader(source, flags, budget).read()(END)
  }

  /** @throws StepLimitError if the limit is exceeded */
  test(text: string, budget: Budget): boolean {
    budget.spend(text.length >> 6)
    return matches(this.#start, this.#hasUnicode ? Array.from(text) : text.split(''), 0, Infinity, budget)
  }
}

/** @param last - the last position at which a match may start */
function matches(
  start: State,
  text: readonly string[],
  first: number,
  last: number,
  budget: Budget,
): boolean {
  let states = new Set<State>()
  for (let at = first; at <= text.length; at++) {
    if (at <= last) states.add(start)
    else if (states.size === 0) return false
    const next = new Set<State>()
    const char = text[at]
    // States that are added during the loop are visited as well.
    for (const state of states) {
      budget.spend(1)
      if (state === END) return true
      if (state.takes === undefined) {
        if (state.holds?.(text, at, budget) !== false) for (const each of state.next) states.add(each)
      } else if (char !== undefined && state.takes(char)) next.add(state.next[0]!)
    }
    states = next
  }
  return false
}

const isWord = (char: string | undefined): boolean => char !== undefined && /^\w$/.test(char)
const isBoundary = (text: readonly string[], at: number): boolean => isWord(text[at - 1]) !== isWord(text[at])

/**
 * Matches the part of a pattern that represents one character, in patterns with and without the flag `u`. The
 * expressions are literals, because bundlers keep calls even if nothing uses their result.
 */
const ONE = {
  u: /\\[pP]\{[^}]*\}|\\u\{[\da-fA-F]+\}|\\u[dD][89abAB][\da-fA-F]{2}\\u[dD][c-fC-F][\da-fA-F]{2}|\\(?:u[\da-fA-F]{4}|x[\da-fA-F]{2}|c[a-zA-Z]|[^\dkc]|0(?!\d))|\[(?:\\[^]|[^\]\\])*\]|[^*+?)|\\(]/uy,
  '': /\\(?:u[\da-fA-F]{4}|x[\da-fA-F]{2}|c[a-zA-Z]|[^\dkc]|0(?!\d))|\[(?:\\[^]|[^\]\\])*\]|[^*+?)|\\(]/y,
}
const QUANTIFIER = /(?:([*+?])|\{(\d+)(,?)(\d*)\})\??/y

/** Reads a pattern that is known to be a valid regular expression. */
class Reader {
  readonly #source: string
  readonly #flags: string
  readonly #budget: Budget
  #at = 0

  constructor(source: string, flags: string, budget: Budget) {
    this.#source = source
    this.#flags = flags
    this.#budget = budget
  }

  read(): Part {
    const branches = [this.#sequence()]
    while (this.#skip('|')) branches.push(this.#sequence())
    return branches.length === 1
      ? branches[0]!
      : (next) => this.#state({ next: branches.map((branch) => branch(next)) })
  }

  #sequence(): Part {
    const parts: Part[] = []
    while (this.#at < this.#source.length && !'|)'.includes(this.#source[this.#at]!))
      parts.push(this.#repeated(this.#single()))
    return (next) => parts.reduceRight((after, part) => part(after), next)
  }

  #single(): Part {
    if (this.#skip('^')) return this.#holding((_, at) => at === 0)
    if (this.#skip('$')) return this.#holding((text, at) => at === text.length)
    if (this.#skip('\\b')) return this.#holding(isBoundary)
    if (this.#skip('\\B')) return this.#holding((text, at) => !isBoundary(text, at))
    if (this.#skip('(')) return this.#group()
    const one = this.#token(ONE[this.#flags as keyof typeof ONE])
    if (one === undefined) throw this.#uncountable()
    const expression = new RegExp(`^${one[0]}$`, this.#flags)
    const takes = (char: string): boolean => expression.test(char)
    return (next) => this.#state({ next: [next], takes })
  }

  #group(): Part {
    const looks = this.#skip('?=') || this.#skip('?!') ? this.#source[this.#at - 1] : undefined
    if (looks === undefined && !this.#skip('?:') && this.#source[this.#at] === '?') {
      if (this.#token(/\?<[^=!>][^>]*>/y) === undefined) throw this.#uncountable()
    }
    const inside = this.read()
    this.#at++
    if (looks === undefined) return inside
    const start = inside(END)
    return this.#holding((text, at, budget) => matches(start, text, at, at, budget) === (looks === '='))
  }

  #repeated(part: Part): Part {
    const [quantifier, sign, least, comma, most] = this.#token(QUANTIFIER) ?? []
    if (quantifier === undefined) return part
    const min = sign === undefined ? Number(least) : sign === '+' ? 1 : 0
    const isEndless = sign === undefined ? comma === ',' && most === '' : sign !== '?'
    const max = sign === '?' ? 1 : comma === ',' ? Number(most) : min
    return (next) => {
      let start = next
      if (isEndless) {
        const loop = this.#state({ next: [next] })
        loop.next.push(part(loop))
        start = loop
      } else for (let i = min; i < max; i++) start = this.#state({ next: [next, part(start)] })
      for (let i = 0; i < min; i++) {
        this.#budget.spend(1)
        start = part(start)
      }
      return start
    }
  }

  #holding(holds: NonNullable<State['holds']>): Part {
    return (next) => this.#state({ next: [next], holds })
  }

  #state(state: State): State {
    this.#budget.spend(STATE_STEPS)
    return state
  }

  #skip(text: string): boolean {
    const isNext = this.#source.startsWith(text, this.#at)
    if (isNext) this.#at += text.length
    return isNext
  }

  #token(expression: RegExp): RegExpExecArray | undefined {
    expression.lastIndex = this.#at
    const found = expression.exec(this.#source) ?? undefined
    if (found !== undefined) this.#at += found[0].length
    return found
  }

  #uncountable(): Error {
    return new Error(
      `the steps of the pattern ${JSON.stringify(this.#source.slice(0, 128))} cannot be counted`,
    )
  }
}
