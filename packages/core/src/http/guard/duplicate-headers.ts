/**
 * Headers that a proxy and this server may interpret differently if they are repeated. All `Mcp-*` headers are
 * checked too.
 */
const UNIQUE = [
  'authorization',
  'content-type',
  'host',
  'origin',
  'last-event-id',
  'mcp-session-id',
  'mcp-protocol-version',
  'mcp-method',
  'mcp-name',
]
/** A bit per header, because a list would need an allocation per request. */
const BITS: ReadonlyMap<string, number> = new Map(UNIQUE.map((name, index) => [name, 1 << index]))

/**
 * Returns the first header that is repeated but must not be, in a list like Node's `rawHeaders`. HTTP/2 repeats
 * `Host` if it differs from `:authority`.
 *
 * @see https://www.rfc-editor.org/rfc/rfc9113#section-8.3.1
 */
export function duplicateHeader(rawHeaders: readonly string[]): string | undefined {
  let seen = 0
  let others: string[] | undefined
  let authority: string | undefined
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i] ?? ''
    if (!mayMatter(name)) continue
    const lower = name.toLowerCase()
    // Pseudo-headers precede all others.
    if (lower === ':authority') authority = rawHeaders[i + 1]
    if (lower === 'host' && authority !== undefined && differ(authority, rawHeaders[i + 1])) return lower
    const bit = BITS.get(lower)
    if (bit !== undefined) {
      if ((seen & bit) !== 0) return lower
      seen |= bit
    } else if (lower.startsWith('mcp-')) {
      if (others?.includes(lower) === true) return lower
      ;(others ??= []).push(lower)
    }
  }
  return undefined
}

const differ = (authority: string, host = ''): boolean => authority.toLowerCase() !== host.toLowerCase()

/** A cheap test by first letter and length, because most headers start with another letter. */
function mayMatter(name: string): boolean {
  switch (name.charCodeAt(0) | 0x20) {
    case 0x3a:
      return name.length === 10
    case 0x61:
      return name.length === 13
    case 0x63:
      return name.length === 12
    case 0x68:
      return name.length === 4
    case 0x6c:
      return name.length === 13
    case 0x6f:
      return name.length === 6
    case 0x6d:
      return true
    default:
      return false
  }
}
