import { EditError, type Entry, type EntryEdit, eolOf, type Format, indentAt, trimmedEnd } from './format.ts'
import {
  commaAfter,
  endOf,
  type MemberNode,
  memberOf,
  type ObjectNode,
  parseTree,
  startOf,
  type ValueNode,
  valueOf,
} from './json-tree.ts'

/**
 * JSON, optionally with comments and trailing commas. Only the text of the entry is changed, at offsets from
 * the parser.
 */
export const jsonFormat: Format = {
  parse(text) {
    const tree = parseTree(text)
    return tree === undefined ? {} : valueOf(tree)
  },
  add(text, { key, name }, entry) {
    const root = parseTree(text)
    if (root === undefined) {
      if (text.trim() !== '') throw new EditError('it has comments and no value')
      return `${print({ [key]: { [name]: entry } }, '  ', '', eolOf(text))}${eolOf(text)}`
    }
    const file = objectNode(root, 'the file')
    const servers = memberOf(file, key)
    if (servers === undefined) return insertProperty(text, file, key, { [name]: entry })
    return insertProperty(text, objectNode(servers.value, key), name, entry)
  },
  replace: updateMembers,
  remove(text, { key, name }) {
    const servers = objectNode(existing(parseTree(text), key), key)
    return removeProperty(text, servers, existingProperty(servers, name))
  },
  snippet: ({ key, name }, entry) => print({ [key]: { [name]: entry } }, '  ', '', '\n'),
}

/** Changes only the members of an entry that differ, one after the other. */
function updateMembers(text: string, { key, name }: EntryEdit, entry: Entry): string {
  const find = (source: string): ObjectNode =>
    objectNode(existing(existing(parseTree(source), key), name), name)
  const before = valueOf(find(text)) as Entry
  let result = text
  for (const member of Object.keys(before))
    if (!Object.hasOwn(entry, member)) {
      const node = find(result)
      result = removeProperty(result, node, existingProperty(node, member))
    }
  for (const [member, value] of Object.entries(entry)) {
    if (JSON.stringify(before[member]) === JSON.stringify(value)) continue
    const node = find(result)
    const old = memberOf(node, member)
    result =
      old === undefined
        ? insertProperty(result, node, member, value)
        : replaceValue(result, node, old.value, value)
  }
  return result
}

function replaceValue(text: string, object: ObjectNode, old: ValueNode, value: unknown): string {
  const printed = isSingleLine(text, object)
    ? JSON.stringify(value)
    : print(value, unitOf(text), indentAt(text, startOf(old)), eolOf(text))
  return text.slice(0, startOf(old)) + printed + text.slice(endOf(old))
}

/** Adds a property after the last one, in the style of its object. */
function insertProperty(text: string, object: ObjectNode, name: string, value: unknown): string {
  const close = endOf(object) - 1
  const last = object.members.at(-1)
  const at = trimmedEnd(text, close)
  const eol = eolOf(text)
  if (last === undefined) {
    const outer = indentAt(text, startOf(object))
    const indent = outer + unitOf(text)
    const tail = /\n/.test(text.slice(at, close)) ? '' : eol + outer
    return `${text.slice(0, at)}${eol}${indent}${property(name, value, text, indent)}${tail}${text.slice(at)}`
  }
  const trailing = commaAfter(text, endOf(last)) !== undefined
  const single = isSingleLine(text, object)
  const indent = single ? '' : indentAt(text, startOf(last))
  const printed = single
    ? ` ${JSON.stringify(name)}: ${JSON.stringify(value)}`
    : `${eol}${indent}${property(name, value, text, indent)}`
  const comma = trailing ? '' : ','
  return `${text.slice(0, endOf(last))}${comma}${text.slice(endOf(last), at)}${printed}${trailing ? ',' : ''}${text.slice(at)}`
}

const property = (name: string, value: unknown, text: string, indent: string): string =>
  `${JSON.stringify(name)}: ${print(value, unitOf(text), indent, eolOf(text))}`

/** Reverses `insertProperty`, but keeps comments. */
function removeProperty(text: string, object: ObjectNode, removed: MemberNode): string {
  const siblings = object.members
  const index = siblings.indexOf(removed)
  const previous = siblings[index - 1]
  const start = trimmedEnd(text, startOf(removed))
  const comma = commaAfter(text, endOf(removed))
  const cuts: [from: number, to: number][] = [[start, endOf(removed)]]
  if (comma !== undefined) cuts.push([comma, comma + 1])
  else if (previous !== undefined) {
    const before = commaAfter(text, endOf(previous))
    if (before !== undefined) cuts.unshift([before, before + 1])
  }
  if (siblings.length === 1) {
    const inner =
      text.slice(startOf(object) + 1, start) +
      text.slice(comma === undefined ? endOf(removed) : comma + 1, endOf(object) - 1)
    if (inner.trim() === '') return `${text.slice(0, startOf(object))}{}${text.slice(endOf(object))}`
  }
  return cut(text, cuts)
}

/** Removes ranges from a text. The ranges must be in order. */
function cut(text: string, ranges: readonly (readonly [from: number, to: number])[]): string {
  let result = ''
  let at = 0
  for (const [from, to] of ranges) {
    result += text.slice(at, from)
    at = to
  }
  return result + text.slice(at)
}

const isSingleLine = (text: string, object: ObjectNode): boolean =>
  !text.slice(startOf(object), endOf(object)).includes('\n')

/** Returns one step of indentation, taken from the first indented line. */
const unitOf = (text: string): string => /\n([ \t]+)["}/]/.exec(text)?.[1] ?? '  '

const print = (value: unknown, unit: string, indent: string, eol: string): string =>
  JSON.stringify(value, undefined, unit).replaceAll('\n', eol + indent)

function objectNode(node: ValueNode, what: string): ObjectNode {
  if (node.type !== 'Object') throw new EditError(`${what} is not an object`)
  return node
}

const existing = (object: ValueNode | undefined, name: string): ValueNode =>
  object === undefined ? absent(name) : existingProperty(objectNode(object, 'the file'), name).value

const existingProperty = (object: ObjectNode, name: string): MemberNode =>
  memberOf(object, name) ?? absent(name)

function absent(name: string): never {
  throw new EditError(`${name} is not there`)
}
