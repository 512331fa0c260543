import {
  EditError,
  type Entry,
  type EntryEdit,
  eolOf,
  type Format,
  indentAt,
  type Span,
  trimmedEnd,
} from './format.ts'
import { JsonScanner, type Member, parseText, without } from './json-scan.ts'

/**
 * JSON, optionally with comments and trailing commas. Only the entry's text is changed, at offsets determined
 * by the scanner.
 */
export const jsonFormat: Format = {
  parse: (text) => parseText(text) ?? {},
  find(text, { key, name }) {
    const top = topOf(text, key)
    const value = top?.found?.value
    const servers = value !== undefined && isObjectAt(text, value) ? objectAt(text, value, name) : undefined
    const entry = servers?.found
    return {
      value: entry && valueAt(text, entry.value),
      span: entry ?? { start: text.length, end: text.length },
      set(given) {
        if (entry !== undefined) return updateMembers(text, entry, given)
        if (servers !== undefined) return insertProperty(text, servers, name, given)
        if (value !== undefined) throw new EditError(`${key} is not an object`)
        if (top !== undefined) return insertProperty(text, top, key, { [name]: given })
        if (text.trim() !== '') throw new EditError('it has no object at its top')
        return `${print({ [key]: { [name]: given } }, '  ', '', eolOf(text))}${eolOf(text)}`
      },
      remove() {
        if (servers !== undefined) return removeProperty(text, servers, name)
        throw new EditError(value === undefined ? `${key} is not there` : `${key} is not an object`)
      },
    }
  },
  isSameOutside(before, after, edit) {
    const [old, next] = [membersOutside(before, edit), membersOutside(after, edit)]
    for (;;) {
      const [a, b] = [old.next(), next.next()]
      if (a.done === true || b.done === true) return a.done === b.done
      if (a.value !== b.value) return false
    }
  },
  snippet: ({ key, name }, entry) => print({ [key]: { [name]: entry } }, '  ', '', '\n'),
}

/** An object, with the information needed to edit one of its members. */
interface ObjectInText extends Span {
  readonly count: number
  readonly last: Member | undefined
  readonly found: Member | undefined
  /** The member before the member that was found. */
  readonly previous: Member | undefined
}

/** Reads the whole text. Returns undefined if its value is not an object. @throws SyntaxError, EditError */
function topOf(text: string, name: string): ObjectInText | undefined {
  const scanner = new JsonScanner(text)
  const start = scanner.blankEnd(0)
  if (text[start] !== '{') {
    scanner.document()
    return undefined
  }
  const top = objectAt(text, { start }, name)
  scanner.checkEnd(top.end)
  return top
}

const isObjectAt = (text: string, { start }: Pick<Span, 'start'>): boolean => text[start] === '{'

const valueAt = (text: string, { start, end }: Span): unknown => parseText(text.slice(start, end))

/** @throws EditError for an object in which the name occurs twice, because different parsers use different members */
function objectAt(text: string, { start }: Pick<Span, 'start'>, name: string): ObjectInText {
  let [count, last, found, previous]: [number, Member?, Member?, Member?] = [0]
  const members = new JsonScanner(text).members(start)
  for (let next = members.next(); ; next = members.next()) {
    if (next.done === true) return { start, end: next.value, count, last, found, previous }
    const member = next.value
    if (member.name === name) {
      if (found !== undefined) throw new EditError(`${JSON.stringify(name)} is there twice`)
      found = member
      previous = last
    }
    last = member
    count++
  }
}

/** Yields the text of each member except the entry. The text must be a valid object. */
function* membersOutside(text: string, { key, name }: EntryEdit): Generator<string> {
  const scanner = new JsonScanner(text)
  const start = scanner.blankEnd(0)
  if (start === text.length) return
  for (const member of scanner.members(start)) {
    const isServers = member.name === key && isObjectAt(text, member.value)
    if (!isServers) yield text.slice(member.start, member.end)
    else
      for (const server of scanner.members(member.value.start))
        if (server.name !== name) yield `${key}: ${text.slice(server.start, server.end)}`
  }
}

/** Changes only those members of an entry that differ, one after another. */
function updateMembers(text: string, { name, value: span }: Member, entry: Entry): string {
  if (!isObjectAt(text, span)) throw new EditError(`${name} is not an object`)
  const before = valueAt(text, span) as Entry
  let result = text
  for (const member of Object.keys(before))
    if (!Object.hasOwn(entry, member)) result = removeProperty(result, objectAt(result, span, member), member)
  for (const [member, value] of Object.entries(entry)) {
    if (JSON.stringify(before[member]) === JSON.stringify(value)) continue
    const object = objectAt(result, span, member)
    result =
      object.found === undefined
        ? insertProperty(result, object, member, value)
        : replaceValue(result, object, object.found.value, value)
  }
  return result
}

function replaceValue(text: string, object: Span, old: Span, value: unknown): string {
  const printed = isSingleLine(text, object)
    ? JSON.stringify(value)
    : print(value, unitOf(text), indentAt(text, old.start), eolOf(text))
  return text.slice(0, old.start) + printed + text.slice(old.end)
}

/** Adds a property after the last one, in the same style as the rest of the object. */
function insertProperty(text: string, object: ObjectInText, name: string, value: unknown): string {
  const { last } = object
  const close = object.end - 1
  const at = trimmedEnd(text, close)
  const eol = eolOf(text)
  if (last === undefined) {
    const outer = indentAt(text, object.start)
    const indent = outer + unitOf(text)
    const tail = /\n/.test(text.slice(at, close)) ? '' : eol + outer
    return `${text.slice(0, at)}${eol}${indent}${property(name, value, text, indent)}${tail}${text.slice(at)}`
  }
  const trailing = commaAfter(text, last.end) !== undefined
  const single = isSingleLine(text, object)
  const indent = indentAt(text, last.start)
  const printed = single
    ? ` ${JSON.stringify(name)}: ${JSON.stringify(value)}`
    : `${eol}${indent}${property(name, value, text, indent)}`
  const comma = trailing ? '' : ','
  return `${text.slice(0, last.end)}${comma}${text.slice(last.end, at)}${printed}${trailing ? ',' : ''}${text.slice(at)}`
}

const property = (name: string, value: unknown, text: string, indent: string): string =>
  `${JSON.stringify(name)}: ${print(value, unitOf(text), indent, eolOf(text))}`

/** Reverses `insertProperty`, but keeps comments. @throws EditError if the property does not exist */
function removeProperty(text: string, object: ObjectInText, name: string): string {
  const { found: removed, previous } = object
  if (removed === undefined) throw new EditError(`${name} is not there`)
  const start = trimmedEnd(text, removed.start)
  const comma = commaAfter(text, removed.end)
  const cuts: Span[] = [{ start, end: removed.end }]
  if (comma !== undefined) cuts.push({ start: comma, end: comma + 1 })
  else if (previous !== undefined) {
    const before = commaAfter(text, previous.end)
    if (before !== undefined) cuts.push({ start: before, end: before + 1 })
  }
  if (object.count === 1) {
    const inner =
      text.slice(object.start + 1, start) +
      text.slice(comma === undefined ? removed.end : comma + 1, object.end - 1)
    if (inner.trim() === '') return `${text.slice(0, object.start)}{}${text.slice(object.end)}`
  }
  return without(text, cuts)
}

/** Returns the offset of the next token if it is a comma. Comments are skipped. */
function commaAfter(text: string, offset: number): number | undefined {
  const at = new JsonScanner(text).blankEnd(offset)
  return text[at] === ',' ? at : undefined
}

const isSingleLine = (text: string, { start, end }: Span): boolean => !text.slice(start, end).includes('\n')

/** Returns one step of indentation, taken from the first indented line. */
const unitOf = (text: string): string => /\n([ \t]+)["}/]/.exec(text)?.[1] ?? '  '

const print = (value: unknown, unit: string, indent: string, eol: string): string =>
  JSON.stringify(value, undefined, unit).replaceAll('\n', eol + indent)
