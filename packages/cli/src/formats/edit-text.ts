import { isDeepStrictEqual } from 'node:util'
import { EditError, type Entry, type EntryEdit, type Format, isObject, type Span } from './format.ts'
import { plain } from './parsed.ts'

const BYTE_ORDER_MARK = '\uFEFF'

/**
 * Reads an entry from a file's text as plain objects. Returns undefined if the entry does not exist.
 *
 * @throws SyntaxError, EditError
 */
export const readEntry = (format: Format, text: string, edit: EntryEdit): unknown =>
  plain(format.find(withoutMark(text), edit).value)

/**
 * Returns the text with `***` in place of each value of the entry that may be a secret, and the position of
 * the entry.
 */
export function maskedEntry(
  format: Format,
  text: string,
  edit: EntryEdit,
  mask: (entry: Entry) => Entry,
): { readonly text: string; readonly entry: Span | undefined } {
  const value = readEntry(format, text, edit)
  const masked = isObject(value) ? setEntry(format, text, edit, mask(value)) : text
  const source = withoutMark(masked)
  return { text: source, entry: format.find(source, edit).span }
}

/** Sets an entry. The rest of the text remains unchanged. @throws SyntaxError, EditError */
export const setEntry = (format: Format, text: string, edit: EntryEdit, entry: Entry): string =>
  edited(format, text, edit, entry)

/** Removes an existing entry. @throws SyntaxError, EditError */
export const removeEntry = (format: Format, text: string, edit: EntryEdit): string =>
  edited(format, text, edit, undefined)

/** Edits the text. Throws if the parsed result differs anywhere except in the entry. */
function edited(format: Format, text: string, edit: EntryEdit, entry: Entry | undefined): string {
  const source = withoutMark(text)
  const found = format.find(source, edit)
  const result = entry === undefined ? found.remove() : found.set(entry)
  if (!isEdited(format, { source, result, edit, entry }))
    throw new EditError('it is written in a form that cannot be edited')
  return text.slice(0, text.length - source.length) + result
}

interface Edited {
  readonly source: string
  readonly result: string
  readonly edit: EntryEdit
  readonly entry: Entry | undefined
}

function isEdited(format: Format, { source, result, edit, entry }: Edited): boolean {
  try {
    const isSet = isDeepStrictEqual(plain(format.find(result, edit).value), plain(entry))
    return isSet && format.isSameOutside(source, result, edit)
  } catch (error) {
    throw new EditError('it is written in a form that cannot be edited', { cause: error })
  }
}

const withoutMark = (text: string): string => (text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text)
