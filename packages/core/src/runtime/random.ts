/** Bytes from a CSPRNG, injected so that tests are repeatable. Called when needed, never while something is built. */
export type Random = (bytes: number) => Uint8Array

export const secureRandom: Random = (bytes) => crypto.getRandomValues(new Uint8Array(bytes))

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'

/** A token of six random bits per character, safe in headers, URLs and SSE fields. */
export function randomToken(length: number, random: Random = secureRandom): string {
  let token = ''
  for (const byte of random(length)) token += ALPHABET[byte & 63]
  return token
}
