/** A multiple of three, so that pieces encode on their own, and few enough to be passed as arguments. */
const CHUNK = 3 * 8192

/** Base64 of any number of bytes, by web standards alone. */
export function toBase64(bytes: Uint8Array): string {
  if (bytes.length <= CHUNK) return encodeChunk(bytes)
  const pieces: string[] = []
  for (let at = 0; at < bytes.length; at += CHUNK) pieces.push(encodeChunk(bytes.subarray(at, at + CHUNK)))
  return pieces.join('')
}

const encodeChunk = (bytes: Uint8Array): string => btoa(String.fromCharCode(...bytes))

const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/

/** Whether a text is padded base64 of the standard alphabet. */
export const isBase64 = (text: string): boolean => text.length % 4 === 0 && BASE64.test(text)

/** Base64 without padding, safe in URLs, of a text's UTF-8 bytes. */
export function toBase64Url(text: string): string {
  const standard = toBase64(new TextEncoder().encode(text))
  return standard.replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '')
}

/** The text, or undefined for anything that {@link toBase64Url} does not give. */
export function fromBase64Url(encoded: string): string | undefined {
  if (!/^[\w-]+$/.test(encoded)) return undefined
  try {
    const binary = atob(encoded.replaceAll('-', '+').replaceAll('_', '/'))
    const bytes = Uint8Array.from(binary, (char) => char.charCodeAt(0))
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
    return toBase64Url(text) === encoded ? text : undefined
  } catch {
    return undefined
  }
}
