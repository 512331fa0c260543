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

/** Undefined for a text without a value. @throws SyntaxError */
export function parseTree(text: string): ValueNode | undefined {
  return located(text, () => {
    // Hosts that read strict JSON have no comments in their files, so these can be allowed everywhere.
    const tokens = tokenize(text, { mode: 'jsonc' })
    if (tokens.every(isComment)) return undefined
    const broken = tokens.find(hasControlCharacter(text))
    if (broken !== undefined) throw faultAt(text, startOf(broken))
    return parse(text, { mode: 'jsonc', allowTrailingCommas: true }).body
  })
}

/** For hosts that use `JSON.parse`, which takes neither comments nor trailing commas. @throws SyntaxError */
export function checkStrict(text: string): void {
  located(text, () => parse(text, { mode: 'json' }))
}

/** Gives errors a line and a column. */
function located<T>(text: string, read: () => T): T {
  try {
    return read()
  } catch (error) {
    if (!isFault(error)) throw error
    // Its message may have a part of the text. At the end, it has no position.
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

/** Momoa allows them in strings, and hosts do not. */
const hasControlCharacter =
  (text: string) =>
  (token: Token): boolean =>
    token.type === 'String' && /[^\P{Cc}\u007F-\u009F]/u.test(text.slice(startOf(token), endOf(token)))

export const valueOf = (node: ValueNode): unknown => evaluate(node)

export const startOf = ({ loc }: Node): number => loc.start.offset

export const endOf = ({ loc }: Node): number => loc.end.offset

/** The member of an object. @throws EditError if there are two of that name: readers differ in which they take */
export function memberOf({ members }: ObjectNode, name: string): MemberNode | undefined {
  const found = members.filter((member) => member.name.type === 'String' && member.name.value === name)
  if (found.length > 1) throw new EditError(`${JSON.stringify(name)} is there twice`)
  return found[0]
}

/** The offset of a comma that is the next token, comments aside. */
export function commaAfter(text: string, offset: number): number | undefined {
  const next = tokenize(text.slice(offset), { mode: 'jsonc' }).find((token) => !isComment(token))
  return next?.type === 'Comma' ? offset + startOf(next) : undefined
}
