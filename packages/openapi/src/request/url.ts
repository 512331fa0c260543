import { ToolError } from '@jetway/core'
import type { Parameter } from '../document/model.ts'
import { inPath } from './styles.ts'

/** A segment that leads elsewhere, or that does if a server decodes the address twice. */
const LEADS_ELSEWHERE = /(?:^|[/\\])\.{1,2}(?:$|[/\\;])/
/** How often servers and proxies may decode a path. */
const DECODINGS = 3

/**
 * Fills a path such as `/pets/{id}`.
 *
 * @throws ToolError for a value that would lead to another operation: an empty one, and one with the segment `.` or
 *   `..`, which is refused even if it is encoded, because some servers and proxies decode before they look for segments
 */
export function fillPath(
  path: string,
  values: ReadonlyMap<string, { readonly parameter: Parameter; readonly value: unknown }>,
): string {
  const filled = path.replace(/\{([^{}/]+)\}/g, (_, name: string) => {
    const found = values.get(name)
    const text = found === undefined ? '' : inPath(found.parameter, found.value)
    if (text === '' || text === '.' || text === ';')
      throw new ToolError(`The argument for ${name} must not be empty`)
    return text
  })
  const segments = filled.split('/')
  // Whatever a style writes, a value must not add segments.
  if (segments.length !== path.split('/').length)
    throw new ToolError('An argument of the path must stay one segment')
  for (const segment of segments) {
    for (const text of decodings(segment))
      if (LEADS_ELSEWHERE.test(text) || text.includes('\u0000'))
        throw new ToolError(
          'An argument of the path must not be "." or "..", nor contain them between slashes',
        )
  }
  return filled
}

function decodings(segment: string): readonly string[] {
  const found = [segment]
  for (let count = 0; count < DECODINGS; count++) {
    try {
      found.push(decodeURIComponent(found.at(-1) as string))
    } catch {
      break
    }
  }
  return found
}

/** Whether an address is that of the base, or below it. */
export function isBelow(base: URL, url: URL): boolean {
  const root = base.pathname.endsWith('/') ? base.pathname : `${base.pathname}/`
  return (
    url.origin === base.origin &&
    url.username === '' &&
    url.password === '' &&
    (url.pathname === base.pathname || url.pathname.startsWith(root))
  )
}

/**
 * Joins the parts as text, so that nothing in them is resolved against the base.
 *
 * @throws ToolError unless the address is below the base and exactly as written
 */
export function join(base: URL, path: string, query: readonly string[]): URL {
  const root = base.pathname.replace(/\/+$/, '')
  const written = root + path
  const url = new URL(base.origin + written)
  if (url.pathname !== written || !isBelow(base, url))
    throw new ToolError('The arguments lead to an address outside of the API')
  url.search = query.join('&')
  return url
}
