import {
  evaluate,
  type MemberNode,
  type Node,
  type ObjectNode,
  parse,
  type Token,
  tokenize,
  type ValueNode,
} from '@humanwhocodes/momoa'
import { EditError, syntaxError } from './format.ts'

export type { MemberNode, Node, ObjectNode, ValueNode }

/** Parses a text. Returns undefined for a text without a value. @throws SyntaxError */
export function parseTree(text: string): ValueNode | undefined {
  return located(text, () => {
    // Allow comments for all hosts: a host that reads strict JSON has none in its file.
    const tokens = tokenize(text, { mode: 'jsonc' })
    if (tokens.every(isComment)) return undefined
    const broken = tokens.find(hasControlCharacter(text))
    if (broken !== undefined) throw faultAt(text, startOf(broken))
    return parse(text, { mode: 'jsonc', allowTrailingCommas: true }).body
  })
}

/**
 * Checks a text for hosts that use `JSON.parse`, which accepts neither comments nor trailing commas. @throws SyntaxError
 */
export function checkStrict(text: string): void {
  located(text, () => parse(text, { mode: 'json' }))
}

/** Adds a line and a column to errors. */
function located<T>(text: string, read: () => T): T {
  try {
    return read()
  } catch (error) {
    if (!isFault(error)) throw error
    // The message may contain part of the text, and has no position if the error is at the end of the text.
    throw faultAt(text, error.message.includes('end of input') ? text.length : error.offset)
  }
}

interface Fault extends Error {
  readonly offset: number
}

const isFault = (error: unknown): error is Fault =>
  error instanceof Error && typeof (error as Partial<Fault>).offset === 'number'

function faultAt(text: string, offset: number): SyntaxError {
  const before = text.slice(0, offset).split('\n')
  return syntaxError('Invalid JSON', before.length, (before.at(-1)?.length ?? 0) + 1)
}

const isComment = ({ type }: Token): boolean => type === 'LineComment' || type === 'BlockComment'

/** Tests for strings with control characters such as line breaks, which Momoa accepts but hosts do not. */
const hasControlCharacter =
  (text: string) =>
  (token: Token): boolean =>
    token.type === 'String' && /[^\P{Cc}\u007F-\u009F]/u.test(text.slice(startOf(token), endOf(token)))

export const valueOf = (node: ValueNode): unknown => evaluate(node)

export const startOf = ({ loc }: Node): number => loc.start.offset

export const endOf = ({ loc }: Node): number => loc.end.offset

/**
 * Returns the member of an object.
 *
 * @throws EditError if the name occurs twice, because readers disagree on which of the two to use
 */
export function memberOf({ members }: ObjectNode, name: string): MemberNode | undefined {
  const found = members.filter((member) => member.name.type === 'String' && member.name.value === name)
  if (found.length > 1) throw new EditError(`${JSON.stringify(name)} is there twice`)
  return found[0]
}

/** Returns the offset of the next token if it is a comma. Comments are skipped. */
export function commaAfter(text: string, offset: number): number | undefined {
  const next = tokenize(text.slice(offset), { mode: 'jsonc' }).find((token) => !isComment(token))
  return next?.type === 'Comma' ? offset + startOf(next) : undefined
}
