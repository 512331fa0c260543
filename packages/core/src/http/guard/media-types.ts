/** Clients use few different values of a header. More are not cached, because clients choose them. */
const MAX_REMEMBERED = 64

/** Caches the results of a pure function for the first few texts. */
export function remember<T>(decide: (text: string) => T, max: number = MAX_REMEMBERED): (text: string) => T {
  const known = new Map<string, T>()
  return (text) => {
    const before = known.get(text)
    if (before !== undefined) return before
    const result = decide(text)
    if (known.size < max) known.set(text, result)
    return result
  }
}

/**
 * Whether a Content-Type is `application/json`, parsed as in RFC 9110 §8.3. A substring test would accept types
 * that browsers send to other sites without a preflight. Control characters, repeated parameters and charsets
 * other than UTF-8 are refused, because a proxy might interpret them differently.
 */
export function isJson(contentType: string | undefined): boolean {
  return contentType === 'application/json' || (contentType !== undefined && parsedJson(contentType))
}

const parsedJson = remember((contentType) => {
  const [type = '', ...parameters] = contentType.split(';')
  if (type.trimEnd().toLowerCase() !== 'application/json' || /[^\x20-\x7e]/.test(contentType)) return false
  const seen = new Set<string>()
  return parameters.every((parameter) => {
    const match = PARAMETER.exec(parameter)
    const name = match?.[1]?.toLowerCase()
    if (name === undefined || seen.has(name)) return false
    seen.add(name)
    return name !== 'charset' || /^"?utf-8"?$/i.test(match?.[2] ?? '')
  })
})

const PARAMETER = /^ *([!#$%&'*+.^_`|~0-9a-z-]+)=([!#$%&'*+.^_`|~0-9a-z-]+|"[^"\\;]*") *$/i

/** The media types that a client accepts. */
export interface Accepted {
  readonly json: boolean
  readonly sse: boolean
}

/**
 * Parses an Accept header as in RFC 9110 §12.5.1: the most specific range decides, and a weight of zero
 * refuses.
 */
export const accepted: (accept: string) => Accepted = remember((accept) => {
  const weights = new Map<string, boolean>()
  for (const part of accept.split(',')) {
    const [range = '', ...parameters] = part.split(';')
    const refused = parameters.some((parameter) => /^\s*q=0(?:\.0{0,3})?\s*$/i.test(parameter))
    weights.set(range.trim().toLowerCase(), !refused)
  }
  const takes = (type: string, anyOfKind: string): boolean =>
    weights.get(type) ?? weights.get(anyOfKind) ?? weights.get('*/*') ?? false
  return { json: takes('application/json', 'application/*'), sse: takes('text/event-stream', 'text/*') }
})
