import { maskedEntry, readEntry } from '../formats/edit-text.ts'
import { formatOf } from '../formats/format-of.ts'
import type { EntryEdit, Format } from '../formats/format.ts'
import { maskEntry } from '../hosts/secrets.ts'
import type { EntryChange, Outcome } from './entries.ts'
import { diff, type Side } from './diff.ts'
import { applyChange, type FileState, planChange } from './file.ts'
import type { HostRequest } from './request.ts'

/** A file that was changed, or that would be changed without `--dry-run`. */
export interface FileReport {
  readonly path: string
  readonly outcome: Outcome
  /** The difference between the old and the new content, for `--dry-run`. */
  readonly diff?: string
}

/** Changes all files in a request. With `dryRun`, only reports the changes. */
export async function applyToAll(
  { host, name, paths }: HostRequest,
  { dryRun }: { readonly dryRun: boolean },
  decide: (path: string, state: FileState) => EntryChange | Promise<EntryChange>,
): Promise<readonly FileReport[]> {
  // All files are checked before the first one is changed.
  const planned = await Promise.all(paths.map((path) => planChange(path, (state) => decide(path, state))))
  const reports: FileReport[] = []
  for (const plan of planned) {
    const { path } = plan
    if (!dryRun) {
      reports.push({ path, outcome: (await applyChange(plan)).outcome })
      continue
    }
    const { outcome, before = '', text = '' } = plan.change
    const sides = { path, before, text, edit: { key: host.key, name }, format: await formatOf(host.format) }
    reports.push({ path, outcome, ...(before !== text && { diff: maskedDiff(sides) }) })
  }
  return reports
}

interface Sides {
  readonly path: string
  readonly before: string
  readonly text: string
  readonly edit: EntryEdit
  readonly format: Format
}

/**
 * Masks the values of variables and headers before the old and the new text are compared, because these
 * values may be secrets.
 */
function maskedDiff({ path, before, text, edit, format }: Sides): string {
  const [old, next] = [before, text].map((each) => readEntry(format, each, edit))
  const isReplaced = old !== undefined && next !== undefined
  const side = (each: string, other: unknown, mark: string): Side =>
    maskedEntry(format, each, edit, (entry) =>
      isReplaced ? maskEntry(entry, other, mark) : maskEntry(entry),
    )
  return diff(path, side(before, next, '*** (before)'), side(text, old, '*** (after)'))
}
