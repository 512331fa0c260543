import { ErrorCode, McpError } from '../errors.ts'
import { decodeBase64, toBase64 } from '../util/bytes.ts'

/** Matches the name of a header: https://www.rfc-editor.org/rfc/rfc9110#section-5.6.2 */
export const TOKEN: RegExp = /^[\w!#$%&'*+.^`|~-]+$/

/**
 * Creates the error for a header that is missing or differs from the body. See
 * https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http#server-validation.
 */
export const headerMismatch = (name: string): McpError =>
  new McpError(ErrorCode.HeaderMismatch, `The header ${name} is missing or differs from the body`)

/**
 * Removes the whitespace around a value. A regular expression would take quadratic time for a long run of whitespace.
 */
export function trimHeader(value: string): string {
  let start = 0
  let end = value.length
  while (start < end && isBlank(value.charCodeAt(start))) start++
  while (end > start && isBlank(value.charCodeAt(end - 1))) end--
  return value.slice(start, end)
}

const isBlank = (code: number): boolean => code === 0x20 || code === 0x09

/**
 * Matches safe characters. Other characters are ambiguous, because some programs read them as Latin-1, and
 * others as UTF-8.
 */
const SAFE = /^[\t\x20-\x7e]*$/
const PREFIX = '=?base64?'
const SUFFIX = '?='

/**
 * Decodes a header value. Returns undefined for characters that a header must not contain, and for a malformed
 * encoding. This function is stricter than most decoders: it accepts only one encoding for each string, so that
 * all programs read the same string.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http#value-encoding
 */
export function decodeHeaderText(value: string): string | undefined {
  if (!SAFE.test(value)) return undefined
  const isEncoded =
    value.length >= PREFIX.length + SUFFIX.length && value.startsWith(PREFIX) && value.endsWith(SUFFIX)
  if (!isEncoded) return value
  const encoded = value.slice(PREFIX.length, -SUFFIX.length)
  try {
    const bytes = decodeBase64(encoded)
    if (toBase64(bytes) !== encoded) return undefined
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return undefined
  }
}

const PLAIN = /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/

/**
 * Returns the header value for a string, which {@link decodeHeaderText} decodes again. A string is encoded if a header
 * cannot carry it unchanged, or if it looks like an encoding.
 */
export function encodeHeaderText(text: string): string {
  const looksEncoded = text.startsWith(PREFIX) && text.endsWith(SUFFIX)
  if (text === '' || (PLAIN.test(text) && !looksEncoded)) return text
  return `${PREFIX}${toBase64(new TextEncoder().encode(text))}${SUFFIX}`
}
