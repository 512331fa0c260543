/** Determines which of a server's tools the host may list and call. */
export interface ToolFilter {
  /** The names to allow. `*` matches any characters. @default all */
  readonly allow?: readonly string[]
  /** The names to deny. They take precedence over `allow`. @default none */
  readonly deny?: readonly string[]
}

/** Whether a filter allows a name. */
export type ToolTest = (tool: string) => boolean

/** Returns a function that tests names. */
export function toolTest({ allow = ['*'], deny = [] }: ToolFilter = {}): ToolTest {
  const allowed = allow.map(glob)
  const denied = deny.map(glob)
  return (tool) => !denied.some((matches) => matches(tool)) && allowed.some((matches) => matches(tool))
}

/** Matches a pattern without a regular expression, which could take exponential time for a name from a server. */
function glob(pattern: string): ToolTest {
  const [first = '', ...rest] = pattern.split('*')
  const last = rest.pop()
  if (last === undefined) return (tool) => tool === pattern
  return (tool) => {
    if (tool.length < first.length + last.length) return false
    if (!tool.startsWith(first) || !tool.endsWith(last)) return false
    const end = tool.length - last.length
    let at = first.length
    for (const part of rest) {
      const found = tool.indexOf(part, at)
      if (found === -1 || found + part.length > end) return false
      at = found + part.length
    }
    return true
  }
}
