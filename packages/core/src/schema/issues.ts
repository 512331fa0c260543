import type { Issue, StandardIssue } from './types.ts'

const MAX_PATH = 120
const MAX_MESSAGE = 240
/** The maximum number of issues per check, because a peer can send any number of invalid items or alternatives. */
const MAX_ISSUES = 100
const IDENTIFIER = /^[A-Za-z_$][\w$]*$/

/**
 * Control and format characters. Peers choose unknown keys, and must not be able to use them to forge or
 * reorder log lines.
 */
const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu

function printable(text: string, max: number): string {
  const cut = text.length > max ? `${text.slice(0, max)}…` : text
  return cut.replace(UNPRINTABLE, (char) => `\\u{${char.codePointAt(0)?.toString(16)}}`)
}

function formatPath(path: Issue['path']): string {
  let text = ''
  for (const segment of path) {
    if (typeof segment === 'number') text += `[${segment}]`
    else if (!IDENTIFIER.test(segment)) text += `[${JSON.stringify(segment.slice(0, MAX_PATH))}]`
    else text += text === '' ? segment : `.${segment}`
    if (text.length > MAX_PATH) break
  }
  return printable(text, MAX_PATH)
}

function formatIssue({ path, message }: Issue): string {
  const why = printable(message, MAX_MESSAGE)
  return path.length === 0 ? why : `${formatPath(path)}: ${why}`
}

/**
 * Describes one issue per line: the field, followed by the reason. The description is limited in size and
 * does not contain received values, so that it can be sent to a model and logged.
 *
 * @param limit - the maximum number of described issues
 */
export function describeIssues(issues: readonly Issue[], limit = 10): string {
  const lines = issues.slice(0, limit).map(formatIssue)
  if (issues.length > limit) lines.push('and more')
  return lines.join('\n')
}

/** zod attaches the issues of each alternative to the union's issue. */
interface UnionIssue extends StandardIssue {
  readonly errors?: unknown
}

/** The message of zod, if the author has not provided one. */
const UNSAID = 'Invalid input'

/** Converts a library's issues, with the library's own messages. */
export function fromStandardIssues(issues: readonly StandardIssue[]): Issue[] {
  return convertIssues(issues, [])
}

function convertIssues(issues: readonly StandardIssue[], base: Issue['path']): Issue[] {
  return issues.slice(0, MAX_ISSUES).flatMap((issue) => fromStandardIssue(issue, base))
}

function fromStandardIssue(issue: UnionIssue, base: Issue['path']): Issue[] {
  const path = [...base, ...(issue.path ?? []).map(toSegment)]
  const branches = Array.isArray(issue.errors) ? (issue.errors as unknown[]).filter(isIssueList) : []
  if (branches.length === 0 || issue.message !== UNSAID) return [{ path, message: String(issue.message) }]
  return closestAlternative(branches.map((branch) => convertIssues(branch, path)))
}

function isIssueList(value: unknown): value is StandardIssue[] {
  return Array.isArray(value) && value.length > 0
}

function toSegment(segment: PropertyKey | { readonly key: PropertyKey }): string | number {
  const key = typeof segment === 'object' ? segment.key : segment
  return typeof key === 'number' ? key : String(key)
}

/**
 * For a value that matches no alternative of a union, returns the issues of the closest alternative: the one
 * that failed at the deepest path or, if several failed there, the one with the fewest issues. The issues of
 * equally close alternatives are joined by "or".
 */
export function closestAlternative(alternatives: readonly (readonly Issue[])[]): Issue[] {
  const depth = (issues: readonly Issue[]): number => Math.max(...issues.map(({ path }) => path.length))
  const ranked = alternatives.toSorted((a, b) => depth(b) - depth(a) || a.length - b.length)
  const best = ranked[0]
  if (best === undefined) return []
  const rivals = ranked.filter((issues) => depth(issues) === depth(best) && issues.length === best.length)
  if (rivals.length === 1) return [...best]
  const byPath = new Map<string, Issue>()
  for (const issue of rivals.flat().slice(0, MAX_ISSUES)) {
    const key = JSON.stringify(issue.path)
    const known = byPath.get(key)
    if (known === undefined) byPath.set(key, issue)
    else if (!known.message.split(', or ').includes(issue.message)) {
      byPath.set(key, { path: issue.path, message: `${known.message}, or ${issue.message}` })
    }
  }
  return joined([...byPath.values()])
}

/**
 * Combines issues into one if any one of several fields would be enough, because a list would seem to require
 * all of them.
 */
function joined(issues: readonly Issue[]): Issue[] {
  if (issues.length === 1) return [...issues]
  return [{ path: [], message: issues.slice(0, 4).map(formatIssue).join('; or ') }]
}
