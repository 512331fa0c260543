import { isDeepStrictEqual } from 'node:util'
import { CliError } from '../errors.ts'
import { EditError, type Entry, type EntryEdit, type Format, isObject } from '../formats/format.ts'
import { readEntry, removeEntry, setEntry } from '../formats/edit-text.ts'
import { backupsOf, type FileChange, type FileState, readState } from './file.ts'
import { maskEntry } from '../hosts/secrets.ts'
import { OWNED_MEMBERS } from '../hosts/host.ts'

/** The change to a file. */
export type Outcome = 'added' | 'updated' | 'removed' | 'unchanged' | 'absent'

export interface EntryChange extends FileChange {
  readonly before: string | undefined
  readonly outcome: Outcome
}

export interface EditRequest {
  readonly path: string
  readonly format: Format
  readonly edit: EntryEdit
  readonly force: boolean
}

export interface InstallRequest extends EditRequest {
  readonly entry: Entry
  /** Whether the entry contains values that other users must not see. */
  readonly secret: boolean
}

/** @throws CliError if another entry has the same name, unless forced */
export function install({ text }: FileState, request: InstallRequest): EntryChange {
  const { format, edit, entry, force, secret, path } = request
  const existing = guarded(request, () => readEntry(format, text ?? '', edit))
  const merged = isObject(existing) ? merge(existing, entry) : entry
  if (isDeepStrictEqual(existing, merged)) return { text, before: text, outcome: 'unchanged', secret }
  if (existing !== undefined && !force)
    throw new CliError(
      'failed',
      `${path} has another entry ${edit.name}; it differs in ${differences(existing, merged)}`,
      {
        hint: '--force replaces it, and --name chooses another name',
      },
    )
  const next = guarded(request, () => setEntry(format, text ?? '', edit, merged))
  return { text: next, before: text, outcome: existing === undefined ? 'added' : 'updated', secret }
}

export interface UninstallRequest extends EditRequest {
  /** The entry that would be installed. Undefined if only a name was given. */
  readonly entry: Entry | undefined
}

/** @throws CliError if the entry belongs to another server, unless forced */
export async function uninstall(state: FileState, request: UninstallRequest): Promise<EntryChange> {
  const { text, target } = state
  const { format, edit, entry, force, path } = request
  const existing = guarded(request, () => readEntry(format, text ?? '', edit))
  if (text === undefined || existing === undefined)
    return { text, before: text, outcome: 'absent', secret: false }
  if (!force && (entry === undefined || !pointsTo(existing, entry)))
    throw new CliError(
      'failed',
      entry === undefined
        ? 'Without a target, --force is needed'
        : `The entry ${edit.name} in ${path} is of another server`,
      { hint: `--force removes ${edit.name}` },
    )
  const before = await textBefore(target, text, request, existing)
  const next = before === undefined ? guarded(request, () => removeEntry(format, text, edit)) : before.text
  return { text: next, before: text, outcome: 'removed', secret: false }
}

/**
 * Returns the backup made before the entry was installed, if nothing else has changed since then. This is the
 * case if installing the entry into the backup yields the current text. The backup can restore what an edit
 * cannot, such as an object or a file that did not exist.
 */
async function textBefore(
  target: string,
  text: string,
  { format, edit }: EditRequest,
  existing: unknown,
): Promise<{ readonly text: string | undefined } | undefined> {
  if (!isObject(existing)) return undefined
  const gives = (before: string): boolean => {
    try {
      return (
        readEntry(format, before, edit) === undefined && setEntry(format, before, edit, existing) === text
      )
    } catch {
      return false
    }
  }
  for (const backup of await backupsOf(target)) {
    const { text: before } = await readState(backup).catch(() => ({ text: undefined }))
    if (before !== undefined && gives(before)) return { text: before }
  }
  return gives('') ? { text: undefined } : undefined
}

/** Returns the new entry, combined with members that the user or the host has added. */
function merge(existing: Entry, entry: Entry): Entry {
  const result: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(existing))
    if (!OWNED_MEMBERS.includes(name) || Object.hasOwn(entry, name)) result[name] = value
  for (const [name, value] of Object.entries(entry)) {
    const old = result[name]
    result[name] = isObject(value) && isObject(old) ? { ...old, ...value } : value
  }
  return result
}

/** Lists the members that differ, but only by name, because the values may be secrets. */
function differences(existing: unknown, merged: Entry): string {
  if (!isObject(existing)) return 'everything'
  const names = Object.keys({ ...existing, ...merged })
  return names.filter((name) => !isDeepStrictEqual(existing[name], merged[name])).join(', ')
}

/** Returns whether both entries start the same program or connect to the same URL. */
const pointsTo = (existing: unknown, entry: Entry): boolean =>
  isObject(existing) &&
  OWNED_MEMBERS.every((name) => name === 'type' || isDeepStrictEqual(existing[name], entry[name]))

/** Adds the file name to errors that occur during an edit. */
function guarded<T>(
  { path, format, edit, ...request }: EditRequest & { readonly entry?: Entry | undefined },
  run: () => T,
): T {
  try {
    return run()
  } catch (error) {
    if (error instanceof SyntaxError)
      throw new CliError('failed', `${path} cannot be read: ${error.message}`, {
        cause: error,
        hint: 'Correct it first. Nothing was changed',
      })
    if (!(error instanceof EditError)) throw error
    const hint =
      request.entry === undefined
        ? 'Edit it by hand. Nothing was changed'
        : `Nothing was changed. Add this by hand:\n${format.snippet(edit, maskEntry(request.entry, '***'))}`
    throw new CliError('failed', `${path} cannot be edited: ${error.message}`, { cause: error, hint })
  }
}
