/** The location of a server in a configuration file, and the server's name. */
export interface EntryEdit {
  /** The member of the file that contains the servers, such as `mcpServers`. */
  readonly key: string
  readonly name: string
}

export type Entry = Readonly<Record<string, unknown>>

/** The syntax of a host's file. JSON may contain comments and trailing commas. */
export type FormatName = 'json' | 'toml' | 'yaml'

/** Edits text in a particular syntax, such as JSON or TOML. The text must not contain a byte order mark. */
export interface Format {
  /** Parses the text. Empty text counts as an empty object. @throws SyntaxError with a line and a column */
  parse(text: string): unknown
  /** Finds an entry, or the place where it would be added. @throws SyntaxError, EditError */
  find(text: string, edit: EntryEdit): FoundEntry
  /**
   * Returns whether the texts before and after a change differ only in the entry. An empty container counts
   * as missing. @throws SyntaxError
   */
  isSameOutside(before: string, after: string, edit: EntryEdit): boolean
  /** Formats the entry as the user would write it. */
  snippet(edit: EntryEdit, entry: Entry): string
}

/** A range within a text. */
export interface Span {
  readonly start: number
  readonly end: number
}

/** An entry within a text, or the place where it would be added. */
export interface FoundEntry {
  /** Undefined if the entry does not exist. */
  readonly value: unknown
  /** The position of the entry, if its lines may also contain other entries. */
  readonly span?: Span
  /** Returns the text with the new value. @throws EditError */
  set(entry: Entry): string
  /** Returns the text without the entry. @throws EditError if it does not exist */
  remove(): string
}

/** Thrown for a file that cannot be edited without damaging it. */
export class EditError extends Error {
  override name = 'EditError'
}

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Returns the line break that the text uses. */
export const eolOf = (text: string): string => (/\r?\n/.exec(text)?.[0] === '\r\n' ? '\r\n' : '\n')

/** Returns the offset after the last character before `end` that is not whitespace. */
export function trimmedEnd(text: string, end: number): number {
  let at = end
  while (at > 0 && /\s/.test(text[at - 1] ?? '')) at--
  return at
}

/** Returns the whitespace at the start of the line that contains the offset. */
export function indentAt(text: string, offset: number): string {
  const start = text.lastIndexOf('\n', offset - 1) + 1
  return /^[ \t]*/.exec(text.slice(start, offset))?.[0] ?? ''
}

export const syntaxError = (message: string, line: number, column: number): SyntaxError =>
  new SyntaxError(`${message} at line ${line}, column ${column}`)
