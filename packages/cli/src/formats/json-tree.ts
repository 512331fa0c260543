import { createRequire } from 'node:module'
import type * as JsoncParser from 'jsonc-parser'
import type { Node, ParseError } from 'jsonc-parser'
import { EditError, syntaxError } from './format.ts'

/** Its ES module has imports that Node.js cannot resolve, and its CommonJS build has no names that an import can take. */
const jsonc = createRequire(import.meta.url)('jsonc-parser') as typeof JsoncParser

/** Hosts that read strict JSON never have comments in their files, so these can be allowed everywhere. */
const OPTIONS = { allowTrailingComma: true, disallowComments: false } as const

/** Undefined for a text without a value. @throws SyntaxError */
export function parseTree(text: string): Node | undefined {
  const errors: ParseError[] = []
  const tree = jsonc.parseTree(text, errors, OPTIONS)
  const [error] = errors
  if (error === undefined) return tree
  if (tree === undefined && jsonc.printParseErrorCode(error.error) === 'ValueExpected') return undefined
  const before = text.slice(0, error.offset).split('\n')
  throw syntaxError(jsonc.printParseErrorCode(error.error), before.length, (before.at(-1)?.length ?? 0) + 1)
}

export const valueOf = (node: Node): unknown => jsonc.getNodeValue(node)

export const endOf = ({ offset, length }: Node): number => offset + length

/** The property of an object. @throws EditError if there are two of that name: readers differ in which they take */
export function propertyOf(object: Node, name: string): Node | undefined {
  const found = (object.children ?? []).filter(({ children }) => children?.[0]?.value === name)
  if (found.length > 1) throw new EditError(`${JSON.stringify(name)} is there twice`)
  return found[0]
}

export const valueNode = (property: Node | undefined): Node | undefined => property?.children?.[1]

/** Whether the first token that is no comment is a comma. */
export function commaAfter(text: string, offset: number): number | undefined {
  const scanner = jsonc.createScanner(text.slice(offset), true)
  let from = 0
  // Comments and white space are skipped by hand: the kinds are const enums, too.
  while (from < text.length - offset) {
    scanner.setPosition(from)
    scanner.scan()
    const token = text.slice(offset + scanner.getTokenOffset(), offset + scanner.getPosition())
    if (token === ',') return offset + scanner.getTokenOffset()
    if (!token.startsWith('//') && !token.startsWith('/*')) return undefined
    from = scanner.getPosition()
  }
  return undefined
}
