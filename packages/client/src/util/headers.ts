/**
 * Creates headers from two sources. The second source overrides the first. The runtime's own error is not
 * used, because it contains the value of the invalid header, which may be a secret.
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
 * Returns whether a string can be sent as a token in a header. RFC 6750 allows fewer characters, but some
 * authorization servers issue tokens with other characters, such as colons.
 *
 * @see https://www.rfc-editor.org/rfc/rfc6749#appendix-A.12
 */
export const isToken = (text: string): boolean => /^[\x21-\x7e]+$/.test(text)
