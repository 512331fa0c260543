import type { Meta } from '../../protocol/types.ts'
import { BRAND, type Branded } from '../registry/brand.ts'
import { type Content, toBlocks } from './content.ts'

declare const VALUE: unique symbol

/** A tool result created by {@link result}. `S` is the type of its structured value; `never` for an error. */
export interface ToolResult<out S = unknown> extends Branded<'result'> {
  readonly content: readonly Content[] | undefined
  readonly structured: unknown
  readonly isError: boolean
  readonly _meta: Meta | undefined
  /** Exists only for the compiler, to check the value against the tool's `outputSchema`. */
  readonly [VALUE]?: () => S
}

interface ResultParts {
  /** The content for the model. @default the JSON text of the structured value */
  readonly content?: string | Content | readonly Content[]
  readonly _meta?: Meta
}

interface ResultBuilder {
  <S>(parts: ResultParts & { readonly structured: S; readonly isError?: false }): ToolResult<S>
  (parts: ResultParts & { readonly structured?: unknown; readonly isError: true }): ToolResult<never>
  (parts: ResultParts & { readonly structured?: undefined; readonly isError?: false }): ToolResult<undefined>
  /** Creates the result of a failure that the model should read. */
  error(
    content: string | Content | readonly Content[],
    options?: { readonly _meta?: Meta },
  ): ToolResult<never>
}

/**
 * Creates a tool result that is more than a plain return value: content and a structured value, metadata, or a
 * failure.
 *
 * @throws `ERR_MCP_INVALID_DEFINITION` for content that {@link content} did not create
 * @see https://modelcontextprotocol.io/specification/2025-11-25/server/tools#tool-result
 */
export const result: ResultBuilder = Object.assign(
  (parts: ResultParts & { structured?: unknown; isError?: boolean }): ToolResult<never> => ({
    content: parts.content === undefined ? undefined : toBlocks(parts.content),
    structured: parts.structured,
    isError: parts.isError === true,
    _meta: parts._meta,
    [BRAND]: 'result',
  }),
  {
    error: (
      blocks: string | Content | readonly Content[],
      options?: { readonly _meta?: Meta },
    ): ToolResult<never> => ({
      content: toBlocks(blocks),
      structured: undefined,
      isError: true,
      _meta: options?._meta,
      [BRAND]: 'result',
    }),
  },
)
