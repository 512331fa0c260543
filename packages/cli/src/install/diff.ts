/**
 * Returns the lines that differ between two texts, without context lines, which may contain secrets of other servers. It
 * skips only the common start and end, because the texts differ in few places.
 */
export function diff(path: string, before: string, after: string): string {
  const [old, next] = [before.split(/\r?\n/), after.split(/\r?\n/)]
  let start = 0
  while (start < old.length && start < next.length && old[start] === next[start]) start++
  let end = 0
  while (
    end < old.length - start &&
    end < next.length - start &&
    old[old.length - 1 - end] === next[next.length - 1 - end]
  )
    end++
  const [gone, added] = [old.slice(start, old.length - end), next.slice(start, next.length - end)]
  return [
    `--- ${path}`,
    `+++ ${path}`,
    `@@ -${start + 1},${gone.length} +${start + 1},${added.length} @@`,
    ...gone.map((line) => `-${line}`),
    ...added.map((line) => `+${line}`),
  ].join('\n')
}
