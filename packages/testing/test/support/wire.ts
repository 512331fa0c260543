import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { JsonObject } from '@jetway/core/protocol'
import { closeSchema } from './closed-schema.ts'
import { type Definitions, flatten, nameOf } from './flat-schema.ts'
import { type WireExtension, withExtensions } from './wire-extensions.ts'

export interface WireContext {
  /** The sender. */
  readonly direction: 'client' | 'server'
  /** The method of the request to which a response belongs. If it is unknown, only the envelope is validated. */
  readonly method?: string | undefined
  /** The name of the result's definition, if the method does not determine it. */
  readonly result?: string
  /** The extensions whose messages are allowed as well. @default none */
  readonly extensions?: readonly WireExtension[]
}

interface Validate {
  (value: unknown): boolean
  errors?:
    | readonly { readonly instancePath: string; readonly message?: string; readonly params: object }[]
    | null
}
interface Ajv {
  addSchema(schema: object, key: string): void
  getSchema(ref: string): Validate | undefined
}

// Uses core's copy of ajv, so that the tests do not need their own dependency on it.
const requireFromCore = createRequire(import.meta.resolve('@jetway/core/package.json'))
const wires = new Map<string, Wire>()

/**
 * Validates a message or a batch against the protocol's published JSON Schema for a revision.
 *
 * @returns the problems; an empty list if there are none
 */
export function validateWire(revision: string, message: unknown, context: WireContext): readonly string[] {
  const { extensions = [] } = context
  const key = [revision, ...extensions].join()
  const checked = wires.get(key) ?? new Wire(revision, extensions)
  wires.set(key, checked)
  return Array.isArray(message)
    ? message.flatMap((item) => checked.check(item, context))
    : checked.check(message, context)
}

class Wire {
  readonly #root: string
  readonly #definitions: Readonly<Record<string, JsonObject>>
  readonly #ajv: Ajv
  /** The name of each request's or notification's definition, keyed by method. */
  readonly #byMethod = new Map<string, string>()
  /** The name of the definition of the complete message, keyed by error code. */
  readonly #byCode = new Map<unknown, string>()

  constructor(revision: string, extensions: readonly WireExtension[]) {
    const url = new URL(`../../fixtures/schema/${revision}.json`, import.meta.url)
    const published = JSON.parse(readFileSync(url, 'utf8')) as JsonObject
    this.#root = '$defs' in published ? '$defs' : 'definitions'
    const open = (published[this.#root] ?? {}) as Definitions
    const flat: JsonObject = { [this.#root]: withExtensions(flattened(open), extensions) }
    const definitions = closeSchema(flat)[this.#root] as Record<string, JsonObject>
    repair(definitions)
    this.#definitions = definitions
    const module = this.#root === '$defs' ? 'ajv/dist/2020.js' : 'ajv'
    const { default: Constructor } = requireFromCore(module) as { default: new (options: object) => Ajv }
    this.#ajv = new Constructor({ strict: false, validateFormats: false, allErrors: true })
    this.#ajv.addSchema({ [this.#root]: definitions }, 'wire')
    for (const [name, definition] of Object.entries(definitions)) {
      const method = (definition['properties'] as { method?: { const?: string } } | undefined)?.method?.const
      // A union with only one member is equivalent to that member, so the first definition of a method is
      // sufficient.
      if (method !== undefined && !this.#byMethod.has(method)) this.#byMethod.set(method, name)
      const code = codeOf(definition)
      if (code !== undefined) this.#byCode.set(code, name)
    }
  }

  check(message: unknown, { direction, method, result: named }: WireContext): string[] {
    if (typeof message !== 'object' || message === null) return ['a message must be an object']
    const { method: own, result } = message as { method?: unknown; result?: unknown }
    if (typeof own === 'string') return this.#checkCall(message, own, direction)
    if (result === undefined) return this.#checkError(message)
    const envelope = this.#against(this.#first('JSONRPCResultResponse', 'JSONRPCResponse'), message)
    const name = named ?? (method === undefined ? undefined : this.#resultOf(method, result))
    return name === undefined ? envelope : [...envelope, ...this.#against(name, result)]
  }

  #checkError(message: object): string[] {
    const { code } = (message as { error?: { code?: unknown } }).error ?? {}
    const name = this.#byCode.get(code)
    const own = name === undefined ? [] : this.#against(name, message)
    return [...this.#against(this.#first('JSONRPCErrorResponse', 'JSONRPCError'), message), ...own]
  }

  #checkCall(message: object, method: string, direction: WireContext['direction']): string[] {
    const name = this.#byMethod.get(method)
    if (name === undefined) return [`the revision has no method ${method}`]
    const kind = name.endsWith('Notification') ? 'Notification' : 'Request'
    const allowed = this.#definitions[`${direction === 'client' ? 'Client' : 'Server'}${kind}`]
    if (allowed !== undefined && !members(allowed).includes(name))
      return [`a ${direction} does not send ${method}`]
    return this.#against(name, message)
  }

  /**
   * Returns the definition of a result, which is named after its request. Requests without a result
   * definition have an empty result.
   */
  #resultOf(method: string, result: unknown): string {
    const request = this.#byMethod.get(method)
    if (request === undefined) return 'Result'
    const { resultType } = result as { resultType?: unknown }
    if (resultType === 'input_required') return 'InputRequiredResult'
    // https://modelcontextprotocol.io/seps/2663-tasks-extension#polymorphic-results
    if (resultType === 'task' && method === 'tools/call') return this.#first('CreateTaskResult')
    const name = request.replace(/Request$/, 'Result')
    return name in this.#definitions ? name : 'EmptyResult'
  }

  #first(...names: readonly string[]): string {
    return names.find((name) => name in this.#definitions) ?? 'missing'
  }

  #against(name: string, value: unknown): string[] {
    const validate = this.#ajv.getSchema(`wire#/${this.#root}/${name}`)
    if (validate === undefined) return [`the revision has no definition ${name}`]
    if (validate(value)) return []
    return (validate.errors ?? []).map(
      ({ instancePath, message, params }) => `${name}${instancePath} ${message} ${JSON.stringify(params)}`,
    )
  }
}

const members = (union: JsonObject): string[] =>
  ((union['anyOf'] ?? [union]) as { $ref?: string }[]).map(({ $ref = '' }) => nameOf($ref))

/** Flattens errors, and definitions that combine other ones. */
const flattened = (definitions: Definitions): Definitions =>
  Object.fromEntries(
    Object.entries(definitions).map(([name, definition]) => [
      name,
      'allOf' in definition || name.endsWith('Error')
        ? (flatten(definition, definitions) as JsonObject)
        : definition,
    ]),
  )

interface ErrorParts {
  readonly code?: { readonly const?: number }
  readonly data?: JsonObject
}
const errorOf = ({ properties }: JsonObject): ErrorParts =>
  ((properties as JsonObject | undefined)?.['error'] as { properties?: ErrorParts } | undefined)
    ?.properties ?? {}
const codeOf = (definition: JsonObject): number | undefined => errorOf(definition).code?.const

/** Corrects the published schema where it differs from the specification. */
function repair(definitions: Record<string, JsonObject>): void {
  // `schema.ts` allows any number. See
  // https://modelcontextprotocol.io/specification/2025-06-18/schema#elicitresult.
  const elicit = definitions['ElicitResult']
  if (elicit !== undefined) definitions['ElicitResult'] = integersToNumbers(elicit) as JsonObject
  // The response to an unreadable message has no id, which older schemas do not allow.
  const error = definitions['JSONRPCError']
  if (error !== undefined) definitions['JSONRPCError'] = { ...error, required: ['error', 'jsonrpc'] }
  for (const [name, definition] of Object.entries(definitions)) definitions[name] = withEnvelope(definition)
  // `_meta` may contain any property.
  for (const [name, definition] of Object.entries(definitions))
    if (name.endsWith('MetaObject')) delete (definition as Record<string, unknown>)['additionalProperties']
  // If an error has a specific code, its data is defined, so it can be closed.
  for (const definition of Object.values(definitions)) {
    const { code, data } = errorOf(definition)
    if (code?.const !== undefined && data !== undefined) Object.assign(data, closeSchema(data))
  }
  // EmptyResult is an alias of Result, which is open because other definitions extend it.
  const { properties } = definitions['Result'] as { properties?: JsonObject }
  definitions['EmptyResult'] = { ...definitions['Result'], properties, additionalProperties: false }
}

/** Older schemas define the envelope and the `_meta` of requests only in JSONRPCRequest and Request. */
function withEnvelope(definition: JsonObject): JsonObject {
  const properties = definition['properties'] as Record<string, JsonObject> | undefined
  if (properties?.['method']?.['const'] === undefined || 'jsonrpc' in properties) return definition
  const { params = { type: 'object', additionalProperties: false } } = properties
  return {
    ...definition,
    properties: {
      jsonrpc: { const: '2.0' },
      id: { type: ['string', 'integer'] },
      ...properties,
      params: {
        ...params,
        properties: { _meta: { type: 'object' }, ...(params['properties'] as JsonObject | undefined) },
      },
    },
  }
}

function integersToNumbers(value: unknown): unknown {
  if (value === 'integer') return 'number'
  if (Array.isArray(value)) return value.map(integersToNumbers)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, integersToNumbers(item)]))
}
