import { ErrorCode } from '../../errors.ts'
import { isObject, type JsonObject, toErrorObject } from '../jsonrpc.ts'
import { Method } from '../methods.ts'
import { structuredJson } from '../structured.ts'
import type {
  CallToolResult,
  ContentBlock,
  GetPromptResult,
  ReadResourceResult,
  SamplingContent,
  Tool,
} from '../types.ts'
import type { RevisionData } from './data.ts'
import { createProjector, type Projector } from './project.ts'
import type { Revision } from './revision.ts'

/** The behaviour that all session revisions share, over one revision's data. */
export function legacyRevision(data: RevisionData): Revision {
  const projector = createProjector(data.fields)
  const encoders = createEncoders(data, projector)
  return {
    version: data.version,
    era: 'legacy',
    methods: new Set(data.methods),
    notifications: new Set(data.notifications),
    serverRequests: new Set(data.serverRequests),
    batching: data.batching,
    versionHeader: data.versionHeader,
    primesStreams: data.primesStreams,
    progressMessage: data.progressMessage,
    forms: data.forms,
    elicitationIds: data.elicitationIds,
    samplingTools: data.samplingTools,
    tasks: data.tasks,
    cancelOnDisconnect: false,
    projectTool: (tool) => projectTool(projector, tool),
    projectResource: (resource) => projector.project('resource', resource),
    projectResourceTemplate: (template) => projector.project('resourceTemplate', template),
    projectPrompt: (prompt) => projector.project('prompt', prompt),
    projectImplementation: (info) => projector.project('implementation', info),
    projectSampling: (params) => projectSampling(projector, params),
    projectCapabilities: (capabilities) => projector.project('capabilities', capabilities),
    encodeResult: (method, result) => encoders.get(method)?.(result) ?? JSON.stringify(result),
    encodeError: (error) => {
      const plain = toErrorObject(error)
      return error.reason === 'resource-not-found' ? { ...plain, code: ErrorCode.ResourceNotFound } : plain
    },
    // Errors are answers like any other here; 404 would tell the client that its session is gone.
    httpStatus: (error) => (error.reason === 'busy' ? 503 : 200),
  }
}

function projectSampling(projector: Projector, params: JsonObject): JsonObject {
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

type Encoder = (result: JsonObject) => string

function createEncoders(data: RevisionData, projector: Projector): ReadonlyMap<string, Encoder> {
  const list =
    (member: string, project: (item: never) => JsonObject): Encoder =>
    (result) => {
      const items = result[member]
      return JSON.stringify({
        ...result,
        [member]: Array.isArray(items) ? items.map((item) => project(item as never)) : [],
      })
    }
  return new Map<string, Encoder>([
    [Method.CallTool, toolResultEncoder(data, projector)],
    [Method.GetPrompt, (result) => encodePrompt(projector, result as unknown as GetPromptResult)],
    [Method.ReadResource, (result) => encodeContents(projector, result as unknown as ReadResourceResult)],
    [Method.ListTools, list('tools', (tool: Tool) => projectTool(projector, tool))],
    [Method.ListResources, list('resources', (resource: object) => projector.project('resource', resource))],
    [
      Method.ListResourceTemplates,
      list('resourceTemplates', (template: object) => projector.project('resourceTemplate', template)),
    ],
    [Method.ListPrompts, list('prompts', (prompt: object) => projector.project('prompt', prompt))],
  ])
}

/** Session revisions know schemas of objects only; a tool with another one is shown without. */
function projectTool(projector: Projector, tool: Tool): JsonObject {
  const { outputSchema, ...rest } = tool
  return projector.project('tool', outputSchema?.['type'] === 'object' ? tool : rest)
}

function toolResultEncoder(data: RevisionData, projector: Projector): Encoder {
  const hasStructured = data.fields.callToolResult.includes('structuredContent')
  return (result) => {
    const { content, isError, structuredContent, _meta } = result as unknown as CallToolResult
    let json = `{"content":${encodeBlocks(projector, content)}`
    if (hasStructured && isObject(structuredContent)) {
      const structured = structuredJson(result)
      // An object can be something else in JSON: a date is a string.
      if (structured?.startsWith('{') === true) json += `,"structuredContent":${structured}`
    }
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
