/** Verdicts on header values repeat endlessly; as many as this are remembered, and no more, since peers choose them. */
const MAX_REMEMBERED = 64

/** Remembers what a pure function said about the first few texts it was asked about. */
export function remember<T>(decide: (text: string) => T, max: number = MAX_REMEMBERED): (text: string) => T {
  const known = new Map<string, T>()
  return (text) => {
    const before = known.get(text)
    if (before !== undefined) return before
    const verdict = decide(text)
    if (known.size < max) known.set(text, verdict)
    return verdict
  }
}

/**
 * Whether a Content-Type is `application/json`, parsed as RFC 9110 §8.3 says. A substring would let through what
 * browsers send across sites without asking. Control characters, repeated parameters and charsets other than
 * UTF-8 are refused: two parsers in a row might read them differently.
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

/** What a client takes, as its Accept header says. */
export interface Accepted {
  readonly json: boolean
  readonly sse: boolean
}

const ANYTHING: Accepted = Object.freeze({ json: true, sse: true })

/** Reads an Accept header by RFC 9110 §12.5.1: the most specific range decides, and a weight of zero refuses. */
export const accepted = (accept: string | undefined): Accepted =>
  accept === undefined ? ANYTHING : parseAccept(accept)

const parseAccept = remember((accept: string): Accepted => {
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
