import { parse, stringify, TomlError } from 'smol-toml'
import { EditError, type Entry, type EntryEdit, eolOf, type Format, isObject, syntaxError } from './format.ts'
import { byParsing } from './parsed.ts'

/**
 * Edits TOML. Tables are appended and removed as lines of text, because no library preserves comments. The
 * lines are found without a parser, so the caller must compare the parsed values before and after the edit.
 */
export const tomlFormat: Format = {
  ...byParsing(parseToml, {
    add: (text, edit, entry) => append(text, table(edit, entry), eolOf(text)),
    // The entry is replaced in place, so that the comments before it remain there.
    replace(text, edit, entry) {
      const eol = eolOf(text)
      const lines = text.split(eol)
      const { from, to } = range(lines, edit)
      return [...lines.slice(0, from), ...table(edit, entry).split('\n'), ...lines.slice(to)].join(eol)
    },
    remove(text, edit) {
      const eol = eolOf(text)
      const lines = text.split(eol)
      const { from, to } = range(lines, edit)
      // The blank line that `append` added is removed as well.
      const start = from > 0 && lines[from - 1] === '' ? from - 1 : from
      const rest = [...lines.slice(0, start), ...lines.slice(to)]
      return rest.join(eol)
    },
  }),
  snippet: table,
}

function parseToml(text: string): unknown {
  try {
    return parse(text)
  } catch (error) {
    if (error instanceof TomlError)
      throw syntaxError(error.message.split('\n')[0] ?? '', error.line, error.column)
    throw error
  }
}

function append(text: string, lines: string, eol: string): string {
  const added = lines.replaceAll('\n', eol)
  if (text === '') return added + eol
  return text.endsWith('\n') ? text + eol + added + eol : text + eol + eol + added
}

function table({ key, name }: EntryEdit, entry: Entry): string {
  const members = Object.entries(entry).map(([member, value]) => `${keyText(member)} = ${valueText(value)}`)
  return [`[${key}.${name}]`, ...members].join('\n')
}

const keyText = (name: string): string => (/^[A-Za-z0-9_-]+$/.test(name) ? name : JSON.stringify(name))

/** Formats a value on one line, so that the entry remains a single table. */
function valueText(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(valueText).join(', ')}]`
  if (isObject(value))
    return `{ ${Object.entries(value)
      .map(([name, member]) => `${keyText(name)} = ${valueText(member)}`)
      .join(', ')} }`
  return stringify({ x: value }).trim().slice('x = '.length)
}

/** Returns the lines of a table and its subtables, without the blank lines and comments that follow. */
function range(
  lines: readonly string[],
  { key, name }: EntryEdit,
): { readonly from: number; readonly to: number } {
  const header = new RegExp(`^\\s*\\[\\s*${key}\\s*\\.\\s*(?:${name}|"${name}"|'${name}')\\s*[.\\]]`)
  const from = lines.findIndex((line) => header.test(line))
  if (from < 0) throw new EditError(`${key}.${name} has another form than a table`)
  let end = from + 1
  while (end < lines.length && (!/^\s*\[/.test(lines[end] ?? '') || header.test(lines[end] ?? ''))) end++
  while (end > from + 1 && /^\s*(?:#.*)?$/.test(lines[end - 1] ?? '')) end--
  return { from, to: end }
}
