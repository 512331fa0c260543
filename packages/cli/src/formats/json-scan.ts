import { type Span, syntaxError } from './format.ts'

/** A member of an object, from the start of its name to the end of its value. */
export interface Member extends Span {
  readonly name: string
  readonly value: Span
}

/** The maximum depth. More deeply nested JSON is rejected, so that recursive functions do not overflow the stack. */
const MAX_DEPTH = 1_000

const QUOTE = 0x22
const COMMA = 0x2c
const SLASH = 0x2f
const COLON = 0x3a
const BACKSLASH = 0x5c
const OPEN_LIST = 0x5b
const OPEN_OBJECT = 0x7b
const CLOSE_LIST = 0x5d
const CLOSE_OBJECT = 0x7d

/** Matches a number or a literal. */
const PLAIN = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y
const ESCAPE = /\\(?:["\\/bfnrt]|u[\dA-Fa-f]{4})/y
const CONTROL = /[^\P{Cc}\u007F-\u009F]/u
/** The maximum length of a string that is checked with a loop. */
const SHORT = 32

/**
 * Scans JSON by offsets, without creating its values, because a host's file may contain megabytes of the host's
 * own data. Accepts comments and trailing commas unless `strict`.
 */
export class JsonScanner {
  /** The comments and trailing commas that were found. */
  readonly extras: Span[] = []
  readonly #text: string
  readonly #strict: boolean

  constructor(text: string, { strict = false }: { readonly strict?: boolean } = {}) {
    this.#text = text
    this.#strict = strict
  }

  /**
   * Checks the whole text. Returns the position of its value, or undefined if there is none. @throws
   * SyntaxError
   */
  document(): Span | undefined {
    const start = this.blankEnd(0)
    if (start === this.#text.length && !this.#strict) return undefined
    const end = this.valueEnd(start)
    this.checkEnd(end)
    return { start, end }
  }

  /** Checks that nothing follows the value. @throws SyntaxError */
  checkEnd(end: number): void {
    const rest = this.blankEnd(end)
    if (rest < this.#text.length) throw this.#fault(rest)
  }

  /** Yields the members of the object at an offset, and returns the object's end. @throws SyntaxError */
  *members(start: number): Generator<Member, number> {
    let at = this.blankEnd(start + 1)
    while (this.#text.charCodeAt(at) !== CLOSE_OBJECT) {
      const nameEnd = this.#stringEnd(at)
      const name = JSON.parse(this.#text.slice(at, nameEnd)) as string
      const from = this.#valueStart(nameEnd)
      const end = this.valueEnd(from)
      yield { name, start: at, end, value: { start: from, end } }
      at = this.#afterItem(end, CLOSE_OBJECT)
    }
    return at + 1
  }

  /** Returns the offset after whitespace and comments. @throws SyntaxError */
  blankEnd(offset: number): number {
    const text = this.#text
    for (let at = offset; ; at++) {
      const code = text.charCodeAt(at)
      if (code === SLASH && !this.#strict) at = this.#commentEnd(at) - 1
      else if (code !== 0x20 && code !== 0x0a && code !== 0x0d && code !== 0x09) return at
    }
  }

  /** Returns the end of the value at an offset. @throws SyntaxError */
  valueEnd(offset: number): number {
    const closers: number[] = []
    let at = offset
    for (;;) {
      const code = this.#text.charCodeAt(at)
      if (code === OPEN_OBJECT || code === OPEN_LIST) {
        const closer = code === OPEN_OBJECT ? CLOSE_OBJECT : CLOSE_LIST
        if (closers.push(closer) > MAX_DEPTH)
          throw this.#fault(at, `JSON that is nested more than ${MAX_DEPTH} levels deep`)
        at = this.blankEnd(at + 1)
      } else {
        at = code === QUOTE ? this.#stringEnd(at) : this.#plainEnd(at, code)
        const closer = closers.at(-1)
        if (closer === undefined) return at
        at = this.#afterItem(at, closer)
      }
      while (this.#text.charCodeAt(at) === closers.at(-1)) {
        closers.pop()
        at++
        const closer = closers.at(-1)
        if (closer === undefined) return at
        at = this.#afterItem(at, closer)
      }
      if (closers.at(-1) === CLOSE_OBJECT) at = this.#valueStart(this.#stringEnd(at))
    }
  }

  /** Returns the offset of the next item or of the closing bracket, given the end of an item. */
  #afterItem(end: number, closer: number): number {
    const at = this.blankEnd(end)
    const code = this.#text.charCodeAt(at)
    if (code === closer) return at
    if (code !== COMMA) throw this.#fault(at)
    const next = this.blankEnd(at + 1)
    if (this.#text.charCodeAt(next) !== closer) return next
    if (this.#strict) throw this.#fault(next)
    this.extras.push({ start: at, end: at + 1 })
    return next
  }

  /** Returns the offset of the value after a name. */
  #valueStart(nameEnd: number): number {
    const colon = this.blankEnd(nameEnd)
    if (this.#text.charCodeAt(colon) !== COLON) throw this.#fault(colon)
    return this.blankEnd(colon + 1)
  }

  #stringEnd(start: number): number {
    const text = this.#text
    if (text.charCodeAt(start) !== QUOTE) throw this.#fault(start)
    let quote = start
    do {
      quote = text.indexOf('"', quote + 1)
      if (quote < 0) throw this.#fault(text.length)
    } while (isEscaped(text, quote))
    if (!isPlain(text, start + 1, quote) && !isValid(text.slice(start + 1, quote))) throw this.#fault(start)
    return quote + 1
  }

  #plainEnd(start: number, code: number): number {
    // Most numbers in large lists have only one digit.
    const next = this.#text.charCodeAt(start + 1)
    if (code >= 0x30 && code <= 0x39 && (next === COMMA || next === CLOSE_LIST)) return start + 1
    PLAIN.lastIndex = start
    if (!PLAIN.test(this.#text)) throw this.#fault(start)
    return PLAIN.lastIndex
  }

  #commentEnd(start: number): number {
    const text = this.#text
    const isLine = text.charCodeAt(start + 1) === SLASH
    const isBlock = text.startsWith('/*', start)
    const found = isLine ? text.indexOf('\n', start) : isBlock ? text.indexOf('*/', start + 2) : -1
    if (found < 0 && !isLine) throw this.#fault(start)
    const end = found < 0 ? text.length : isLine ? found : found + 2
    this.extras.push({ start, end })
    return end
  }

  #fault(offset: number, what = 'JSON'): SyntaxError {
    const before = this.#text.slice(0, offset)
    const line = before.split('\n').length
    return syntaxError(`Invalid ${what}`, line, offset - before.lastIndexOf('\n'))
  }
}

function isEscaped(text: string, at: number): boolean {
  let start = at
  while (text.charCodeAt(start - 1) === BACKSLASH) start--
  return (at - start) % 2 === 1
}

/** Returns whether a part of the text is short and contains neither escapes nor control characters. */
function isPlain(text: string, from: number, to: number): boolean {
  if (to - from > SHORT) return false
  for (let at = from; at < to; at++) {
    const code = text.charCodeAt(at)
    if (code < 0x20 || code === BACKSLASH) return false
  }
  return true
}

/** Checks the inside of a string without copying the string. */
function isValid(inside: string): boolean {
  if (CONTROL.test(inside)) return false
  for (let at = inside.indexOf('\\'); at >= 0; at = inside.indexOf('\\', ESCAPE.lastIndex)) {
    ESCAPE.lastIndex = at
    if (!ESCAPE.test(inside)) return false
  }
  return true
}

/** Parses the text. Returns undefined if it contains no value. @throws SyntaxError */
export function parseText(text: string): unknown {
  const scanner = new JsonScanner(text)
  if (scanner.document() === undefined) return undefined
  return JSON.parse(without(text, scanner.extras))
}

/**
 * Checks the text for hosts that use `JSON.parse`, which accepts neither comments nor trailing commas.
 * @throws SyntaxError
 */
export function checkStrict(text: string): void {
  new JsonScanner(text, { strict: true }).document()
}

/** Removes ranges from the text. */
export function without(text: string, ranges: readonly Span[]): string {
  let result = ''
  let at = 0
  for (const { start, end } of ranges.toSorted((a, b) => a.start - b.start)) {
    result += text.slice(at, start)
    at = end
  }
  return result + text.slice(at)
}
