import { usageError } from '../../errors.ts'
import type {
  Annotations,
  AudioContent,
  EmbeddedResource,
  ImageContent,
  Meta,
  Resource,
  ResourceContents,
  ResourceLink,
  TextContent,
} from '../../protocol/types.ts'
import { isBase64, toBase64 } from '../../util/bytes.ts'
import { BRAND, type Branded, brandOf } from '../registry/brand.ts'
import { checkAnnotations, checkIcons, checkName, checkUri } from '../registry/checks.ts'

/** A content block created by {@link content}. An object without the brand is treated as data. */
export type Content = (TextContent | ImageContent | AudioContent | ResourceLink | EmbeddedResource) &
  Branded<'content'>

interface BlockOptions {
  readonly annotations?: Annotations
  readonly _meta?: Meta
}

/** The content of a resource, as provided by authors. */
interface ResourcePart {
  readonly uri: string
  readonly mimeType?: string
  readonly _meta?: Meta
  readonly text?: string
  /** Bytes, or a base64 string. */
  readonly blob?: Uint8Array | string
}

/**
 * Creates content blocks for tools and prompts.
 *
 * @see https://modelcontextprotocol.io/specification/2025-11-25/server/tools#tool-result
 */
export const content = {
  text: (text: string, options?: BlockOptions): TextContent & Branded<'content'> => {
    if (typeof text !== 'string') throw mistake('A text block needs a string')
    return options === undefined
      ? { type: 'text', text, [BRAND]: 'content' }
      : { type: 'text', text, ...options, [BRAND]: 'content' }
  },
  /**
   * @param data - bytes, or padded base64
   * @throws `ERR_MCP_INVALID_DEFINITION` for a string that is not base64, or an invalid media type
   */
  image: (
    data: Uint8Array | string,
    mimeType: string,
    options?: BlockOptions,
  ): ImageContent & Branded<'content'> => ({
    type: 'image',
    ...media('An image', data, mimeType),
    ...options,
    [BRAND]: 'content',
  }),
  /**
   * @param data - bytes, or padded base64
   * @throws `ERR_MCP_INVALID_DEFINITION` for a string that is not base64, or an invalid media type
   */
  audio: (
    data: Uint8Array | string,
    mimeType: string,
    options?: BlockOptions,
  ): AudioContent & Branded<'content'> => ({
    type: 'audio',
    ...media('Audio', data, mimeType),
    ...options,
    [BRAND]: 'content',
  }),
  /**
   * Creates a link to a resource. The resource need not be in any list.
   *
   * @throws `ERR_MCP_INVALID_DEFINITION` for a URI that is not absolute, `ERR_MCP_INVALID_ICON` for an unsafe
   *   icon
   */
  link: (resource: Resource): ResourceLink & Branded<'content'> => {
    const subject = { kind: 'resource link', name: String(resource.uri) }
    checkUri(subject, resource.uri)
    checkName('resource link', resource.name)
    checkIcons(subject, resource.icons)
    checkAnnotations(subject, resource.annotations)
    return { type: 'resource_link', ...resource, [BRAND]: 'content' }
  },
  /**
   * Embeds the content of a resource.
   *
   * @throws `ERR_MCP_INVALID_DEFINITION` unless there is an absolute URI, and either a text or a blob
   */
  resource: (resource: ResourcePart, options?: BlockOptions): EmbeddedResource & Branded<'content'> => ({
    type: 'resource',
    resource: resourceContents(resource),
    ...options,
    [BRAND]: 'content',
  }),
} as const

export function resourceContents({ text, blob, ...head }: ResourcePart): ResourceContents {
  checkUri({ kind: 'resource content', name: String(head.uri) }, head.uri)
  if ((text === undefined) === (blob === undefined))
    throw mistake('The content of a resource needs a text or a blob, and not both')
  if (blob !== undefined) return { ...head, blob: base64('A blob', blob) }
  if (typeof text !== 'string') throw mistake('The text of a resource must be a string')
  return { ...head, text }
}

export function toBlocks(value: string | Content | readonly Content[]): readonly Content[] {
  if (typeof value === 'string') return [content.text(value)]
  const blocks = Array.isArray(value) ? (value as readonly Content[]) : [value as Content]
  if (blocks.every((block) => brandOf(block) === 'content')) return blocks
  throw mistake(
    'Make content with content.text, content.image, content.audio, content.link or content.resource',
  )
}

const MEDIA_TYPE = /^[\w!#$&^.+-]+\/[\w!#$&^.+-]+(?:\s*;.*)?$/

function media(
  what: string,
  data: Uint8Array | string,
  mimeType: string,
): { data: string; mimeType: string } {
  if (typeof mimeType !== 'string' || !MEDIA_TYPE.test(mimeType))
    throw mistake(`${what} needs a media type, such as "image/png"`)
  return { data: base64(what, data), mimeType }
}

function base64(what: string, data: Uint8Array | string): string {
  if (data instanceof Uint8Array) return toBase64(data)
  if (typeof data === 'string' && isBase64(data)) return data
  throw mistake(`${what} needs a Uint8Array or padded base64`)
}

const mistake = (message: string): Error => usageError('ERR_MCP_INVALID_DEFINITION', message)

declare const VALUE: unique symbol

/** A tool result created by {@link result}. `S` is the type of the structured value, or `never` for an error. */
export interface ToolResult<out S = unknown> extends Branded<'result'> {
  readonly content: readonly Content[] | undefined
  readonly structured: unknown
  readonly isError: boolean
  readonly _meta: Meta | undefined
  /** Exists only at compile time, to check the value against the tool's `outputSchema`. */
  readonly [VALUE]?: () => S
}

interface ResultParts {
  /** The content for the model. @default the structured value as JSON text */
  readonly content?: string | Content | readonly Content[]
  readonly _meta?: Meta
}

interface ResultBuilder {
  <S>(parts: ResultParts & { readonly structured: S; readonly isError?: false }): ToolResult<S>
  (parts: ResultParts & { readonly structured?: unknown; readonly isError: true }): ToolResult<never>
  (parts: ResultParts & { readonly structured?: undefined; readonly isError?: false }): ToolResult<undefined>
  /** Creates the result for a failure that the model should read. */
  error(
    content: string | Content | readonly Content[],
    options?: { readonly _meta?: Meta },
  ): ToolResult<never>
}

/**
 * Creates a tool result that a plain return value cannot express: content together with a structured value,
 * metadata, or a failure.
 *
 * @throws `ERR_MCP_INVALID_DEFINITION` for content that {@link content} did not create
 * @see https://modelcontextprotocol.io/specification/2025-11-25/server/tools#tool-result
 */
export const result: ResultBuilder = Object.assign(
  ({ content: blocks, ...parts }: ResultParts & { structured?: unknown; isError?: boolean }) =>
    toResult(blocks === undefined ? undefined : toBlocks(blocks), parts),
  {
    error: (
      blocks: string | Content | readonly Content[],
      options?: { readonly _meta?: Meta },
    ): ToolResult<never> => toResult(toBlocks(blocks), { isError: true, _meta: options?._meta }),
  },
)

const toResult = (
  blocks: readonly Content[] | undefined,
  parts: { readonly structured?: unknown; readonly isError?: unknown; readonly _meta?: Meta | undefined },
): ToolResult<never> => ({
  content: blocks,
  structured: parts.structured,
  isError: parts.isError === true,
  _meta: parts._meta,
  [BRAND]: 'result',
})
