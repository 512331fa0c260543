import { usageError } from '../../errors.ts'
import type { Meta, ReadResourceResult, ResourceContents } from '../../protocol/types.ts'
import { toBase64 } from '../../util/bytes.ts'
import { BRAND, type Branded, brandOf } from '../registry/brand.ts'
import { type CacheHint, checkHint } from '../registry/caching.ts'
import { resourceContents, type ResourcePart } from '../content/content.ts'
import { OutputError, stringify } from '../content/output-error.ts'

/** Several contents of one resource, made by {@link contents}. */
export interface ResourceResult extends Branded<'contents'> {
  readonly parts: readonly ResultPart[]
  readonly _meta: Meta | undefined
  readonly cache: CacheHint | undefined
}

/** As {@link ResourcePart}; the URI is the address that is being read where it is left out. */
export type ResultPart = Omit<ResourcePart, 'uri'> & { readonly uri?: string }

/** What a read may say beside its contents. */
export interface ContentsOptions {
  readonly _meta?: Meta
  /** How long this very answer may be kept. @default the resource's own `cache` */
  readonly cache?: CacheHint
}

/**
 * The whole answer to a read, where one text or blob does not say enough: several contents, metadata, other types. None
 * at all says that there is no such resource; what is there and empty has a content with an empty text.
 *
 * @throws `ERR_MCP_INVALID_DEFINITION` for cache hints that are none
 * @see https://modelcontextprotocol.io/specification/2026-07-28/server/resources#reading-resources
 */
export function contents(parts: readonly ResultPart[], options: ContentsOptions = {}): ResourceResult {
  const { _meta, cache } = options
  checkHint(cache, (problem) => usageError('ERR_MCP_INVALID_DEFINITION', `The cache of contents ${problem}`))
  return { parts, _meta, cache, [BRAND]: 'contents' }
}

/** Whether a handler has said by its contents that there is nothing: an empty array would leave that open. */
export function isNothing(value: unknown): boolean {
  if (brandOf(value) !== 'contents') return false
  const { parts } = value as ResourceResult
  return Array.isArray(parts) && parts.length === 0
}

/** What a handler said of keeping its answer. */
export const cacheOf = (value: unknown): CacheHint | undefined =>
  brandOf(value) === 'contents' ? (value as ResourceResult).cache : undefined

/** What a handler returned, as the result of a read. Undefined is for the caller to answer. */
export function toReadResult(value: unknown, uri: string, mimeType: string | undefined): ReadResourceResult {
  const brand = brandOf(value)
  if (brand === 'contents') return fromParts(value as ResourceResult, uri, mimeType)
  if (brand !== undefined) {
    throw new OutputError(
      `The resource ${JSON.stringify(uri)} returned what tools and prompts return; give contents([ … ])`,
    )
  }
  return { contents: [toContents(value, uri, mimeType)] }
}

function toContents(value: unknown, uri: string, mimeType: string | undefined): ResourceContents {
  if (typeof value === 'string')
    return mimeType === undefined ? { uri, text: value } : { uri, mimeType, text: value }
  if (value instanceof Uint8Array)
    return { uri, mimeType: mimeType ?? 'application/octet-stream', blob: toBase64(value) }
  const text = stringify(value, `The resource ${JSON.stringify(uri)}`)
  return { uri, mimeType: mimeType ?? 'application/json', text }
}

function fromParts(
  { parts, _meta }: ResourceResult,
  uri: string,
  mimeType: string | undefined,
): ReadResourceResult {
  if (!Array.isArray(parts)) throw new OutputError('contents needs an array')
  const defaults = mimeType === undefined ? { uri } : { uri, mimeType }
  const items = (parts as readonly ResultPart[]).map((part) => resourceContents({ ...defaults, ...part }))
  return _meta === undefined ? { contents: items } : { contents: items, _meta }
}
