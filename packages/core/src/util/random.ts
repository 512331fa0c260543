/**
 * Returns bytes from a CSPRNG. It is injected so that tests are repeatable. Constructors must not call it,
 * because Workers forbid that.
 */
export type Random = (bytes: number) => Uint8Array

/**
 * The size of the pool, in bytes. Each call of the platform's generator has a fixed cost, so one large
 * request serves many small ones.
 */
const POOL_BYTES = 4_096
let pool: Uint8Array<ArrayBuffer> | undefined
let used = POOL_BYTES

/** The platform's generator. It returns each byte only once, and then erases it from the pool. */
export const secureRandom: Random = (bytes) => {
  if (bytes > POOL_BYTES / 4) return crypto.getRandomValues(new Uint8Array(bytes))
  if (used + bytes > POOL_BYTES) {
    pool = crypto.getRandomValues(pool ?? new Uint8Array(POOL_BYTES))
    used = 0
  }
  const drawn = (pool as Uint8Array<ArrayBuffer>).slice(used, used + bytes)
  pool?.fill(0, used, (used += bytes))
  return drawn
}

/** Creates a version 4 UUID. See https://www.rfc-editor.org/rfc/rfc9562#section-5.4. */
export function randomUuid(random: Random = secureRandom): string {
  const bytes = random(16)
  const hex = Array.from(bytes, (byte, at) => {
    const marked = at === 6 ? (byte & 0x0f) | 0x40 : at === 8 ? (byte & 0x3f) | 0x80 : byte
    return marked.toString(16).padStart(2, '0')
  }).join('')
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
}

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'

/** Creates a token with six random bits per character, which are safe in headers, URLs and SSE fields. */
export function randomToken(length: number, random: Random = secureRandom): string {
  // Adding the characters one at a time would create a string for each of them.
  const codes: number[] = []
  for (const byte of random(length)) codes.push(ALPHABET.charCodeAt(byte & 63))
  return String.fromCharCode(...codes)
}
