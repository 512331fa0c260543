import type { JsonObject } from '../jsonrpc.ts'
import { Method } from '../methods.ts'
import {
  structuredJson,
  structuredObjectJson,
  WRAPPED_OUTPUT,
  type WithWrappedOutput,
} from '../structured.ts'
import type {
  CallToolResult,
  ContentBlock,
  GetPromptResult,
  ReadResourceResult,
  SamplingContent,
  Tool,
} from '../types.ts'
import type { RevisionData } from './data.ts'
import type { Shape } from './revision.ts'
import type { Projector } from './project.ts'

/** Encodes the result of one method as JSON text. */
export type Encoder = (result: JsonObject) => string

/**
 * Creates encoders for the methods whose results need more than `JSON.stringify`, from the data of one
 * revision.
 */
export function createEncoders(data: RevisionData, projector: Projector): ReadonlyMap<string, Encoder> {
  const list =
    (member: string, project: (item: never) => JsonObject): Encoder =>
    (result) => {
      const items = result[member]
      return JSON.stringify({
        ...result,
        [member]: Array.isArray(items) ? items.map((item) => project(item as never)) : [],
      })
    }
  const of =
    (shape: Shape) =>
    (item: object): JsonObject =>
      projector.project(shape, item)
  return new Map<string, Encoder>([
    [Method.CallTool, toolResultEncoder(data, projector)],
    [Method.GetPrompt, (result) => encodePrompt(projector, result as unknown as GetPromptResult)],
    [Method.ReadResource, (result) => encodeContents(projector, result as unknown as ReadResourceResult)],
    [Method.ListTools, list('tools', (tool: Tool) => projectTool(data, projector, tool))],
    [Method.ListResources, list('resources', of('resource'))],
    [Method.ListResourceTemplates, list('resourceTemplates', of('resourceTemplate'))],
    [Method.ListPrompts, list('prompts', of('prompt'))],
  ])
}

/**
 * If structured values must be objects, the schema of a tool that allows other values is omitted, or wrapped in
 * an object.
 */
export function projectTool(
  { structured }: RevisionData,
  projector: Projector,
  tool: Tool & WithWrappedOutput,
): JsonObject {
  const { outputSchema, ...rest } = tool
  if (structured === 'any' || outputSchema?.['type'] === 'object') return projector.project('tool', tool)
  const wrapped = tool[WRAPPED_OUTPUT]
  return projector.project('tool', wrapped === undefined ? rest : { ...rest, outputSchema: wrapped })
}

const STRUCTURED_TEXT = { any: structuredJson, object: structuredObjectJson, none: () => undefined }

function toolResultEncoder(data: RevisionData, projector: Projector): Encoder {
  const structuredText = STRUCTURED_TEXT[data.structured ?? 'none']
  return (result) => {
    const { content, isError, _meta } = result as unknown as CallToolResult
    let json = `{"content":${encodeBlocks(projector, content)}`
    const text = structuredText(result)
    if (text !== undefined) json += `,"structuredContent":${text}`
    if (isError === true) json += ',"isError":true'
    if (_meta !== undefined) json += `,"_meta":${JSON.stringify(_meta)}`
    return `${json}}`
  }
}

function encodeBlocks(projector: Projector, content: readonly ContentBlock[]): string {
  const only = content.length === 1 ? content[0] : undefined
  if (only?.type === 'text' && only.annotations === undefined && only._meta === undefined) {
    return `[{"type":"text","text":${JSON.stringify(only.text)}}]`
  }
  return JSON.stringify(content.map((block) => projector.block(block)))
}

function encodePrompt(projector: Projector, { messages, ...rest }: GetPromptResult): string {
  return JSON.stringify({
    ...rest,
    messages: messages.map(({ role, content }) => ({ role, content: projector.block(content) })),
  })
}

function encodeContents(projector: Projector, { contents, ...rest }: ReadResourceResult): string {
  return JSON.stringify({ ...rest, contents: contents.map((item) => projector.project('contents', item)) })
}

export function projectSampling(projector: Projector, params: JsonObject): JsonObject {
  const block = (content: SamplingContent): object =>
    content.type === 'tool_use' || content.type === 'tool_result' ? content : projector.block(content)
  const messages = params['messages'] as readonly {
    role: string
    content: SamplingContent | SamplingContent[]
  }[]
  return {
    ...params,
    messages: messages.map(({ role, content }) => ({
      role,
      content: Array.isArray(content) ? content.map(block) : block(content),
    })),
  }
}
