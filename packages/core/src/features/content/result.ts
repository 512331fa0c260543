import type { Meta } from '../../protocol/types.ts'
import { BRAND, type Branded } from '../registry/brand.ts'
import { type Content, toBlocks } from './content.ts'

declare const VALUE: unique symbol

/** A whole tool result, made by {@link result}. `S` is the type of its structured value; `never` for an error. */
export interface ToolResult<out S = unknown> extends Branded<'result'> {
  readonly content: readonly Content[] | undefined
  readonly structured: unknown
  readonly isError: boolean
  readonly _meta: Meta | undefined
  /** Only the compiler sees it: that a tool with an `outputSchema` gets a value of that schema. */
  readonly [VALUE]?: () => S
}

interface ResultParts {
  /** What the model reads. Left out, it is the JSON text of the structured value. */
  readonly content?: string | Content | readonly Content[]
  /** For the client, not for the model alone. */
  readonly _meta?: Meta
}

interface ResultBuilder {
  <S>(parts: ResultParts & { readonly structured: S; readonly isError?: false }): ToolResult<S>
  (parts: ResultParts & { readonly structured?: unknown; readonly isError: true }): ToolResult<never>
  (parts: ResultParts & { readonly structured?: undefined; readonly isError?: false }): ToolResult<undefined>
  /** A failure that the model should read. */
  error(
    content: string | Content | readonly Content[],
    options?: { readonly _meta?: Meta },
  ): ToolResult<never>
}

/**
 * Builds a whole tool result, where a plain return value is not enough: several blocks of content together with a
 * structured value, metadata, or a failure.
 *
 * @throws `ERR_MCP_INVALID_DEFINITION` for content that was not made by {@link content}
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
