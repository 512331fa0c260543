/**
 * The number of bytes per chunk. It is a multiple of three, so that chunks can be encoded separately, and
 * small enough for the bytes to be passed as function arguments.
 */
const CHUNK = 3 * 8192
const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/
const BASE64URL = /^[A-Za-z0-9_-]*$/

/** Encodes any number of bytes as base64 without `Buffer`. */
export function toBase64(bytes: Uint8Array): string {
  if (bytes.length <= CHUNK) return encodeChunk(bytes)
  const chunks: string[] = []
  for (let at = 0; at < bytes.length; at += CHUNK) chunks.push(encodeChunk(bytes.subarray(at, at + CHUNK)))
  return chunks.join('')
}

const encodeChunk = (bytes: Uint8Array): string => btoa(String.fromCharCode(...bytes))

/** Returns whether a string is padded base64 in the standard alphabet. */
export const isBase64 = (text: string): boolean => text.length % 4 === 0 && BASE64.test(text)

/** Encodes bytes as base64url without padding. */
export const toBase64Url = (bytes: Uint8Array): string =>
  toBase64(bytes).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')

/**
 * Decodes a string created by {@link toBase64Url}, or returns undefined for any other string. Base64 can
 * spell the same bytes in several ways, and a second spelling of an id must not act as a second id.
 */
export function fromBase64Url(text: string): Uint8Array<ArrayBuffer> | undefined {
  if (text.length % 4 === 1 || !BASE64URL.test(text)) return undefined
  const bytes = decodeBase64(text)
  return toBase64Url(bytes) === text ? bytes : undefined
}

/** Decodes base64 in either alphabet. Throws for any other string. */
export const decodeBase64 = (text: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (char) => char.charCodeAt(0))

/**
 * Returns the length of a string in UTF-8 without encoding it. A lone surrogate counts as its replacement
 * character.
 */
export function utf8Length(text: string): number {
  let bytes = text.length
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i)
    if (unit < 0x80) continue
    bytes++
    if (unit < 0x800) continue
    bytes++
    if (unit >= 0xd800 && unit < 0xdc00 && isLowSurrogate(text.charCodeAt(i + 1))) i++
  }
  return bytes
}

const isLowSurrogate = (unit: number): boolean => unit >= 0xdc00 && unit < 0xe000
