/** Binary data in base64, together with its media type. */
export interface Media {
  readonly data: string
  readonly mimeType: string
}

/**
 * Converts binary data from servers to canonical base64. Servers may use the URL-safe alphabet, line breaks,
 * no padding, or a `data:` URL. The media type is determined from the first bytes, because a model API
 * rejects the whole request if a type is invalid, such as `image/jpg`. Returns undefined if there are no
 * bytes.
 */
export function mediaOf(data: string, mimeType: string | undefined): Media | undefined {
  const url = readDataUrl(data)
  const base64 = canonical(url === undefined ? data : url.data)
  if (base64 === undefined) return undefined
  const given = [mimeType, url?.mimeType].find((type) => type !== undefined && type.trim() !== '')
  const type = typeBySignature(base64) ?? given?.trim().toLowerCase() ?? 'application/octet-stream'
  return { data: base64, mimeType: type }
}

/** https://www.rfc-editor.org/rfc/rfc2397 */
function readDataUrl(
  text: string,
): { readonly data: string; readonly mimeType: string | undefined } | undefined {
  if (!/^\s*data:/i.test(text)) return undefined
  const comma = text.indexOf(',')
  const [mimeType, ...parameters] = text.slice(text.indexOf(':') + 1, Math.max(comma, 0)).split(';')
  const isBase64 = parameters.some((each) => each.trim().toLowerCase() === 'base64')
  return { mimeType, data: isBase64 ? unescaped(text.slice(comma + 1)) : '' }
}

function unescaped(text: string): string {
  if (!text.includes('%')) return text
  try {
    return decodeURIComponent(text)
  } catch {
    return ''
  }
}

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'

/** https://www.rfc-editor.org/rfc/rfc4648#section-3 */
function canonical(text: string): string | undefined {
  const plain = text
    .replaceAll(/\s+/g, '')
    .replaceAll('-', '+')
    .replaceAll('_', '/')
    .replace(/={1,2}$/, '')
  const rest = plain.length % 4
  if (rest === 1 || !/^[A-Za-z0-9+/]+$/.test(plain)) return undefined
  if (rest === 0) return plain
  // The unused bits of the last character must be zero.
  const unused = rest === 2 ? 15 : 3
  const last = ALPHABET[ALPHABET.indexOf(plain.slice(-1)) & ~unused]
  return `${plain.slice(0, -1)}${last}${'='.repeat(4 - rest)}`
}

export const PDF = 'application/pdf'

/** The types that model APIs accept, keyed by their first bytes in base64. */
const SIGNATURES: readonly (readonly [RegExp, string])[] = [
  [/^\/9j\//, 'image/jpeg'],
  [/^iVBORw0KGgo/, 'image/png'],
  [/^R0lGOD(?:dh|lh)/, 'image/gif'],
  [/^UklGR.{6}XRUJQ/, 'image/webp'],
  [/^JVBERi0/, PDF],
]

/** Determines the type from the first bytes. Returns undefined if model APIs do not accept the type. */
export const typeBySignature = (data: string): string | undefined =>
  SIGNATURES.find(([signature]) => signature.test(data))?.[1]
