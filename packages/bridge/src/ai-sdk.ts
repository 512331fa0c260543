import type { JsonObject } from '@jetway/core/protocol'
import type { HostToolResult } from './host-result.ts'
import type { HostTool } from './host-tool.ts'
import { type ModelToolsOptions, modelTools } from './model-tools.ts'
import { type Media, PDF } from './media.ts'
import { bytesOf, type HostPart, notBlank, textOf, viewable } from './parts.ts'

/** The supported major versions of the AI SDK. */
export type AiSdkVersion = 6 | 7

type File<V extends AiSdkVersion> = V extends 6
  ? { type: 'image-data' | 'file-data'; data: string; mediaType: string }
  : { type: 'file'; data: { type: 'data'; data: string }; mediaType: string }

/** The tool result as a version of the AI SDK passes it to the model. */
export type AiSdkOutput<V extends AiSdkVersion = 7> =
  | { type: 'text' | 'error-text'; value: string }
  | { type: 'content'; value: ({ type: 'text'; text: string } | File<V>)[] }

/** A tool for `generateText` and `streamText`. */
export interface AiSdkTool<Schema, V extends AiSdkVersion = 7> {
  type: 'dynamic'
  description: string
  title?: string
  inputSchema: Schema
  execute: (input: unknown, options: { abortSignal?: AbortSignal | undefined }) => Promise<HostToolResult>
  toModelOutput: (options: { output: HostToolResult }) => AiSdkOutput<V>
}

/** The options for AI SDK tools. */
export interface AiSdkOptions<Schema, V extends AiSdkVersion = 7> extends ModelToolsOptions {
  /** The `jsonSchema` function from the `ai` package. */
  readonly jsonSchema: (schema: never) => Schema
  /** The maximum length of a description, in characters. Longer descriptions are truncated. @default 1_024 */
  readonly maxDescription?: number
  /** The major version of `ai`. Versions 6 and 7 have different types for files. @default 7 */
  readonly version?: V
}

/** The maximum length of a description. A single longer description may cause the whole request to fail. */
const MAX_DESCRIPTION = 1_024

/**
 * Converts tools for the AI SDK. Schemas are changed only where a provider would reject them.
 *
 * @throws TypeError for duplicate tools
 */
export async function aiSdkTools<Schema, V extends AiSdkVersion = 7>(
  tools: readonly HostTool[],
  options: AiSdkOptions<Schema, V>,
): Promise<Record<string, AiSdkTool<Schema, V>>> {
  const { jsonSchema, version = 7, maxDescription = MAX_DESCRIPTION } = options
  const dialect = { complete: true, keys: /^[a-zA-Z0-9_.-]{1,64}$/ } as const
  const known = await modelTools(tools, dialect, { maxDescription })
  const entries = known.all.map(({ name, description, schema, tool, run }) => {
    const made: AiSdkTool<Schema, V> = {
      type: 'dynamic',
      description,
      ...(tool.title !== undefined && { title: tool.title }),
      inputSchema: jsonSchema(schema satisfies JsonObject as never),
      execute: (input, { abortSignal }) => run(input, abortSignal),
      toModelOutput: ({ output }) => aiSdkOutput(output, version) as AiSdkOutput<V>,
    }
    return [name, made] as const
  })
  return Object.fromEntries(entries)
}

function aiSdkOutput({ parts, text, isError }: HostToolResult, version: AiSdkVersion): AiSdkOutput<6 | 7> {
  if (isError) return { type: 'error-text', value: notBlank(text) }
  if (parts.every((part) => fileOf(part) === undefined)) return { type: 'text', value: notBlank(text) }
  return { type: 'content', value: parts.map((part) => contentOf(part, version)) }
}

/**
 * Returns a file, unless it is an invalid image or document, because all providers reject these. Files of
 * other types are returned, because providers differ in which types they accept.
 */
function fileOf(part: HostPart): Media | undefined {
  const bytes = bytesOf(part)
  const isClaimed = bytes !== undefined && (bytes.mimeType.startsWith('image/') || bytes.mimeType === PDF)
  return viewable(part) ?? (isClaimed || bytes?.data === '' ? undefined : bytes)
}

function contentOf(part: HostPart, version: AiSdkVersion): { type: 'text'; text: string } | File<6 | 7> {
  const file = fileOf(part)
  if (file === undefined) return { type: 'text', text: textOf(part) }
  const { data, mimeType: mediaType } = file
  if (version === 7) return { type: 'file', data: { type: 'data', data }, mediaType }
  return { type: mediaType.startsWith('image/') ? 'image-data' : 'file-data', data, mediaType }
}
