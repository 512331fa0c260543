import { isObject, type JsonObject, McpError, type Tool } from '@jetway/core/protocol'
import { ClientError } from '../errors.ts'
import type { RequestOptions } from '../options.ts'
import { failedResult, type HostToolResult, type ResultLimits, toHostResult } from './host-result.ts'
import { whole } from './parts.ts'
import { sourceOf, type SourceTool, type Tools, type ToolSource } from './source.ts'

/** What a host may take for granted of a tool: the worst, unless its server is trusted. */
export interface HostToolMetadata {
  readonly readOnly: boolean
  readonly destructive: boolean
  readonly idempotent: boolean
  readonly openWorld: boolean
  /** Whether it may run beside other calls. */
  readonly concurrent: boolean
}

/** A tool of a server as a tool of a host. */
export interface HostTool {
  readonly name: string
  /** For people, where the server gives one. */
  readonly title?: string
  /** For the model: the server's words, and of which server they are. */
  readonly description: string
  /** The server's JSON Schema as it came. See `withSingleTypes` for validators that want less of it. */
  readonly inputSchema: JsonObject
  readonly outputSchema?: JsonObject
  readonly server: string
  readonly metadata: HostToolMetadata
  /** As the server lists it. */
  readonly tool: Tool
  /**
   * Calls it. What the server refuses, and a call that cannot be made, is a result with `isError`, for the model to read.
   *
   * @throws the reason of the signal; what is neither an `McpError` nor a `ClientError`
   */
  execute(args?: Readonly<Record<string, unknown>>, options?: RequestOptions): Promise<HostToolResult>
}

/** Options of {@link hostTools}. */
export interface HostToolOptions extends ResultLimits {
  /**
   * The servers, by the host's names for them, whose hints about their tools may be believed. A hint is a promise that
   * nothing enforces: https://modelcontextprotocol.io/specification/2026-07-28/server/tools
   *
   * @default none
   */
  readonly trusted?: readonly string[]
}

/**
 * The tools of all servers of a manager, or of one client, as tools of a host. Those that a server keeps for its user
 * interface are left out, and a second one of the same name.
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
  // A server may name itself: its name must not look like a text of the host's.
  const shown = whole(server.replaceAll(/[\p{C}\s]+/gu, ' ').trim(), MAX_SERVER_NAME)
  return shown === '' ? said : `${said} (MCP server: ${shown})`
}

/** Without a hint the specification assumes the worst as well. */
function metadataOf({ annotations }: Tool, by: 'hints' | 'worst'): HostToolMetadata {
  const hints = by === 'hints' && isObject(annotations) ? annotations : {}
  const readOnly = hints['readOnlyHint'] === true
  return {
    readOnly,
    destructive: !readOnly && hints['destructiveHint'] !== false,
    idempotent: readOnly || hints['idempotentHint'] === true,
    openWorld: hints['openWorldHint'] !== false,
    // There is no hint for it. What changes nothing disturbs nobody.
    concurrent: readOnly,
  }
}

/** Tools for a document of the server's are called by that: https://github.com/modelcontextprotocol/ext-apps */
function isForModels({ _meta }: Tool): boolean {
  const ui: unknown = isObject(_meta) ? _meta['ui'] : undefined
  const visibility: unknown = isObject(ui) ? ui['visibility'] : undefined
  return !Array.isArray(visibility) || visibility.includes('model')
}
