import { isObject, type JsonObject, type Prompt, type Tool } from '@jetway/core/protocol'

/** The maximum depth to which types are printed. */
const MAX_DEPTH = 2
const MAX_LENGTH = 80

/** Formats a tool as a function, such as `get_order(id: string, full?: boolean)`. */
export function toolSignature({ name, inputSchema }: Pick<Tool, 'name' | 'inputSchema'>): string {
  return `${name}(${members(inputSchema, 0).join(', ')})`
}

/** Formats a prompt as a function. Its arguments are strings. */
export function promptSignature({ name, arguments: args = [] }: Prompt): string {
  return `${name}(${args.map((one) => `${one.name}${one.required === true ? '' : '?'}`).join(', ')})`
}

function members(schema: JsonObject, depth: number): readonly string[] {
  const { properties, required } = schema
  if (!isObject(properties)) return []
  const needed = Array.isArray(required) ? required : []
  return Object.entries(properties).map(
    ([name, each]) => `${name}${needed.includes(name) ? '' : '?'}: ${typeText(each, depth)}`,
  )
}

/** Formats a schema as an abbreviated TypeScript type. */
function typeText(schema: unknown, depth: number): string {
  const text = isObject(schema) ? typeOf(schema, depth) : 'unknown'
  return text.length > MAX_LENGTH ? shortForm(schema as JsonObject) : text
}

function typeOf(schema: JsonObject, depth: number): string {
  const { enum: values, const: only, type, anyOf, oneOf, $ref } = schema
  if (only !== undefined) return JSON.stringify(only)
  if (Array.isArray(values)) return values.map((value) => JSON.stringify(value)).join(' | ')
  const branches = anyOf ?? oneOf
  if (Array.isArray(branches)) return [...new Set(branches.map((each) => typeText(each, depth)))].join(' | ')
  if (typeof $ref === 'string') return $ref.slice($ref.lastIndexOf('/') + 1) || 'object'
  if (Array.isArray(type)) return type.map((each) => typeOf({ ...schema, type: each }, depth)).join(' | ')
  if (type === 'array') return arrayOf(typeText(schema['items'] ?? true, depth))
  if (type === 'object') return objectOf(schema, depth)
  return shortForm(schema)
}

const arrayOf = (item: string): string => (item.includes(' | ') ? `(${item})[]` : `${item}[]`)

function objectOf(schema: JsonObject, depth: number): string {
  const inner = depth < MAX_DEPTH ? members(schema, depth + 1) : []
  return inner.length === 0 ? 'object' : `{ ${inner.join(', ')} }`
}

const shortForm = ({ type }: JsonObject): string => (typeof type === 'string' ? type : 'unknown')
