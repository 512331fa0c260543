import { readFile } from 'node:fs/promises'
import { createTwoFilesPatch } from 'diff'
import { replaceText, withLf } from './files.ts'

export interface Edit {
  readonly oldText: string
  readonly newText: string
}

/**
 * Applies edits to a file, one after another.
 *
 * @returns the changes as a fenced diff
 * @throws Error if an edit's text is not in the file
 */
export async function editFile(file: string, edits: readonly Edit[]): Promise<string> {
  const { before, after } = await preview(file, edits)
  await replaceText(file, after)
  return fencedDiff(file, before, after)
}

/** Returns the same diff as {@link editFile}, but does not change the file. */
export async function previewEdits(file: string, edits: readonly Edit[]): Promise<string> {
  const { before, after } = await preview(file, edits)
  return fencedDiff(file, before, after)
}

async function preview(file: string, edits: readonly Edit[]): Promise<{ before: string; after: string }> {
  const before = withLf(await readFile(file, 'utf8'))
  return { before, after: edits.reduce(applyEdit, before) }
}

function applyEdit(text: string, edit: Edit): string {
  const oldText = withLf(edit.oldText)
  const newText = withLf(edit.newText)
  // The replacement is a function, because `$` has a special meaning in replacement strings.
  if (text.includes(oldText)) return text.replace(oldText, () => newText)
  const edited = replaceLines(text.split('\n'), oldText.split('\n'), newText.split('\n'))
  if (edited !== undefined) return edited.join('\n')
  throw new Error(`Could not find exact match for edit:\n${edit.oldText}`)
}

/**
 * Replaces the lines that match the search text, ignoring leading and trailing whitespace. Keeps the original
 * indentation.
 */
function replaceLines(
  lines: readonly string[],
  wanted: readonly string[],
  replacement: readonly string[],
): readonly string[] | undefined {
  const isAt = (start: number) => wanted.every((line, i) => line.trim() === lines[start + i]?.trim())
  const starts = Array.from({ length: Math.max(0, lines.length - wanted.length + 1) }, (_, start) => start)
  const start = starts.find(isAt)
  if (start === undefined) return undefined
  const indent = indentOf(lines[start])
  const indented = replacement.map((line, i) =>
    i === 0 ? indent + line.trimStart() : reindent(line, indentOf(wanted[i]), indent),
  )
  return lines.toSpliced(start, wanted.length, ...indented)
}

const indentOf = (line = '') => /^\s*/.exec(line)?.[0] ?? ''

function reindent(line: string, before: string, base: string): string {
  const now = indentOf(line)
  if (before === '' || now === '') return line
  return base + ' '.repeat(Math.max(0, now.length - before.length)) + line.trimStart()
}

function fencedDiff(file: string, before: string, after: string): string {
  const diff = createTwoFilesPatch(file, file, before, after, 'original', 'modified')
  let fence = '```'
  while (diff.includes(fence)) fence += '`'
  return `${fence}diff\n${diff}${fence}\n\n`
}
