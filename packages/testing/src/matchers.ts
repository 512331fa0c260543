import { isObject } from '@jetway/core/protocol'

interface MatcherState {
  readonly isNot?: boolean
  readonly equals: (a: unknown, b: unknown) => boolean
  readonly utils: {
    readonly printExpected: (value: unknown) => string
    readonly printReceived: (value: unknown) => string
  }
}

interface Matched {
  readonly pass: boolean
  readonly message: () => string
  readonly actual?: unknown
  readonly expected?: unknown
}

/** The matchers that are added to Vitest's `expect`. */
export interface ToolResultMatchers<R = unknown> {
  /**
   * Asserts that the tool succeeded, and that its text blocks, joined with newlines, equal or match the given
   * value.
   */
  toHaveText(text: string | RegExp): R
  /**
   * Asserts that the tool succeeded, and that its structured value equals the given one. Asymmetric matchers
   * such as `expect.objectContaining` are supported.
   */
  toHaveStructured(value: unknown): R
  /** Asserts that the tool failed and, if `text` is given, that the error text equals or matches it. */
  toBeToolError(text?: string | RegExp): R
}

declare module 'vitest' {
  // eslint-disable-next-line typescript/no-explicit-any
  interface Matchers<T = any> extends ToolResultMatchers<T> {}
}

/**
 * Matchers for tool results. Call `expect.extend(matchers)` once, in a setup file or at the top of a test.
 */
export const matchers: {
  toHaveText(this: MatcherState, received: unknown, text: string | RegExp): Matched
  toHaveStructured(this: MatcherState, received: unknown, value: unknown): Matched
  toBeToolError(this: MatcherState, received: unknown, text?: string | RegExp): Matched
} = {
  toHaveText(received, text) {
    const said = textOf(received)
    return {
      pass: isResult(received) && received['isError'] !== true && fits(said, text),
      message: () => explain(this, received, `to have the text ${this.utils.printExpected(text)}`),
      actual: said,
      expected: text,
    }
  },
  toHaveStructured(received, value) {
    const structured = isResult(received) ? received['structuredContent'] : undefined
    return {
      pass: isResult(received) && received['isError'] !== true && this.equals(structured, value),
      message: () =>
        explain(this, received, `to have the structured value ${this.utils.printExpected(value)}`),
      actual: structured,
      expected: value,
    }
  },
  toBeToolError(received, text) {
    const said = textOf(received)
    const wanted = text === undefined ? '' : ` with the text ${this.utils.printExpected(text)}`
    return {
      pass: isResult(received) && received['isError'] === true && (text === undefined || fits(said, text)),
      message: () => explain(this, received, `to be a failure${wanted}`),
      ...(text !== undefined && { actual: said, expected: text }),
    }
  },
}

const isResult = (received: unknown): received is { readonly [key: string]: unknown } =>
  isObject(received) && Array.isArray(received['content'])

function textOf(received: unknown): string {
  if (!isResult(received)) return ''
  const blocks = received['content'] as readonly unknown[]
  return blocks
    .flatMap((block) => (isObject(block) && typeof block['text'] === 'string' ? [block['text']] : []))
    .join('\n')
}

const fits = (said: string, text: string | RegExp): boolean =>
  typeof text === 'string' ? said === text : text.test(said)

function explain({ isNot, utils }: MatcherState, received: unknown, wanted: string): string {
  if (!isResult(received)) return `Expected the result of a tool, and got ${utils.printReceived(received)}`
  const failed = received['isError'] === true ? 'a failure' : 'a result'
  const not = isNot === true ? 'not ' : ''
  return `Expected ${failed} ${not}${wanted}\n\nIts text: ${utils.printReceived(textOf(received))}`
}
