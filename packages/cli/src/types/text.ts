import { printable } from '../terminal.ts'

/** Characters that end a line, that are not shown, or that change the order of what is shown. */
const HIDDEN = /[^\P{C}]|[\u2028\u2029]/gu

/** Returns a value of JSON as a literal: no character of a stranger reaches the file as it is, if it is not shown. */
export const literal = (value: string | number | boolean | null): string =>
  JSON.stringify(value).replaceAll(HIDDEN, (character) =>
    character
      .split('')
      .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
      .join(''),
  )

/** Returns a member's name: as it is if it is an identifier, else as a literal. */
export const memberName = (name: string): string => (/^[A-Za-z_$][\w$]*$/.test(name) ? name : literal(name))

const MAX_LINES = 20
const MAX_LINE = 400

/**
 * Returns a stranger's description as a comment. It can neither end the comment nor be a tag, such as `@ts-ignore`,
 * which the compiler obeys.
 */
export function comment(text: string | undefined, indent = ''): readonly string[] {
  const lines = printable(text ?? '')
    .replaceAll('*/', '*\\/')
    .replaceAll(/(^|[^\w])@/gm, '$1\\@')
    .split('\n')
    .map((line) => line.trim().slice(0, MAX_LINE))
    .filter((line) => line !== '')
    .slice(0, MAX_LINES)
  if (lines.length === 0) return []
  if (lines.length === 1) return [`${indent}/** ${lines[0]} */`]
  return [`${indent}/**`, ...lines.map((line) => `${indent} * ${line}`), `${indent} */`]
}
