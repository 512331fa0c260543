import {
  type AnyResource,
  type AnyResourceTemplate,
  type JsonSchema,
  McpError,
  type RequestContext,
  resourceNotFound,
  ToolError,
} from '@jetway/core'
import { createValidator } from '@jetway/json-schema'
import type { Json, Parameter } from '../document/model.ts'
import { asJson, OperationFault } from '../document/values.ts'
import { isJsonType, isTextType } from '../request/plan.ts'
import { type Reply, textOfReply } from '../request/read.ts'
import type { Built } from './build.ts'
import { describeOperation } from './description.ts'
import { snake } from './names.ts'

export interface ResourceRules<App, Locals> {
  /** The name of the resource. */
  readonly name: string
  /** The scheme of the URI, from the document's title. */
  readonly scheme: string
  /** Sends the request. Throws for replies that are not successful. */
  readonly read: (args: Json, ctx: RequestContext<App, Locals>) => Promise<Reply>
}

/** `Pet Store (v2)` becomes `pet-store-v2`. See https://www.rfc-editor.org/rfc/rfc3986#section-3.1. */
export const schemeOf = (title: string): string => {
  const name = snake(title)
    .replaceAll('_', '-')
    .replace(/^[^a-z]+/, '')
    .slice(0, 32)
  return name === '' ? 'api' : name
}

/**
 * Makes a resource of an operation without arguments, or a template of one with arguments in its path.
 *
 * @throws OperationFault for an operation that is no GET, or that needs other arguments
 */
export function toResource<App, Locals>(
  built: Built,
  { name, scheme, read }: ResourceRules<App, Locals>,
): { readonly resource: AnyResource<App, Locals> } | { readonly template: AnyResourceTemplate<App, Locals> } {
  const { operation, plan, inputSchema } = built
  const needed = [...plan.parameters].filter(([, { required }]) => required)
  if (operation.method !== 'get' || needed.some(([, it]) => it.in !== 'path' && it.in !== 'query'))
    throw new OperationFault('a resource must be a GET whose arguments are in its path and query')
  const isText = built.mimeType !== undefined && (isJsonType(built.mimeType) || isTextType(built.mimeType))
  const shown = {
    name,
    description: describeOperation(operation),
    ...(isText && { mimeType: built.mimeType }),
  }
  if (needed.length === 0) {
    const uri = `${scheme}://${operation.path}`
    return {
      resource: { ...shown, uri, handler: async (_, ctx) => contentsOf(await attempt(read({}, ctx), uri)) },
    }
  }
  const check = checker(inputSchema)
  const variables = new Map(
    needed.map(([argument, it]) => [variableOf(argument), { argument, parameter: it }]),
  )
  return {
    template: {
      ...shown,
      uriTemplate: `${scheme}://${templateOf(operation.path, variables)}`,
      handler: async (values: Readonly<Record<string, unknown>>, ctx) => {
        const args = Array.from(variables, ([variable, { argument }]) => {
          const schema = asJson(asJson(inputSchema['properties'])[argument])
          return [argument, typed(values[variable], schema)] as const
        })
        const given = Object.fromEntries(args.filter(([, value]) => value !== undefined && value !== ''))
        if (!check(given)) throw resourceNotFound(ctx.uri)
        return contentsOf(await attempt(read(given, ctx), ctx.uri))
      },
    },
  }
}

const variableOf = (argument: string): string => argument.replace(/\W/g, '_')

function templateOf(
  path: string,
  variables: ReadonlyMap<string, { readonly argument: string; readonly parameter: Parameter }>,
): string {
  const all = [...variables]
  const filled = path.replace(/\{([^{}/]+)\}/g, (whole, name: string) => {
    const found = all.find(([, { parameter }]) => parameter.in === 'path' && parameter.name === name)
    return found === undefined ? whole : `{${found[0]}}`
  })
  const query = all.filter(([, { parameter }]) => parameter.in === 'query').map(([variable]) => variable)
  return query.length === 0 ? filled : `${filled}{?${query.join(',')}}`
}

/** Variables of a URI are text. */
function typed(value: unknown, { type }: Json): unknown {
  if (typeof value !== 'string') return value
  const types = Array.isArray(type) ? (type as unknown[]) : [type]
  const isNumber = types.includes('integer') || types.includes('number')
  if (isNumber && /^-?\d+(?:\.\d+)?$/.test(value)) return Number(value)
  if (types.includes('boolean') && (value === 'true' || value === 'false')) return value === 'true'
  return value
}

/** Created at the first read, because most servers are never asked for most of their resources. */
function checker(schema: JsonSchema): (args: Json) => boolean {
  let validator: ReturnType<typeof createValidator> | undefined
  return (args) => (validator ??= createValidator(schema)).isValid(args)
}

/** A resource has no results with errors, so they become errors of the protocol. */
async function attempt(reading: Promise<Reply>, uri: string): Promise<Reply> {
  try {
    return await reading
  } catch (error) {
    if (!(error instanceof ToolError)) throw error
    if (error.message.startsWith('HTTP 404')) throw resourceNotFound(uri)
    throw new McpError(-32603, error.message)
  }
}

function contentsOf(reply: Reply): string | Uint8Array {
  if (reply.isCut) throw new McpError(-32603, `The resource is larger than ${reply.bytes.length} bytes`)
  const isText = reply.type === '' || isJsonType(reply.type) || isTextType(reply.type)
  return isText ? textOfReply(reply) : reply.bytes
}
