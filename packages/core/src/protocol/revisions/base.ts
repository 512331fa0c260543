import { isObject, type JsonObject } from '../jsonrpc.ts'
import { Method } from '../methods.ts'
import type {
  CallToolResult,
  ContentBlock,
  GetPromptResult,
  ReadResourceResult,
  SamplingContent,
  Tool,
} from '../types.ts'
import type { RevisionData } from './data.ts'
import type { Revision, Shape } from './revision.ts'

/** The members that each era adds to the shared behaviour. */
type OfEra =
  | 'era'
  | 'rounds'
  | 'cancelOnDisconnect'
  | 'parameterHeaders'
  | 'envelope'
  | 'encodeError'
  | 'httpStatus'

/** A result as JSON text. */
type Encoder = (result: JsonObject) => string

/** Creates the behaviour that all revisions share, from the data of one revision. */
export function baseRevision(data: RevisionData): Omit<Revision, OfEra> {
  const { fields, structured, methods, notifications, serverRequests, ...flags } = data
  const projector = createProjector(fields)
  const { project, block } = projector
  // If structured values must be objects, a tool whose schema allows other values is listed without that
  // schema, or with a schema that wraps the value in an object.
  const projectTool = (tool: Tool & WithWrappedOutput): JsonObject => {
    const { outputSchema, ...rest } = tool
    if (structured === 'any' || outputSchema?.['type'] === 'object') return project('tool', tool)
    const wrapped = tool[WRAPPED_OUTPUT]
    return project('tool', wrapped === undefined ? rest : { ...rest, outputSchema: wrapped })
  }
  const encoders = createEncoders(structured, { ...projector, projectTool })
  return {
    ...flags,
    methods: new Set(methods),
    notifications: new Set(notifications),
    serverRequests: new Set(serverRequests),
    project,
    projectTool,
    projectSampling: (params) => projectSampling(params, block),
    encodeResult: (method, result) => encoders.get(method)?.(result) ?? JSON.stringify(result),
  }
}

/** Returns the encoders of methods whose results need more than `JSON.stringify`. */
function createEncoders(
  structured: RevisionData['structured'],
  { project, projectTool, block }: Projector & Pick<Revision, 'projectTool'>,
): ReadonlyMap<string, Encoder> {
  const toolResult: Encoder = (result) => {
    const { content, isError, _meta } = result as unknown as CallToolResult
    const only = content.length === 1 ? content[0] : undefined
    let json =
      only?.type === 'text' && only.annotations === undefined && only._meta === undefined
        ? `{"content":[{"type":"text","text":${JSON.stringify(only.text)}}]`
        : `{"content":${JSON.stringify(content.map(block))}`
    const text = structured && structuredText(result, structured)
    if (text !== undefined) json += `,"structuredContent":${text}`
    if (isError === true) json += ',"isError":true'
    if (_meta !== undefined) json += `,"_meta":${JSON.stringify(_meta)}`
    return `${json}}`
  }
  const prompt: Encoder = (result) => {
    const { messages, ...rest } = result as unknown as GetPromptResult
    const shown = messages.map(({ role, content }) => ({ role, content: block(content) }))
    return JSON.stringify({ ...rest, messages: shown })
  }
  const contents: Encoder = (result) => {
    const { contents: items, ...rest } = result as unknown as ReadResourceResult
    return JSON.stringify({ ...rest, contents: items.map((item) => project('contents', item)) })
  }
  const list =
    (member: string, projectItem: (item: never) => JsonObject): Encoder =>
    (result) => {
      const items = result[member]
      return JSON.stringify({
        ...result,
        [member]: Array.isArray(items) ? items.map((item) => projectItem(item as never)) : [],
      })
    }
  const of =
    (shape: Shape) =>
    (item: object): JsonObject =>
      project(shape, item)
  return new Map<string, Encoder>([
    [Method.CallTool, toolResult],
    [Method.GetPrompt, prompt],
    [Method.ReadResource, contents],
    [Method.ListTools, list('tools', projectTool)],
    [Method.ListResources, list('resources', of('resource'))],
    [Method.ListResourceTemplates, list('resourceTemplates', of('resourceTemplate'))],
    [Method.ListPrompts, list('prompts', of('prompt'))],
  ])
}

interface Projector {
  readonly project: Revision['project']
  /** Replaces a block that the revision does not support with equivalent text. */
  readonly block: (content: ContentBlock) => JsonObject
}

/** Reduces objects of the neutral model to the members that a revision defines. */
function createProjector(fields: RevisionData['fields']): Projector {
  const project = (shape: Shape, value: object): JsonObject => {
    const source = value as JsonObject
    const out: Record<string, unknown> = {}
    for (const key of fields[shape]) {
      const member = source[key]
      if (member !== undefined) out[key] = nested(shape, key, member)
    }
    return out
  }
  const nested = (shape: Shape, key: string, member: unknown): unknown => {
    if (key === 'annotations' && isObject(member))
      return project(shape === 'tool' ? 'toolAnnotations' : 'annotations', member)
    if (key === 'icons' && Array.isArray(member)) return member.map((icon: object) => project('icon', icon))
    if (key === 'arguments' && Array.isArray(member))
      return member.map((argument: object) => project('promptArgument', argument))
    if (shape === 'embedded' && key === 'resource' && isObject(member)) return project('contents', member)
    return member
  }
  const block = (content: ContentBlock): JsonObject => {
    const shape = content.type === 'resource' ? 'embedded' : content.type
    // Only results of other servers have unknown blocks, of a later revision or of an extension.
    if (!Object.hasOwn(fields, shape)) return { ...content }
    return fields[shape].length === 0 ? project('text', asText(content)) : project(shape, content)
  }
  return { project, block }
}

function asText(block: ContentBlock): object {
  const { annotations } = block
  if (block.type === 'resource_link') {
    const label = block.title ?? block.name
    const description = block.description === undefined ? '' : `\n${block.description}`
    return { type: 'text', text: `${label}: ${block.uri}${description}`, annotations }
  }
  const about = 'mimeType' in block ? ` of type ${block.mimeType}` : ''
  return { type: 'text', text: `[${block.type}${about}]`, annotations }
}

function projectSampling(params: JsonObject, block: (content: ContentBlock) => JsonObject): JsonObject {
  const projected = (content: SamplingContent): object =>
    content.type === 'tool_use' || content.type === 'tool_result' ? content : block(content)
  const messages = params['messages'] as readonly {
    role: string
    content: SamplingContent | SamplingContent[]
  }[]
  return {
    ...params,
    messages: messages.map(({ role, content }) => ({
      role,
      content: Array.isArray(content) ? content.map(projected) : projected(content),
    })),
  }
}

/**
 * The JSON text of a result's structured content, stored in the result so that the content is serialised only
 * once for the envelope and the text content. Middleware that spreads a result also copies this field.
 * Therefore, the field refers to its value, and is ignored if the result has a different value.
 */
export const STRUCTURED_JSON: unique symbol = Symbol('structured JSON')

/**
 * A tool's wrapped `outputSchema`, for revisions whose structured values must be objects. Set if the tool's
 * values are not objects.
 */
export const WRAPPED_OUTPUT: unique symbol = Symbol('wrapped output')

interface WithWrappedOutput {
  readonly [WRAPPED_OUTPUT]?: JsonObject
}

interface WithStructuredJson {
  readonly structuredContent?: unknown
  readonly [STRUCTURED_JSON]?: {
    readonly value: unknown
    readonly json: string
    /** The name of the member that wraps the value if structured values must be objects. */
    readonly member?: string | undefined
  }
}

/**
 * Returns the structured content as JSON text, without stringifying it a second time. Returns undefined if
 * there is no such content, or if the content must be an object but is not.
 */
function structuredText(result: WithStructuredJson, kinds: 'object' | 'any'): string | undefined {
  const { structuredContent, [STRUCTURED_JSON]: held } = result
  const isHeld = held !== undefined && held.value === structuredContent
  const json = isHeld
    ? held.json
    : structuredContent === undefined
      ? undefined
      : JSON.stringify(structuredContent)
  if (kinds === 'any' || json === undefined) return json
  if (held?.member !== undefined) return `{${JSON.stringify(held.member)}:${json}}`
  // Serialisation can change the type of a value. For example, a date becomes a string.
  return json.startsWith('{') ? json : undefined
}

interface Choice {
  readonly const: string
  readonly title: string
}

/**
 * Adapts a form to a revision.
 *
 * @throws Error that names the field that the revision does not support
 */
export function projectForm(
  { fields }: NonNullable<Revision['forms']>,
  form: { readonly properties: object },
): JsonObject {
  if (fields === 'full') return { ...form }
  const properties = Object.entries(form.properties).map(([name, field]) => [
    name,
    plain(name, field as JsonObject),
  ])
  return { ...form, properties: Object.fromEntries(properties) as JsonObject }
}

/** https://modelcontextprotocol.io/specification/2025-06-18/client/elicitation#requested-schema */
function plain(name: string, { default: preset, oneOf, ...field }: JsonObject): JsonObject {
  if (field['type'] === 'array')
    throw new Error(
      `the field ${JSON.stringify(name)}: this client's protocol revision has no choice of several`,
    )
  if (field['type'] === 'boolean' && preset !== undefined) return { ...field, default: preset }
  if (!Array.isArray(oneOf)) return field
  const choices = oneOf as readonly Choice[]
  return { ...field, enum: choices.map((c) => c.const), enumNames: choices.map((c) => c.title) }
}
