import type { JsonSchema } from '@jetway/core'
import type { Body, Json, MediaType, Operation, Parameter } from '../document/model.ts'
import { resolve } from '../document/pointer.ts'
import { tidy } from '../document/values.ts'
import { type BodyKind, type BodyPlan, kindOf } from '../request/plan.ts'
import type { reservedNames } from '../request/credentials.ts'
import type { Definitions } from '../schema/definitions.ts'
import { argumentName, Names } from './names.ts'
import { FILE, isFile, shapeOf } from './shape.ts'

/** The arguments of an operation. */
export interface Arguments {
  readonly parameters: ReadonlyMap<string, Parameter>
  readonly body: BodyPlan | undefined
  readonly inputSchema: JsonSchema
}

interface Building {
  readonly definitions: Definitions
  readonly names: Names
  readonly properties: [string, unknown][]
  readonly required: string[]
  readonly references: Set<string>
}

const ORDER = ['path', 'query', 'header', 'cookie'] as const
const MAX_DESCRIPTION = 1024

/** Puts parameters and the properties of an object body side by side. */
export function buildArguments(
  operation: Operation,
  definitions: Definitions,
  reserved: ReturnType<typeof reservedNames>,
): Arguments {
  const building: Building = {
    definitions,
    names: new Names(),
    properties: [],
    required: [],
    references: new Set(),
  }
  const parameters = new Map<string, Parameter>()
  for (const place of ORDER) {
    for (const parameter of operation.parameters) {
      if (parameter.in !== place || !isArgument(parameter, reserved)) continue
      const wanted = argumentName(parameter.name)
      const name = building.names.take(
        building.names.has(wanted) ? `${place}_${wanted}` : wanted,
        parameter.name,
      )
      parameters.set(name, parameter)
      add(building, name, {
        schema: parameter.schema,
        isRequired: parameter.required,
        text: parameter.description,
      })
    }
  }
  const body = operation.body && addBody(operation, operation.body, building)
  const { properties, required, references } = building
  const schema = {
    type: 'object',
    properties: Object.fromEntries(properties),
    ...(required.length > 0 && { required }),
    additionalProperties: false,
  }
  return { parameters, body, inputSchema: definitions.close(schema, references) }
}

function isArgument(parameter: Parameter, reserved: ReturnType<typeof reservedNames>): boolean {
  const { name, in: place, required, deprecated } = parameter
  if (place === 'path') return true
  if (reserved[place].has(name.toLowerCase())) return false
  if (place !== 'query') return required
  return required || !deprecated
}

interface Added {
  readonly schema: unknown
  readonly isRequired: boolean
  readonly text?: string | undefined
  /** A schema that replaces that of the document. */
  readonly instead?: JsonSchema | undefined
}

function add(building: Building, name: string, { schema: raw, isRequired, text, instead }: Added): void {
  const { schema, references } =
    instead === undefined ? building.definitions.convert(raw) : { schema: instead, references: [] }
  for (const reference of references) building.references.add(reference)
  const description = text === undefined ? '' : tidy(text, MAX_DESCRIPTION)
  // Hosts expect an object as the schema of an argument.
  const plain = schema === true ? {} : schema
  const described = description === '' ? plain : { ...(typeof schema === 'object' && schema), description }
  building.properties.push([name, described])
  if (isRequired) building.required.push(name)
}

/** The best known way to write a body comes first. */
const KINDS: readonly BodyKind[] = ['json', 'form', 'multipart', 'text', 'bytes']

function addBody(operation: Operation, body: Body, building: Building): BodyPlan | undefined {
  const ways = body.content.map((media) => ({ media, kind: kindOf(media.type) }))
  const way = KINDS.map((kind) => ways.find((it) => it.kind === kind)).find((it) => it !== undefined)
  if (way === undefined) return undefined
  const { root } = building.definitions.rules
  const shape = way.kind === 'text' || way.kind === 'bytes' ? undefined : shapeOf(root, way.media.schema)
  const hasRequired = shape !== undefined && shape.required.size > 0
  const isWrite = operation.method === 'post' || operation.method === 'put' || operation.method === 'patch'
  // Many documents forget `required` of the body, but not that of its properties. An optional body elsewhere stays one.
  const canSpread = shape !== undefined && (body.required || !hasRequired || isWrite)
  const files =
    way.kind === 'multipart' ? filesIn(root, way.media, shape?.properties) : new Map<string, JsonSchema>()
  const names = canSpread ? spread([...shape.properties.keys()], building.names) : undefined
  const plan = { ...way, files: new Set(files.keys()) }
  if (names === undefined || shape === undefined) {
    const argument = building.names.take(building.names.has('body') ? 'request_body' : 'body', 'body')
    add(building, argument, {
      schema: way.media.schema,
      isRequired: body.required,
      text: body.description,
      instead: wholeBody(way, files, building),
    })
    return { ...plan, required: body.required, argument, properties: new Map() }
  }
  for (const [argument, property] of names) {
    building.names.take(argument, property)
    const isRequired = shape.required.has(property)
    add(building, argument, {
      schema: shape.properties.get(property),
      isRequired,
      instead: files.get(property),
    })
  }
  return { ...plan, required: body.required || hasRequired, argument: undefined, properties: names }
}

/**
 * Names the arguments for the properties of a body. One that collides with a parameter gets a prefix.
 *
 * @returns undefined if several collide, so that the body is one argument
 */
function spread(properties: readonly string[], names: Names): ReadonlyMap<string, string> | undefined {
  const given = new Map<string, string>()
  let collisions = 0
  for (const property of properties) {
    const wanted = argumentName(property)
    const isTaken = names.has(wanted) || given.has(wanted)
    if (isTaken) collisions += 1
    const name = isTaken ? argumentName(`body_${wanted}`) : wanted
    if (collisions > 1 || names.has(name) || given.has(name)) return undefined
    given.set(name, property)
  }
  return given
}

/** The schemas of the properties that are files, or lists of files. */
function filesIn(
  root: Json,
  { encoding }: MediaType,
  properties: ReadonlyMap<string, unknown> | undefined,
): Map<string, JsonSchema> {
  const files = new Map<string, JsonSchema>()
  for (const [name, property] of properties ?? []) {
    const schema = resolve(root, property)
    const description =
      typeof schema?.['description'] === 'string'
        ? { description: tidy(schema['description'], MAX_DESCRIPTION) }
        : {}
    const type = encoding.get(name)?.contentType ?? ''
    if (isFile(root, property) && !/^(?:text\/|application\/json)/.test(type))
      files.set(name, { ...FILE, ...description })
    else if (schema?.['type'] === 'array' && isFile(root, schema['items']))
      files.set(name, { type: 'array', items: FILE, ...description })
  }
  return files
}

/** The schema of a body that is one argument, where that of the document does not say how to write it. */
function wholeBody(
  { kind, media }: { readonly kind: BodyKind; readonly media: MediaType },
  files: ReadonlyMap<string, JsonSchema>,
  { definitions, references }: Building,
): JsonSchema | undefined {
  if (kind === 'bytes') return FILE
  if (kind === 'text') return { type: 'string' }
  if (kind === 'json') return undefined
  const { schema, references: found } = definitions.convert(media.schema)
  for (const reference of found) references.add(reference)
  if (typeof schema === 'boolean') return { type: 'object' }
  const { properties } = schema
  if (files.size === 0 || typeof properties !== 'object') return undefined
  return { ...schema, properties: { ...properties, ...Object.fromEntries(files) } }
}
