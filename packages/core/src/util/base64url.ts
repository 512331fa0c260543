const BASE64URL = /^[A-Za-z0-9_-]*$/

export function toBase64Url(bytes: Uint8Array): string {
  let binary = ''
  for (const byte of bytes) binary += String.fromCharCode(byte)
  return btoa(binary).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')
}

/** Only the one spelling of the bytes: two that mean the same would be two names for one thing. Undefined for others. */
export function fromBase64Url(text: string): Uint8Array<ArrayBuffer> | undefined {
  if (text.length % 4 === 1 || !BASE64URL.test(text)) return undefined
  const bytes = decodeBase64(text)
  return toBase64Url(bytes) === text ? bytes : undefined
}

/** Base64 of either alphabet. Throws for anything else. */
export const decodeBase64 = (text: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (character) =>
    character.charCodeAt(0),
  )
