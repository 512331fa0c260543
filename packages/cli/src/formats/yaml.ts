import {
  isMap,
  isScalar,
  LineCounter,
  type Pair,
  parseDocument,
  type ParsedNode,
  stringify,
  type YAMLMap,
} from 'yaml'
import { EditError, type Entry, type EntryEdit, eolOf, type Format, syntaxError } from './format.ts'
import { byParsing } from './parsed.ts'

/**
 * Edits YAML. Lines are added to and removed from the text, because printing a parsed document would change
 * indentation, quotes and blank lines.
 */
export const yamlFormat: Format = {
  ...byParsing(parseYaml, {
    add(text, { key, name }, entry) {
      const eol = eolOf(text)
      const servers = pairOf(rootOf(text), key)
      if (servers === undefined)
        return appendLine(text, withEol(stringify({ [key]: { [name]: entry } }, STYLE), eol), eol)
      const map = servers.value
      if (isMap(map) && map.flow !== true) {
        const last: PairNode | undefined = map.items.at(-1)
        const indent = last === undefined ? '  ' : columnOf(text, last)
        return insertAfter(text, endOfPair(text, last ?? servers), block(name, entry, indent, eol), eol)
      }
      const isEmpty =
        map === null || (isMap(map) && map.items.length === 0) || (isScalar(map) && map.value === null)
      if (!isEmpty) throw new EditError(`${key} has another form than indented lines`)
      const colon = text.indexOf(':', servers.key.range?.[1] ?? 0) + 1
      // The value is empty: `extensions: {}`, or `extensions:`.
      const end = isMap(map) ? (map.range?.[1] ?? colon) : colon
      const source = text.slice(0, colon) + text.slice(end)
      return insertAfter(source, lineEnd(source, colon), block(name, entry, '  ', eol), eol)
    },
    replace(text, edit, entry) {
      const eol = eolOf(text)
      const { pair } = find(text, edit)
      const [from, to] = linesOf(text, pair)
      const hasEol = text.slice(from, to).endsWith('\n')
      return (
        text.slice(0, from) +
        block(edit.name, entry, columnOf(text, pair), eol) +
        (hasEol ? eol : '') +
        text.slice(to)
      )
    },
    remove(text, edit) {
      const { servers, map, pair } = find(text, edit)
      const [from, to] = linesOf(text, pair)
      if (map.items.length > 1) return cutLines(text, from, to)
      // The key is replaced by an empty object. Without a value it would be null, which a host may reject.
      const after = cutLines(text, from, to)
      const colon = after.indexOf(':', servers.key.range?.[1] ?? 0) + 1
      return `${after.slice(0, colon)} {}${after.slice(colon)}`
    },
  }),
  snippet: ({ key, name }, entry) => stringify({ [key]: { [name]: entry } }, STYLE),
}

function parseYaml(text: string): unknown {
  try {
    return (document(text).toJS() as unknown) ?? {}
  } catch (error) {
    // A file with many aliases can contain far more values than characters.
    if (error instanceof ReferenceError) throw new SyntaxError(error.message, { cause: error })
    throw error
  }
}

const STYLE = { lineWidth: 0 } as const

type PairNode = Pair<ParsedNode, ParsedNode | null>

function document(text: string): ReturnType<typeof parseDocument> {
  const lines = new LineCounter()
  const parsed = parseDocument(text, { lineCounter: lines, prettyErrors: false })
  const [error] = parsed.errors
  if (error === undefined) return parsed
  // The parser reports a stack overflow as an error in the text.
  if (error.message.startsWith('Maximum call stack')) throw new RangeError(error.message)
  const { line, col } = lines.linePos(error.pos[0])
  throw syntaxError(error.message, line, col)
}

function rootOf(text: string): YAMLMap | undefined {
  const { contents } = document(text)
  if (contents === null) return undefined
  if (!isMap(contents)) throw new EditError('it has no object at its top')
  if (contents.flow === true) throw new EditError('its top has another form than lines')
  return contents
}

const pairOf = (map: YAMLMap | undefined, name: string): PairNode | undefined =>
  map?.items.find(({ key }) => isScalar(key) && key.value === name) as PairNode | undefined

interface Found {
  readonly servers: PairNode
  readonly map: YAMLMap
  readonly pair: PairNode
}

function find(text: string, { key, name }: EntryEdit): Found {
  const servers = pairOf(rootOf(text), key)
  const map = servers?.value
  const pair = isMap(map) && map.flow !== true ? pairOf(map, name) : undefined
  if (servers === undefined || !isMap(map) || pair === undefined)
    throw new EditError(`${key} has another form than indented lines`)
  return { servers, map, pair }
}

const columnOf = (text: string, { key }: PairNode): string => {
  const at = key.range?.[0] ?? 0
  return ' '.repeat(at - (text.lastIndexOf('\n', at - 1) + 1))
}

/** Returns the end of a pair's last line, before its line break. */
function endOfPair(text: string, { key, value }: PairNode): number {
  const end = value?.range?.[1] ?? key.range?.[1] ?? 0
  // A block ends at the start of the next line.
  return text[end - 1] === '\n' ? lineEnd(text, end - 1) : lineEnd(text, end)
}

/** Returns the offset of the line break at or after an offset. */
function lineEnd(text: string, offset: number): number {
  const at = text.indexOf('\n', offset)
  if (at < 0) return text.length
  return text[at - 1] === '\r' ? at - 1 : at
}

/** Returns the range of a pair's lines, including the last line break. */
function linesOf(text: string, pair: PairNode): readonly [from: number, to: number] {
  const from = text.lastIndexOf('\n', (pair.key.range?.[0] ?? 0) - 1) + 1
  const end = endOfPair(text, pair)
  return [from, end + (/^\r?\n/.exec(text.slice(end))?.[0].length ?? 0)]
}

/**
 * Removes lines. If they are at the end of a text without a final line break, also removes the line break
 * before them.
 */
function cutLines(text: string, from: number, to: number): string {
  if (to < text.length || text.endsWith('\n')) return text.slice(0, from) + text.slice(to)
  return text.slice(0, from).replace(/\r?\n$/, '')
}

function insertAfter(text: string, at: number, lines: string, eol: string): string {
  return `${text.slice(0, at)}${eol}${lines}${text.slice(at)}`
}

const appendLine = (text: string, lines: string, eol: string): string =>
  text === '' || text.endsWith('\n') ? text + lines : text + eol + lines

function block(name: string, entry: Entry, indent: string, eol: string): string {
  const printed = stringify({ [name]: entry }, STYLE).trimEnd()
  return printed
    .split('\n')
    .map((line) => (line === '' ? line : indent + line))
    .join(eol)
}

const withEol = (text: string, eol: string): string => text.replaceAll('\n', eol)
