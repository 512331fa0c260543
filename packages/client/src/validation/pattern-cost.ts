/** An upper bound of steps for a text of length L: the sum of `cost[d]` times L to the power of d. */
export type PatternCost = readonly number[]

const MAX_DEPTH = 32
const MAX_LENGTH = 1_024
/** More is too slow for any useful text. */
const MAX_DEGREE = 4
const MAX_FACTOR = 1e7

/** How many ways a part can match (`factor` times L to the power of `degree`), and the steps of each. */
interface Part {
  readonly factor: number
  readonly degree: number
  readonly steps: number
}

const ONE: Part = { factor: 1, degree: 0, steps: 1 }

/**
 * The cost of a pattern from a server. A backtracking engine tries every way to match, from every position.
 * Undefined if the cost is unknown or too high: with lookarounds, backreferences, or an endless repetition of
 * something that can match in several ways, whose cost is exponential.
 */
export function patternCost(pattern: string): PatternCost | undefined {
  if (pattern.length > MAX_LENGTH) return undefined
  const reader = new Reader(pattern)
  let whole: Part
  try {
    whole = reader.read()
  } catch (error) {
    if (error instanceof Unknown) return undefined
    throw error
  }
  const degree = whole.degree + (reader.anchored ? 0 : 1)
  const factor = whole.factor * whole.steps
  if (degree > MAX_DEGREE || factor > MAX_FACTOR) return undefined
  return Array.from({ length: degree + 1 }, (_, at) => (at === degree ? factor : 0))
}

export const addCosts = (a: PatternCost, b: PatternCost): PatternCost =>
  Array.from({ length: Math.max(a.length, b.length) }, (_, at) => (a[at] ?? 0) + (b[at] ?? 0))

export const costFor = (cost: PatternCost, length: number): number =>
  cost.reduceRight((sum, each) => sum * (length + 1) + each, 0)

/** The cost is unknown. Only thrown in this file. */
class Unknown extends Error {}

class Reader {
  /** Whether it only matches at the start of the text. */
  anchored = false
  readonly #pattern: string
  #at = 0
  #depth = 0

  constructor(pattern: string) {
    this.#pattern = pattern
  }

  /** @throws Unknown */
  read(): Part {
    const whole = this.#choice()
    if (this.#at < this.#pattern.length) throw new Unknown()
    return whole
  }

  #choice(): Part {
    if (++this.#depth > MAX_DEPTH) throw new Unknown()
    const branches: Part[] = []
    const anchors: boolean[] = []
    do {
      if (branches.length > 0) this.#at++
      anchors.push(this.#pattern[this.#at] === '^')
      branches.push(this.#sequence())
    } while (this.#pattern[this.#at] === '|')
    this.#depth--
    if (this.#depth === 0) this.anchored = anchors.every(Boolean)
    return branches.reduce((a, b) => ({
      factor: a.factor + b.factor,
      degree: Math.max(a.degree, b.degree),
      steps: a.steps + b.steps,
    }))
  }

  #sequence(): Part {
    let all: Part = { ...ONE }
    while (this.#at < this.#pattern.length && !'|)'.includes(this.#pattern[this.#at] ?? '')) {
      const part = this.#repeated(this.#single())
      all = {
        factor: all.factor * part.factor,
        degree: all.degree + part.degree,
        steps: all.steps + part.steps,
      }
    }
    return all
  }

  #single(): Part {
    const char = this.#pattern[this.#at++]
    switch (char) {
      case '\\':
        this.#escape()
        return ONE
      case '[':
        this.#class()
        return ONE
      case '(':
        return this.#group()
      case '*':
      case '+':
      case '?':
        throw new Unknown()
      default:
        return ONE
    }
  }

  #escape(): void {
    const next = this.#pattern[this.#at++]
    if (next === undefined || /[1-9k]/.test(next)) throw new Unknown()
    // Only these: without the flag `u`, braces may contain a group.
    const braced = /^[pPu]\{[\w=]*\}/.exec(this.#pattern.slice(this.#at - 1))
    if (braced !== null) this.#at += braced[0].length - 1
  }

  #class(): void {
    while (this.#pattern[this.#at] !== ']') {
      if (this.#at >= this.#pattern.length) throw new Unknown()
      this.#at += this.#pattern[this.#at] === '\\' ? 2 : 1
    }
    this.#at++
  }

  #group(): Part {
    if (this.#pattern[this.#at] === '?') {
      if (this.#pattern[this.#at + 1] !== ':') throw new Unknown()
      this.#at += 2
    }
    const inside = this.#choice()
    if (this.#pattern[this.#at++] !== ')') throw new Unknown()
    return inside
  }

  #repeated(part: Part): Part {
    const quantifier = /^(?:([*+?])|\{(\d+)(,?)(\d*)\})/.exec(this.#pattern.slice(this.#at))
    if (quantifier === null) return part
    const [all, sign, least = '', comma, most = ''] = quantifier
    this.#at += all.length
    if (this.#pattern[this.#at] === '?') this.#at++
    const endless = sign === undefined ? comma !== '' && most === '' : sign !== '?'
    const min = sign === undefined ? Number(least) : sign === '+' ? 1 : 0
    const max = sign !== undefined ? 1 : comma === '' || endless ? min : Number(most)
    // Larger numbers overflow.
    if (min > MAX_FACTOR || max > MAX_FACTOR) throw new Unknown()
    if (endless) return endlessly(part, min)
    return {
      factor: Math.max(1, max - min + 1) * part.factor ** max,
      degree: part.degree * max,
      steps: part.steps * Math.max(1, max),
    }
  }
}

/** Only a part that can match in one way may be repeated endlessly. */
function endlessly(part: Part, min: number): Part {
  if (part.factor !== 1 || part.degree !== 0) throw new Unknown()
  return { factor: 1, degree: 1, steps: part.steps * Math.max(1, min) }
}
