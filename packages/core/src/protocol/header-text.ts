import { ErrorCode, McpError } from '../errors.ts'
import { decodeBase64, toBase64 } from '../util/bytes.ts'

/**
 * A header that does not say what the body says, or is not there:
 * https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http#server-validation
 */
export const headerMismatch = (name: string): McpError =>
  new McpError(ErrorCode.HeaderMismatch, `The header ${name} is missing or differs from the body`)

/**
 * Without the whitespace around it, which is no part of a value. No pattern: one would
 * take a long run of it to heart.
 */
export function trimHeader(value: string): string {
  let start = 0
  let end = value.length
  while (start < end && isBlank(value.charCodeAt(start))) start++
  while (end > start && isBlank(value.charCodeAt(end - 1))) end--
  return value.slice(start, end)
}

const isBlank = (code: number): boolean => code === 0x20 || code === 0x09

/** Anything else is read by one program as Latin-1 and by the next as UTF-8. */
const SAFE = /^[\t\x20-\x7e]*$/
const PREFIX = '=?base64?'
const SUFFIX = '?='

/**
 * The text of a header value; undefined for characters that belong in no header, and for an encoding that
 * is malformed. Strict, unlike most decoders: what is encoded has one form, so that no
 * two programs read two texts.
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
 * The header value for a text; {@link decodeHeaderText} reads it back. A text that no header carries as it
 * is, or would be taken for an encoding, is encoded.
 */
export function encodeHeaderText(text: string): string {
  const looksEncoded = text.startsWith(PREFIX) && text.endsWith(SUFFIX)
  if (text === '' || (PLAIN.test(text) && !looksEncoded)) return text
  return `${PREFIX}${toBase64(new TextEncoder().encode(text))}${SUFFIX}`
}
