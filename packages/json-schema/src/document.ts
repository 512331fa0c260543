import type { Dialect } from './dialect.ts'
import { isEqual } from './equal.ts'
import { escapePointer, type Routine } from './keywords/run.ts'
import { isOnlyReference } from './keywords/rules.ts'
import type { Counter } from './limit.ts'
import type { JsonSchema } from './types.ts'
import { resolveUri, splitUri, withoutEmptyFragment } from './uri.ts'

export type SchemaOrBoolean = JsonSchema | boolean

/** A target of references: a schema, and the URI to which its own references are relative. */
export interface Place {
  readonly schema: SchemaOrBoolean
  readonly document: SchemaDocument
  readonly baseUri: string
  /** The compiled schema. Undefined until the schema has been compiled. */
  routine?: Routine
}

/** Returns the document of a dialect that has the given URI. */
export type Metaschemas = (uri: string) => Place | string | undefined

/** A complete schema, with all possible targets of its references. */
export interface SchemaDocument {
  readonly root: Place
  readonly dialect: Dialect
  /** The places, keyed by URI. A string stands for another URI of the same place. */
  readonly byUri: Map<string, Place | string>
  /** Schemas, keyed by a URI whose fragment is an anchor. Used for URIs that are unknown without the fragment. */
  readonly anchors: Map<string, JsonSchema>
  /** Looks up documents of the dialect itself. */
  readonly metaschemas: Metaschemas
  /** The targets of all references that have been resolved so far, keyed by reference. */
  readonly resolved: Map<string, Place>
  /** The dynamic anchors found so far, each with the routines of its schemas. */
  readonly dynamicAnchors: Map<string, Routine[]>
  readonly routines: Routine[]
  /** The places whose routines are being compiled. */
  readonly open: Set<Place>
  /** If true, some subschema has a keyword for unevaluated properties or items. */
  readonly hasUnevaluated: boolean
  /** Counts the steps needed to create the validator, if they are limited. */
  readonly counter: Counter | undefined
  /** For each subschema that has been searched so far, whether it contains references. */
  readonly referring: Map<unknown, boolean>
}

/** The base URI of a schema that has no id. */
const NAMELESS = 'jetway:schema'

/** @throws Error for an id or anchor that is malformed, or that identifies more than one schema */
export function createDocument(
  schema: JsonSchema,
  dialect: Dialect,
  metaschemas: Metaschemas,
  counter?: Counter,
): SchemaDocument {
  const id = schema['$id']
  if (id !== undefined && typeof id !== 'string') throw new Error('schema $id must be string')
  const baseUri = withoutEmptyFragment(id ?? '') || NAMELESS
  const root = { schema, baseUri } as { -readonly [K in keyof Place]: Place[K] }
  const document: SchemaDocument = {
    root,
    dialect,
    byUri: new Map<string, Place | string>(),
    anchors: new Map(),
    metaschemas,
    resolved: new Map(),
    dynamicAnchors: new Map(),
    routines: [],
    open: new Set(),
    hasUnevaluated: mentionsUnevaluated(schema),
    counter,
    referring: new Map(),
  }
  root.document = document
  register(document)
  if (lookup(document, baseUri) !== undefined)
    throw new Error(`schema with key or id "${baseUri}" already exists`)
  if (!baseUri.startsWith('#')) document.byUri.set(baseUri, root)
  document.byUri.set(NAMELESS, root)
  return document
}

function mentionsUnevaluated(schema: unknown): boolean {
  if (typeof schema !== 'object' || schema === null) return false
  return Object.entries(schema).some(
    ([key, part]) => key.startsWith('unevaluated') || mentionsUnevaluated(part),
  )
}

const lookup = ({ byUri, metaschemas }: SchemaDocument, uri: string): Place | string | undefined =>
  byUri.get(uri) ?? metaschemas(uri)

/** Registers every `$id`, `$anchor` and `$dynamicAnchor` below the root. */
function register(document: SchemaDocument): void {
  const { root, byUri, anchors } = document
  const seen = new Set<string>()
  const prefix = `${splitUri(root.baseUri).document}#`
  const note = (uri: string, schema: JsonSchema, path: string): void => {
    if (seen.has(uri)) throw ambiguous(uri)
    seen.add(uri)
    let known = lookup(document, uri)
    if (typeof known === 'string') known = lookup(document, known)
    if (typeof known === 'object') {
      if (!isEqual(schema, known.schema)) throw ambiguous(uri)
    } else if (uri !== withoutEmptyFragment(path)) {
      if (!uri.startsWith('#')) byUri.set(uri, path)
      else if (anchors.has(uri) && !isEqual(schema, anchors.get(uri))) throw ambiguous(uri)
      else anchors.set(uri, schema)
    }
  }
  traverse(
    root.schema as JsonSchema,
    (schema, pointer, outerUri) => {
      let baseUri = outerUri
      const at = (reference: string): string =>
        withoutEmptyFragment(baseUri === '' ? reference : resolveUri(baseUri, reference))
      const { $id, $anchor, $dynamicAnchor } = schema
      if (typeof $id === 'string') {
        baseUri = at(withoutEmptyFragment($id))
        note(baseUri, schema, prefix + pointer)
      }
      for (const anchor of [$anchor, $dynamicAnchor]) {
        if (typeof anchor !== 'string') continue
        if (!/^[a-z_][-a-z0-9._]*$/i.test(anchor)) throw new Error(`invalid anchor "${anchor}"`)
        note(at(`#${anchor}`), schema, prefix + pointer)
      }
      return baseUri
    },
    root.baseUri,
  )
}

const ambiguous = (uri: string): Error => new Error(`reference "${uri}" resolves to more than one schema`)

const LISTS = new Set(['items', 'allOf', 'anyOf', 'oneOf'])
const BY_NAME = new Set(['$defs', 'definitions', 'properties', 'patternProperties', 'dependencies'])
const VALUES = new Set(['default', 'enum', 'const'])

/** Visits everything that may be a schema, even inside unknown keywords, because ajv also looks for ids there. */
function traverse(
  root: JsonSchema,
  visit: (schema: JsonSchema, pointer: string, baseUri: string) => string,
  rootUri: string,
): void {
  const into = (part: unknown, pointer: string, baseUri: string): void => {
    if (isNode(part)) inner(part, pointer, visit(part, pointer, baseUri))
  }
  const inner = (schema: JsonSchema, pointer: string, baseUri: string): void => {
    for (const [key, part] of Object.entries(schema)) {
      const path = `${pointer}/${key}`
      if (Array.isArray(part)) {
        if (LISTS.has(key)) part.forEach((each, i) => into(each, `${path}/${i}`, baseUri))
      } else if (BY_NAME.has(key)) {
        if (!isNode(part)) continue
        for (const [name, each] of Object.entries(part)) into(each, `${path}/${escapePointer(name)}`, baseUri)
      } else if (!VALUES.has(key)) into(part, path, baseUri)
    }
  }
  inner(root, '', rootUri)
}

export function isNode(value: unknown): value is JsonSchema {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** @returns the target of a `$ref`, which is searched for only in the document and its dialect */
export function resolveReference(
  document: SchemaDocument,
  baseUri: string,
  reference: string,
): Place | undefined {
  const uri = resolveUri(baseUri, reference)
  const known = document.resolved.get(uri)
  if (known !== undefined) return known
  const found = find(document, uri) ?? fromAnchor(document, baseUri, uri)
  if (found !== undefined) document.resolved.set(uri, found)
  return found
}

function fromAnchor(document: SchemaDocument, baseUri: string, uri: string): Place | undefined {
  const schema = document.anchors.get(uri)
  return schema && { schema, document, baseUri }
}

function find(document: SchemaDocument, from: string): Place | undefined {
  let uri = from
  let found = lookup(document, uri)
  while (typeof found === 'string') {
    uri = found
    found = lookup(document, uri)
  }
  return found ?? findByPointer(document, uri)
}

const HOP_STEPS = 128

function findByPointer(document: SchemaDocument, uri: string): Place | undefined {
  const { root, counter } = document
  counter?.spend(HOP_STEPS)
  const { document: id, fragment } = splitUri(uri)
  if (id === splitUri(root.baseUri).document) return atPointer(root, fragment)
  const known = lookup(document, withoutEmptyFragment(id))
  const owner = typeof known === 'string' ? findByPointer(document, known) : known
  if (owner === undefined) return undefined
  if (withoutEmptyFragment(id) === withoutEmptyFragment(uri)) return owner
  return atPointer(owner, fragment)
}

/** Keywords whose property names are chosen by the author, so that a property called `$id` is not an identifier. */
const NAMES = new Set(['properties', 'patternProperties', 'enum', 'dependencies', 'definitions'])

function atPointer(owner: Place, fragment: string | undefined): Place | undefined {
  if (fragment === undefined || !fragment.startsWith('/')) return undefined
  let { schema, baseUri }: { schema: unknown; baseUri: string } = owner
  for (const token of fragment.slice(1).split('/')) {
    const key = decodeURIComponent(token).replaceAll('~1', '/').replaceAll('~0', '~')
    if (typeof schema !== 'object' || schema === null || !Object.hasOwn(schema, key)) return undefined
    schema = (schema as JsonSchema)[key]
    const id = isNode(schema) ? schema['$id'] : undefined
    if (typeof id === 'string' && !NAMES.has(token)) baseUri = resolveUri(baseUri, withoutEmptyFragment(id))
  }
  const { document } = owner
  if (schema === undefined) return undefined
  const onward = isOnlyReference(schema, document.dialect)
    ? findByPointer(document, resolveUri(baseUri, schema.$ref))
    : undefined
  const found = onward ?? { schema: schema as SchemaOrBoolean, document, baseUri }
  return found.schema === found.document.root.schema ? undefined : found
}
