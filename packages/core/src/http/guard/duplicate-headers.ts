/**
 * Headers that two parsers in a row might read differently when they stand twice. In a raw list every `Mcp-*` joins
 * them; `Mcp-Param-*` are looked at where they are read.
 */
export const UNIQUE_HEADERS = [
  'authorization',
  'content-type',
  'host',
  'origin',
  'last-event-id',
  'mcp-session-id',
  'mcp-protocol-version',
  'mcp-method',
  'mcp-name',
] as const

/**
 * The first header that stands more than once and must not, in a flat list of names and values as Node's `rawHeaders`
 * is one. Node itself keeps the first value of some and joins others.
 */
export function duplicateHeader(rawHeaders: readonly string[]): string | undefined {
  let first = ''
  let more: string[] | undefined
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i] ?? ''
    if (!mayMatter(name)) continue
    const lower = name.toLowerCase()
    if (!lower.startsWith('mcp-') && !UNIQUE.has(lower)) continue
    if (lower === first || more?.includes(lower) === true) return lower
    if (first === '') first = lower
    else (more ??= []).push(lower)
  }
  return undefined
}

const UNIQUE: ReadonlySet<string> = new Set(UNIQUE_HEADERS)

/** By first letter, since nearly all other headers begin with another one: a, c, h, l, m, o. */
function mayMatter(name: string): boolean {
  switch (name.charCodeAt(0) | 0x20) {
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
