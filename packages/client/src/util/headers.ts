/**
 * Creates headers, the second ones in place of the first. The runtime's error for an invalid header contains its value,
 * which may be a secret.
 *
 * @throws TypeError that names the invalid header
 */
export function headersFrom(init: HeadersInit | undefined, more: Readonly<Record<string, string>>): Headers {
  let last = ''
  try {
    const headers = new Headers(init)
    for (const [name, value] of Object.entries(more)) {
      last = ` ${JSON.stringify(name)}`
      headers.set(name, value)
    }
    return headers
  } catch {
    throw new TypeError(`The header${last} has a name or a value that cannot be sent`)
  }
}

/**
 * Whether a text can be the token of a header. RFC 6750 allows fewer characters, but authorization servers in use issue
 * tokens with others, such as colons.
 *
 * @see https://www.rfc-editor.org/rfc/rfc6749#appendix-A.12
 */
export const isToken = (text: string): boolean => /^[\x21-\x7e]+$/.test(text)
