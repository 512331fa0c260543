/** https://www.rfc-editor.org/rfc/rfc3986#appendix-B */
const PARTS = /^(?:([^:/?#]+):)?(?:\/\/([^/?#]*))?([^?#]*)(?:\?([^#]*))?(?:#(.*))?$/s

interface Uri {
  readonly scheme: string | undefined
  readonly authority: string | undefined
  readonly path: string
  readonly query: string | undefined
  readonly fragment: string | undefined
}

function parse(text: string): Uri {
  const [, scheme, authority, path = '', query, fragment] = PARTS.exec(text) ?? []
  return {
    scheme: scheme?.toLowerCase(),
    authority: authority?.toLowerCase(),
    path: unescapeUnreserved(path),
    query,
    fragment,
  }
}

function serialize({ scheme, authority, path, query, fragment }: Uri): string {
  const web = scheme === 'http' || scheme === 'https'
  return [
    scheme === undefined ? '' : `${scheme}:`,
    authority === undefined ? '' : `//${authority}`,
    web && path === '' ? '/' : path,
    query === undefined ? '' : `?${query}`,
    fragment === undefined ? '' : `#${unescapeUnreserved(fragment)}`,
  ].join('')
}

/**
 * Decodes unreserved characters, because `%41` and `A` are equivalent. See
 * https://www.rfc-editor.org/rfc/rfc3986#section-6.2.2.2.
 */
function unescapeUnreserved(text: string): string {
  return text.replace(/%[\da-f]{2}/gi, (escaped) => {
    const character = String.fromCharCode(Number.parseInt(escaped.slice(1), 16))
    return /[\w.~-]/.test(character) ? character : escaped.toUpperCase()
  })
}

/** https://www.rfc-editor.org/rfc/rfc3986#section-5.2.4 */
function withoutDots(path: string): string {
  const kept: string[] = []
  const segments = path.split('/')
  for (const [i, segment] of segments.entries()) {
    const isLast = i === segments.length - 1
    if (segment === '..') {
      if (kept.length > 1 || (kept.length === 1 && kept[0] !== '')) kept.pop()
      if (isLast) kept.push('')
    } else if (segment === '.') {
      if (isLast) kept.push('')
    } else kept.push(segment)
  }
  return kept.join('/')
}

/** https://www.rfc-editor.org/rfc/rfc3986#section-5.2 */
export function resolveUri(base: string, reference: string): string {
  const to = parse(withoutEmptyFragment(reference))
  if (to.scheme !== undefined || to.authority !== undefined) {
    const { scheme } = to.scheme === undefined ? parse(base) : to
    return serialize({ ...to, scheme, path: withoutDots(to.path) })
  }
  const from = parse(base)
  if (to.path === '') return serialize({ ...from, query: to.query ?? from.query, fragment: to.fragment })
  const path = to.path.startsWith('/') ? to.path : merged(from, to.path)
  return serialize({ ...from, path: withoutDots(path), query: to.query, fragment: to.fragment })
}

const merged = (base: Uri, path: string): string =>
  base.authority !== undefined && base.path === ''
    ? `/${path}`
    : base.path.slice(0, base.path.lastIndexOf('/') + 1) + path

/** Splits a URI into the fragment and everything before it. */
export function splitUri(uri: string): { readonly document: string; readonly fragment: string | undefined } {
  const { fragment, ...document } = parse(uri)
  return { document: serialize({ ...document, fragment: undefined }), fragment }
}

export const withoutEmptyFragment = (uri: string): string => uri.replace(/#\/?$/, '')
