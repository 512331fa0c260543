import { printable } from '../terminal.ts'

/** Matches characters that end a line, are invisible, or change the order of the displayed text. */
const HIDDEN = /[^\P{C}]|[\u2028\u2029]/gu

/** Returns a JSON value as a literal. Invisible characters from an untrusted server are escaped. */
export const literal = (value: string | number | boolean | null): string =>
  JSON.stringify(value).replaceAll(HIDDEN, (character) =>
    character
      .split('')
      .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
      .join(''),
  )

/** Returns the name of a member: unchanged if it is an identifier, otherwise as a literal. */
export const memberName = (name: string): string => (/^[A-Za-z_$][\w$]*$/.test(name) ? name : literal(name))

const MAX_LINES = 20
const MAX_LINE = 400

/**
 * Returns an untrusted description as a comment. It cannot end the comment, and cannot contain a directive
 * such as `@ts-ignore`.
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
