import { type AnyTool, type JsonSchema, type RequestContext, type ToolResult } from '@jetway/core'
import type { Json } from '../document/model.ts'
import { member, tidy } from '../document/values.ts'
import { assemble } from '../request/assemble.ts'
import { refuseFailure } from '../request/failure.ts'
import { type Pagination, readPages } from '../request/pages.ts'
import { readReply, type Reply } from '../request/read.ts'
import { ofJson, toResult } from '../request/result.ts'
import { type Api, send } from '../request/send.ts'
import type { Built } from './build.ts'
import { deferredSchema } from './deferred-schema.ts'
import { describeOperation, hintsOf } from './description.ts'

export interface CallLimits {
  readonly uploadBytes: number
  readonly downloadBytes: number
  readonly resultBytes: number
}

export interface ToolRules<App, Locals> {
  readonly name: string
  readonly api: Api<App, Locals>
  readonly limits: CallLimits
  readonly pagination: Pagination | undefined
  /** Whether results are checked against the `outputSchema`. */
  readonly validate: boolean
}

/** The argument that asks for all pages of a list, under a name that the operation does not have. */
const argumentForAll = ({ properties }: JsonSchema): string => {
  const names = ['all_pages', 'follow_all_pages', 'fetch_all_pages']
  return names.find((name) => member(properties, name) === undefined) ?? 'all_pages'
}

export function toTool<App, Locals>(built: Built, rules: ToolRules<App, Locals>): AnyTool<App, Locals> {
  const { operation, plan, outputSchema } = built
  const { name, api, limits, pagination } = rules
  const resultRules = { name, isStructured: outputSchema !== undefined, resultBytes: limits.resultBytes }
  const all = argumentForAll(built.inputSchema)
  const call = async (given: Json, ctx: RequestContext<App, Locals>): Promise<ToolResult> => {
    if (pagination === undefined || member(given, all) !== true)
      return toResult(await callOnce(built, rules, given, ctx), resultRules)
    return ofJson(await readPages(api, plan, given, { pagination, ...limits }, ctx), resultRules)
  }
  return {
    name,
    ...(operation.summary !== undefined && { title: tidy(operation.summary, 128) }),
    description: describeOperation(operation),
    annotations: hintsOf(operation),
    inputSchema: deferredSchema(
      name,
      pagination === undefined ? built.inputSchema : withAllPages(built.inputSchema, all, pagination),
    ),
    // The root is closed already, and the document decides about everything inside.
    strictInput: false,
    ...(outputSchema !== undefined && {
      outputSchema: deferredSchema(name, outputSchema),
      validateOutput: rules.validate,
    }),
    handler: (args: Json, ctx: RequestContext<App, Locals>) => call(args, ctx),
  }
}

/** Sends one request. @throws ToolError for a reply that is not successful */
export async function callOnce<App, Locals>(
  { plan }: Built,
  { api, limits }: Pick<ToolRules<App, Locals>, 'api' | 'limits'>,
  args: Json,
  ctx: RequestContext<App, Locals>,
): Promise<Reply> {
  const request = assemble(plan, args, limits.uploadBytes)
  const { response } = await send(api, plan, request, ctx)
  const reply = await readReply(response, {
    limit: limits.downloadBytes,
    progress: (received, total) => void ctx.progress(received, total, 'Downloading'),
  })
  refuseFailure(plan.key, reply)
  return reply
}

function withAllPages(schema: JsonSchema, name: string, { max = 500 }: Pagination): JsonSchema {
  const description = `Whether to fetch the pages that follow, up to ${max} items`
  const properties = { ...(schema['properties'] as object), [name]: { type: 'boolean', description } }
  return { ...schema, properties }
}
