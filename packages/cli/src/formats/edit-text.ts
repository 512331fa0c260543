import { isDeepStrictEqual } from 'node:util'
import { EditError, type Entry, type EntryEdit, type Format, isObject } from './format.ts'

const BYTE_ORDER_MARK = '\uFEFF'

/**
 * Reads the entry in a text as plain objects. Returns undefined if the entry does not exist.
 *
 * @throws SyntaxError
 */
export function readEntry(format: Format, text: string, { key, name }: EntryEdit): unknown {
  const servers = member(format.parse(withoutMark(text)), key)
  return plain(member(servers, name))
}

/** Sets an entry, and leaves the rest of the text unchanged. @throws SyntaxError, EditError */
export const setEntry = (format: Format, text: string, edit: EntryEdit, entry: Entry): string =>
  edited(format, text, edit, entry)

/** Removes an entry that exists. @throws SyntaxError, EditError */
export const removeEntry = (format: Format, text: string, edit: EntryEdit): string =>
  edited(format, text, edit, undefined)

/** Edits a text, and throws if the parsed result differs anywhere but in the entry. */
function edited(format: Format, text: string, edit: EntryEdit, entry: Entry | undefined): string {
  const source = withoutMark(text)
  const before = format.parse(source)
  if (!isObject(before)) throw new EditError('it has no object at its top')
  const exists = readEntry(format, source, edit) !== undefined
  const result =
    entry === undefined
      ? format.remove(source, edit)
      : exists
        ? format.replace(source, edit, entry)
        : format.add(source, edit, entry)
  let after: unknown
  try {
    after = format.parse(result)
  } catch (error) {
    throw new EditError('it is written in a form that cannot be edited', { cause: error })
  }
  const as = member(member(after, edit.key), edit.name)
  if (
    !isDeepStrictEqual(plain(as), plain(entry)) ||
    !isDeepStrictEqual(plain(rest(after, edit)), plain(rest(before, edit)))
  )
    throw new EditError('it is written in a form that cannot be edited')
  return text.slice(0, text.length - source.length) + result
}

const withoutMark = (text: string): string => (text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text)

const member = (value: unknown, name: string): unknown =>
  isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined

/** Removes prototypes, because parsers create objects with different ones. */
const plain = (value: unknown): unknown => structuredClone(value)

/** Returns the value without the entry. An empty container counts as missing. */
function rest(value: unknown, { key, name }: EntryEdit): unknown {
  if (!isObject(value)) return value
  const { [key]: servers, ...others } = value
  if (!isObject(servers))
    return { ...others, ...(servers !== undefined && servers !== null && { [key]: servers }) }
  const { [name]: _, ...remaining } = servers
  return Object.keys(remaining).length === 0 ? others : { ...others, [key]: remaining }
}
