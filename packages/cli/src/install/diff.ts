import type { Span } from '../formats/format.ts'

/** The text of a file before or after a change. */
export interface Side {
  readonly text: string
  /** The entry that changes, if its lines may also contain other entries. */
  readonly entry?: Span | undefined
}

/**
 * Returns the lines that differ between the old and the new text. Context lines are omitted, because they may
 * contain other servers' secrets. Only the common start and the common end are skipped, because there are few
 * differences. Other text on the entry's lines is shortened.
 */
export function diff(path: string, before: Side, after: Side): string {
  const [old, next] = [before.text.split('\n'), after.text.split('\n')]
  let start = 0
  while (start < old.length && start < next.length && old[start] === next[start]) start++
  let end = 0
  while (
    end < old.length - start &&
    end < next.length - start &&
    old[old.length - 1 - end] === next[next.length - 1 - end]
  )
    end++
  const gone = shown(before, old, [start, old.length - end])
  const added = shown(after, next, [start, next.length - end])
  return [
    `--- ${path}`,
    `+++ ${path}`,
    `@@ -${start + 1},${gone.length} +${start + 1},${added.length} @@`,
    ...gone.map((line) => `-${line}`),
    ...added.map((line) => `+${line}`),
  ].join('\n')
}

function shown(
  { entry, text }: Side,
  lines: readonly string[],
  [from, to]: readonly [from: number, to: number],
): readonly string[] {
  const { start, end } = entry ?? { start: 0, end: text.length }
  let offset = lines.slice(0, from).reduce((sum, line) => sum + line.length + 1, 0)
  return lines.slice(from, to).map((line) => {
    const at = (position: number): number => Math.min(Math.max(position - offset, 0), line.length)
    const [first, last] = [at(start), at(end)]
    offset += line.length + 1
    const whole = shortened(line.slice(0, first)) + line.slice(first, last) + shortened(line.slice(last))
    return whole.replace(/\r$/, '')
  })
}

/** Keeps brackets, and the name of an object that begins on this line. */
const shortened = (text: string): string =>
  /^(?:\s*"[^"]*":)?[\s{}[\],]*$/.test(text) ? text : `${/^\s*/.exec(text)?.[0] ?? ''}…`
