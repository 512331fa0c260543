import { isDeepStrictEqual } from 'node:util'
import { type Entry, type EntryEdit, type Format, isObject } from './format.ts'

/** How to edit text in a format. */
export interface TextEdits {
  /** Adds a new entry. @throws EditError */
  add(text: string, edit: EntryEdit, entry: Entry): string
  /** Replaces an existing entry. @throws EditError */
  replace(text: string, edit: EntryEdit, entry: Entry): string
  /** @throws EditError if the entry does not exist */
  remove(text: string, edit: EntryEdit): string
}

/**
 * Reads and compares a format's entries by parsing the whole text. Used for formats in which each entry has
 * its own lines.
 */
export function byParsing(parseText: (text: string) => unknown, edits: TextEdits): Omit<Format, 'snippet'> {
  const parse = (text: string): unknown => {
    try {
      return parseText(text)
    } catch (error) {
      // The parser reads nested values recursively.
      if (error instanceof RangeError) throw new SyntaxError('It is nested too deeply', { cause: error })
      throw error
    }
  }
  return {
    parse,
    find(text, edit) {
      const value = member(member(parse(text), edit.key), edit.name)
      return {
        value,
        set: (entry) =>
          value === undefined ? edits.add(text, edit, entry) : edits.replace(text, edit, entry),
        remove: () => edits.remove(text, edit),
      }
    },
    isSameOutside: (before, after, edit) =>
      isDeepStrictEqual(plain(rest(parse(after), edit)), plain(rest(parse(before), edit))),
  }
}

/** Removes prototypes, because parsers create objects with different prototypes. */
export const plain = (value: unknown): unknown => structuredClone(value)

const member = (value: unknown, name: string): unknown =>
  isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined

/** Returns the value without the entry. An empty container counts as missing. */
function rest(value: unknown, { key, name }: EntryEdit): unknown {
  if (!isObject(value)) return value
  const { [key]: servers, ...others } = value
  if (!isObject(servers))
    return { ...others, ...(servers !== undefined && servers !== null && { [key]: servers }) }
  const { [name]: _, ...remaining } = servers
  return Object.keys(remaining).length === 0 ? others : { ...others, [key]: remaining }
}
