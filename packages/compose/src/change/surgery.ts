import { type JsonSchema, UsageError } from '@jetway/core'
import { isObject, type JsonObject, nearestName } from '@jetway/core/protocol'

/** What a view does with one argument. */
export interface ArgumentSurgery {
  /** The argument's name for clients. */
  readonly name?: string | undefined
  readonly description?: string | undefined
  readonly hide?: boolean | undefined
  readonly value?: unknown
}

/** How the arguments of a client become those of the tool. */
export interface ArgumentMap {
  readonly schema: JsonSchema
  /** The tool's names of renamed arguments, by their names for clients. */
  readonly renamed: ReadonlyMap<string, string>
  /** The names that clients must not send: of hidden arguments, and the former names of renamed ones. */
  readonly refused: ReadonlySet<string>
  /** The values of the hidden arguments, by name. An optional argument may have none, and is never sent. */
  readonly hidden: ReadonlyMap<string, unknown>
}

/** The root keywords that name no argument, or whose names are changed below. */
const HARMLESS: ReadonlySet<string> = new Set([
  '$schema',
  '$id',
  '$defs',
  'definitions',
  '$comment',
  'type',
  'title',
  'description',
  'examples',
  'default',
  'properties',
  'required',
  'additionalProperties',
  'deprecated',
])

/**
 * Renames, describes and hides the arguments of a tool. Only `properties` and `required` of the root are changed.
 *
 * @throws `ERR_MCP_COMPOSE` with the tool and the path for a schema with other rules about its arguments, for an
 * unknown argument, for a name that exists already, and for a hidden argument that is required and has no value
 */
export function changeArguments(
  tool: string,
  schema: JsonSchema,
  changes: Readonly<Record<string, ArgumentSurgery>>,
): ArgumentMap {
  const fault = (path: string, problem: string): Error =>
    new UsageError(
      'ERR_MCP_COMPOSE',
      `The tool ${JSON.stringify(tool)} cannot be changed at ${path}: ${problem}`,
    )
  const { properties, required } = checkRoot(schema, fault)
  const names = Object.keys(properties)
  const hidden = new Map<string, unknown>()
  for (const [name, change] of Object.entries(changes)) {
    const path = `args.${name}`
    if (!Object.hasOwn(properties, name)) throw fault(path, unknownArgument(name, names))
    if (change.hide === true) {
      const value = hiddenValue(change, properties[name], (it) => fault(path, it))
      if (value !== undefined) hidden.set(name, value)
      else if (required.includes(name))
        throw fault(
          path,
          'a hidden argument that is required needs a value, because its schema has no default',
        )
    } else if (change.value !== undefined)
      throw fault(path, 'only a hidden argument has a value: add hide: true')
  }
  const isHidden = (name: string): boolean => ownChange(changes, name)?.hide === true
  const outer = new Map<string, string>()
  for (const name of names.filter((it) => !isHidden(it))) {
    const newName = ownChange(changes, name)?.name ?? name
    if (newName === '' || newName === '__proto__') throw fault(`args.${name}`, 'the new name cannot be used')
    if (outer.has(newName) || isHidden(newName))
      throw fault(`args.${name}`, `there is an argument ${JSON.stringify(newName)} already`)
    outer.set(newName, name)
  }
  const shown = [...outer].map(
    ([newName, name]) => [newName, describe(properties[name], ownChange(changes, name))] as const,
  )
  const stillRequired = [...outer].flatMap(([newName, name]) => (required.includes(name) ? [newName] : []))
  return {
    schema: {
      ...schema,
      properties: Object.fromEntries(shown),
      ...(schema['required'] !== undefined && { required: stillRequired }),
    },
    renamed: new Map([...outer].filter(([newName, name]) => newName !== name)),
    refused: new Set(names.filter((name) => !outer.has(name))),
    hidden,
  }
}

function hiddenValue(
  { name, value }: ArgumentSurgery,
  property: unknown,
  fault: (problem: string) => Error,
): unknown {
  if (name !== undefined) throw fault('a hidden argument has no other name')
  return value === undefined && isObject(property) ? property['default'] : value
}

const ownChange = <T>(changes: Readonly<Record<string, T>>, name: string): T | undefined =>
  Object.hasOwn(changes, name) ? changes[name] : undefined

type Fault = (path: string, problem: string) => Error

function checkRoot(
  schema: JsonSchema,
  fault: Fault,
): { readonly properties: JsonObject; readonly required: readonly unknown[] } {
  const { type, properties = {}, required = [] } = schema
  if (type !== undefined && type !== 'object') throw fault('inputSchema.type', 'it must be "object"')
  if (!isObject(properties)) throw fault('inputSchema.properties', 'it must be an object')
  if (!Array.isArray(required)) throw fault('inputSchema.required', 'it must be an array')
  const rule = Object.keys(schema).find((keyword) => !HARMLESS.has(keyword))
  if (rule !== undefined)
    throw fault(`inputSchema.${rule}`, 'only properties and required of the root can be changed')
  const reference = findReference(schema, 'inputSchema')
  if (reference !== undefined) throw fault(reference, 'it refers to the arguments that the change moves')
  return { properties, required }
}

/** Returns the path of a reference to the root or to one of its properties; undefined if there is none. */
function findReference(value: unknown, path: string): string | undefined {
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) {
      const found = findReference(item, `${path}[${index}]`)
      if (found !== undefined) return found
    }
    return undefined
  }
  if (!isObject(value)) return undefined
  for (const keyword of ['$ref', '$dynamicRef', '$recursiveRef']) {
    const target = value[keyword]
    if (typeof target === 'string' && /^#(?:\/?$|\/properties\/)/.test(target)) return `${path}.${keyword}`
  }
  for (const [key, part] of Object.entries(value)) {
    const found = findReference(part, `${path}.${key}`)
    if (found !== undefined) return found
  }
  return undefined
}

function describe(property: unknown, change: ArgumentSurgery | undefined): unknown {
  if (change?.description === undefined) return property
  // A boolean schema has no place for a description.
  return isObject(property)
    ? { ...property, description: change.description }
    : { description: change.description }
}

function unknownArgument(name: string, names: readonly string[]): string {
  const nearest = nearestName(name, names)
  return `there is no such argument${nearest === undefined ? '' : `; did you mean ${JSON.stringify(nearest)}?`}`
}
