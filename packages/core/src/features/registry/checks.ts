import { invalidParams, usageError, type UsageErrorCode } from '../../errors.ts'
import { isObject, type JsonObject } from '../../protocol/jsonrpc.ts'
import type { Icon, Meta } from '../../protocol/types.ts'
import { describeLoss } from '../../schema/validate/json-losses.ts'

/** The fields that describe a definition to people. */
export interface DisplayFields {
  readonly title?: string | undefined
  readonly description?: string | undefined
  /** Images with `https:` or `data:` URLs. */
  readonly icons?: readonly Icon[] | undefined
  /** Metadata that is published with the definition. Custom keys need a prefix, such as `com.example/kind`. */
  readonly _meta?: Meta | undefined
}

/** The definition that an error message names. */
export interface Subject {
  readonly kind: string
  readonly name: string
}

const TOOL_NAME = /^[A-Za-z0-9_.-]{1,128}$/
const MAX_NAME_LENGTH = 1024

/** Truncates text from a peer before it is repeated in an error. */
export const shorten = (text: string): string => text.slice(0, 128)

function fault({ kind, name }: Subject, code: UsageErrorCode, problem: string): Error {
  const subject = name === 'undefined' ? `A ${kind} without a name` : `The ${kind} ${JSON.stringify(name)}`
  return usageError(code, `${subject} ${problem}`)
}

export const invalid = (subject: Subject, problem: string): Error =>
  fault(subject, 'ERR_MCP_INVALID_DEFINITION', problem)

/** https://modelcontextprotocol.io/specification/2025-11-25/server/tools#tool-names */
export function checkToolName(name: unknown): void {
  if (typeof name === 'string' && TOOL_NAME.test(name)) return
  const shown = typeof name === 'string' ? JSON.stringify(shorten(name)) : `of type ${typeof name}`
  throw usageError(
    'ERR_MCP_INVALID_NAME',
    `The tool name ${shown} must be 1 to 128 characters of A-Z, a-z, 0-9, "_", "." and "-"`,
  )
}

export function checkName(kind: string, name: unknown): void {
  if (typeof name === 'string' && name.length > 0 && name.length <= MAX_NAME_LENGTH) return
  throw usageError('ERR_MCP_INVALID_NAME', `A ${kind} needs a name of 1 to ${MAX_NAME_LENGTH} characters`)
}

/**
 * The minimum limit on the size of results, in bytes. With a smaller limit, the error that names the limit
 * might not fit.
 */
export const MIN_RESULT_BYTES = 1024

export function checkResultBytes(subject: Subject, maxResultBytes: unknown): void {
  if (maxResultBytes === undefined) return
  if (Number.isSafeInteger(maxResultBytes) && (maxResultBytes as number) >= MIN_RESULT_BYTES) return
  const problem = `needs a whole number of bytes, ${MIN_RESULT_BYTES} or more, as its maxResultBytes`
  throw invalid(subject, problem)
}

/**
 * Allows only schemes that cannot run code, because clients show icons from servers that they do not trust. See
 * https://modelcontextprotocol.io/specification/2025-11-25/basic#icons.
 */
export function checkIcons(subject: Subject, icons: unknown): void {
  if (icons === undefined) return
  if (!Array.isArray(icons)) throw fault(subject, 'ERR_MCP_INVALID_ICON', 'needs its icons in an array')
  for (const icon of icons as unknown[]) {
    const src = isObject(icon) ? icon['src'] : undefined
    const protocol = typeof src === 'string' && URL.canParse(src) ? new URL(src).protocol : undefined
    if (protocol === 'https:' || protocol === 'data:') continue
    throw fault(subject, 'ERR_MCP_INVALID_ICON', 'has an icon whose src is neither an https: nor a data: URL')
  }
}

/** The maximum length of a URI. Longer URIs are rejected before they are matched. */
export const MAX_URI_LENGTH = 8192

/** @throws McpError `-32602` for a malformed URI */
export function uriIn({ uri }: JsonObject): string {
  if (typeof uri !== 'string') throw invalidParams('The member "uri" must be a string')
  if (uri.length > MAX_URI_LENGTH) throw invalidParams(`The URI is longer than ${MAX_URI_LENGTH} characters`)
  return uri
}

export function checkUri(subject: Subject, uri: unknown): void {
  if (typeof uri === 'string' && URL.canParse(uri)) return
  throw invalid(subject, 'needs an absolute URI, such as "notes://today"')
}

/** https://modelcontextprotocol.io/specification/2025-11-25/server/resources#annotations */
export function checkAnnotations(subject: Subject, annotations: unknown): void {
  if (annotations === undefined) return
  const { priority, audience, lastModified } = isObject(annotations) ? annotations : { priority: Number.NaN }
  if (priority !== undefined && !(typeof priority === 'number' && priority >= 0 && priority <= 1))
    throw invalid(subject, 'needs annotations whose priority lies between 0 and 1')
  if (audience !== undefined && !(Array.isArray(audience) && audience.every(isRole)))
    throw invalid(subject, 'needs annotations whose audience is an array of "user" and "assistant"')
  if (lastModified !== undefined && !isTime(lastModified))
    throw invalid(
      subject,
      'needs annotations whose lastModified is an ISO 8601 time, such as "2026-01-12T15:00:58Z"',
    )
}

const isRole = (role: unknown): boolean => role === 'user' || role === 'assistant'

const ISO_TIME = /^\d{4}-\d{2}-\d{2}(?:T\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:?\d{2})?)?$/

const isTime = (time: unknown): boolean =>
  typeof time === 'string' && ISO_TIME.test(time) && !Number.isNaN(Date.parse(time))

/**
 * Copies the published members of a definition as JSON, so that later changes to the definition have no effect.
 */
export function publish<T extends object>(subject: Subject, members: T): T {
  const { title, description, icons, _meta } = members as Readonly<Record<string, unknown>>
  checkIcons(subject, icons)
  for (const [member, text] of Object.entries({ title, description })) {
    if (text === undefined || typeof text === 'string') continue
    throw invalid(subject, `needs a string as its ${member}`)
  }
  if (_meta !== undefined && !isObject(_meta)) throw invalid(subject, 'needs an object as its _meta')
  const loss = describeLoss(members)
  if (loss === '') return JSON.parse(JSON.stringify(members)) as T
  throw invalid(subject, `has members that JSON cannot carry${loss}`)
}
