import { usageError } from '../../errors.ts'
import type { Meta, ReadResourceResult, ResourceContents } from '../../protocol/types.ts'
import { toBase64 } from '../../util/bytes.ts'
import { BRAND, type Branded, brandOf } from '../registry/brand.ts'
import { type CacheHint, checkHint } from '../registry/caching.ts'
import { resourceContents } from '../content/content.ts'
import {
  OutputError,
  protocolResourceResult,
  refuseBareContents,
  refuseLosses,
  stringify,
} from '../content/protocol-results.ts'

/** A result with several contents for one resource, created by {@link contents}. */
export interface ResourceResult extends Branded<'contents'> {
  readonly parts: readonly ResultPart[]
  readonly _meta: Meta | undefined
  readonly cache: CacheHint | undefined
}

type ResourcePart = Parameters<typeof resourceContents>[0]

/** One of the contents in a result, as for `content.resource`. @default uri the URI being read */
export type ResultPart = Omit<ResourcePart, 'uri'> & { readonly uri?: string }

interface ContentsOptions {
  readonly _meta?: Meta
  /** How long clients may cache this result. @default the resource's `cache` */
  readonly cache?: CacheHint
}

/**
 * Creates a read result with several contents, metadata or other media types. If the list is empty, the
 * resource does not exist. An empty resource has one content with empty text.
 *
 * @throws `ERR_MCP_INVALID_DEFINITION` for invalid cache hints
 * @see https://modelcontextprotocol.io/specification/2026-07-28/server/resources#reading-resources
 */
export function contents(parts: readonly ResultPart[], options: ContentsOptions = {}): ResourceResult {
  const { _meta, cache } = options
  checkHint(cache, (problem) => usageError('ERR_MCP_INVALID_DEFINITION', `The cache of contents ${problem}`))
  return { parts, _meta, cache, [BRAND]: 'contents' }
}

interface ReadResult {
  readonly result: ReadResourceResult
  readonly cache?: CacheHint | undefined
}

/** Converts a handler's return value. Returns undefined if the resource does not exist. */
export function toReadResult(
  value: unknown,
  uri: string,
  mimeType: string | undefined,
): ReadResult | undefined {
  const read = value === undefined ? undefined : readValue(value, uri, mimeType)
  // https://modelcontextprotocol.io/specification/2026-07-28/server/resources#error-handling
  return read?.result.contents.length === 0 ? undefined : read
}

function readValue(value: unknown, uri: string, mimeType: string | undefined): ReadResult {
  const source = `The resource ${JSON.stringify(uri)}`
  const brand = brandOf(value)
  if (brand === 'contents') {
    const result = value as ResourceResult
    const read = fromParts(result, uri, mimeType)
    refuseLosses(read, source)
    return { result: read, cache: result.cache }
  }
  if (brand !== undefined)
    throw new OutputError(`${source} returned a value for tools or prompts; return contents([…])`)
  const literal = protocolResourceResult(value, source)
  if (literal === undefined) {
    refuseBareContents(value, source)
    return { result: { contents: [toContents(value, uri, mimeType)] } }
  }
  const { contents: list, _meta, ttlMs, cacheScope } = literal as ReadResourceResult & CacheHint
  const cache = { ...(ttlMs !== undefined && { ttlMs }), ...(cacheScope !== undefined && { cacheScope }) }
  checkHint(cache, (problem) => new OutputError(`${source} returned a result that ${problem}`))
  return { result: { contents: list, ...(_meta !== undefined && { _meta }) }, cache }
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
