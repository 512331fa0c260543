import { isObject, type JsonObject, McpError, type Tool } from '@jetway/core/protocol'
import { ClientError, type RequestOptions } from '@jetway/client'
import { failedResult, type HostToolResult, type ResultLimits, toHostResult } from './host-result.ts'
import { whole } from './parts.ts'
import { sourceOf, type SourceTool, type Tools, type ToolSource } from './source.ts'

/** The behaviour to assume for a tool: the worst case, unless the host trusts the server. */
export interface HostToolMetadata {
  readonly readOnly: boolean
  readonly destructive: boolean
  readonly idempotent: boolean
  readonly openWorld: boolean
  /** Whether the tool may run concurrently with other calls. */
  readonly concurrent: boolean
}

/** A tool for any host: name, description, schema, and a function that runs it. */
export interface HostTool {
  readonly name: string
  /** The name to show to users. */
  readonly title?: string
  /** The description for the model: the server's description of the tool, followed by the server's name. */
  readonly description: string
  /** The schema from the server, as JSON Schema. See `withSingleTypes`. */
  readonly inputSchema: JsonObject
  readonly outputSchema?: JsonObject
  readonly server: string
  readonly metadata: HostToolMetadata
  readonly tool: Tool
  /**
   * Calls the tool. An `McpError` or a `ClientError` becomes a result with `isError`, for the model to read.
   *
   * @throws the signal's reason, and any other error
   */
  execute(args?: JsonObject, options?: RequestOptions): Promise<HostToolResult>
}

export interface HostToolOptions extends ResultLimits {
  /**
   * The names of trusted servers. Their tools' annotations are used. Nothing enforces annotations; see
   * https://modelcontextprotocol.io/specification/2026-07-28/server/tools.
   *
   * @default none
   */
  readonly trusted?: readonly string[]
}

/**
 * Lists the tools of a manager or client. Duplicates, and tools that are only for user interfaces, are omitted.
 */
export async function hostTools(from: Tools, options: HostToolOptions = {}): Promise<readonly HostTool[]> {
  const source = sourceOf(from)
  const byName = new Map<string, HostTool>()
  for (const each of await source.tools())
    if (isForModels(each.tool) && !byName.has(each.name))
      byName.set(each.name, hostTool(each, source, options))
  return [...byName.values()]
}

function hostTool(
  { server, name, tool }: SourceTool,
  source: Pick<ToolSource, 'callTool'>,
  options: HostToolOptions,
): HostTool {
  const title = tool.title ?? tool.annotations?.title
  return {
    name,
    ...(typeof title === 'string' && { title }),
    description: describe(tool, server, title),
    inputSchema: tool.inputSchema,
    ...(tool.outputSchema !== undefined && { outputSchema: tool.outputSchema }),
    server,
    metadata: metadataOf(tool, options.trusted?.includes(server) === true ? 'hints' : 'worst'),
    tool,
    async execute(args = {}, how = {}) {
      try {
        return toHostResult(await source.callTool(name, args, how), options)
      } catch (error) {
        how.signal?.throwIfAborted()
        if (error instanceof McpError || error instanceof ClientError) return failedResult(error, options)
        throw error
      }
    },
  }
}

const MAX_SERVER_NAME = 64

function describe({ name, description }: Tool, server: string, title: string | undefined): string {
  const said = typeof description === 'string' && description.trim() !== '' ? description : (title ?? name)
  // The server may choose its own name, so the name must not resemble the host's own text.
  const shown = whole(server.replaceAll(/[\p{C}\s]+/gu, ' ').trim(), MAX_SERVER_NAME)
  return shown === '' ? said : `${said} (MCP server: ${shown})`
}

/** Determines the behaviour from a tool's annotations, with the specification's defaults. */
function metadataOf({ annotations }: Tool, by: 'hints' | 'worst'): HostToolMetadata {
  const hints = by === 'hints' && isObject(annotations) ? annotations : {}
  const readOnly = hints['readOnlyHint'] === true
  return {
    readOnly,
    destructive: !readOnly && hints['destructiveHint'] !== false,
    idempotent: readOnly || hints['idempotentHint'] === true,
    openWorld: hints['openWorldHint'] !== false,
    concurrent: readOnly,
  }
}

/**
 * Returns whether models may call a tool, rather than only the server's user interface. See
 * https://github.com/modelcontextprotocol/ext-apps.
 */
function isForModels({ _meta }: Tool): boolean {
  const ui: unknown = isObject(_meta) ? _meta['ui'] : undefined
  const visibility: unknown = isObject(ui) ? ui['visibility'] : undefined
  return !Array.isArray(visibility) || visibility.includes('model')
}
