import { randomUUID } from 'node:crypto'
import { copyFile, lstat, mkdir, open, readdir, readlink, realpath, rename, rm, stat } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import process from 'node:process'
import { setTimeout as sleep } from 'node:timers/promises'
import { CliError } from '../errors.ts'
import { readRegularFile } from '../regular-file.ts'

/** The state of a file when it was read. */
export interface FileState {
  /** The target of a symbolic link, which must remain a link. */
  readonly target: string
  /** The text with its byte order mark. Undefined if the file does not exist. */
  readonly text: string | undefined
  readonly mode: number | undefined
}

/** The new content of a file. An undefined text deletes it. */
export interface FileChange {
  readonly text: string | undefined
  /** Whether other users must not read the file. */
  readonly secret: boolean
}

const BACKUPS_KEPT = 3
const ATTEMPTS = 3

/** @throws CliError for a file that is not UTF-8 or cannot be read */
export async function readState(path: string): Promise<FileState> {
  const target = await follow(path)
  try {
    const text = decode(readRegularFile(target), path)
    const { mode } = await stat(target)
    return { target, text, mode: mode & 0o777 }
  } catch (error) {
    if (isCode(error, 'ENOENT')) return { target, text: undefined, mode: undefined }
    throw error instanceof CliError ? error : fileError('read', path, error)
  }
}

/**
 * Changes a file atomically after a backup. If another program changes the file at the same time, reads it and calls
 * `decide` again. Does not write anything if nothing changes.
 */
export async function changeFile<T extends FileChange>(
  path: string,
  decide: (state: FileState) => Promise<T> | T,
): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    const state = await readState(path)
    const change = await decide(state)
    if (change.text === state.text) return change
    if (state.mode !== undefined && (state.mode & 0o222) === 0)
      throw new CliError('failed', `${path} is read-only`, { hint: 'Nothing was changed' })
    try {
      if (await write(state, change)) return change
    } catch (error) {
      throw fileError('write', path, error)
    }
    if (attempt === ATTEMPTS)
      throw new CliError('failed', `${path} changes all the time`, { hint: 'Quit the host, and try again' })
  }
}

/** Returns the backups of a file, newest first. */
export async function backupsOf(target: string): Promise<readonly string[]> {
  const prefix = `${basename(target)}.`
  const names = await readdir(dirname(target)).catch(() => [])
  return names
    .filter((name) => name.startsWith(prefix) && /^\d{8}T\d{9}Z\.bak$/.test(name.slice(prefix.length)))
    .toSorted()
    .toReversed()
    .map((name) => join(dirname(target), name))
}

/** Writes the file. Returns false if the file has changed since it was read. */
async function write(state: FileState, { text, secret }: FileChange): Promise<boolean> {
  const { target } = state
  await mkdir(dirname(target), { recursive: true })
  if (state.text !== undefined) await backUp(target)
  if (text === undefined) {
    if (!(await isUnchanged(state))) return false
    await rm(target)
    return true
  }
  const temporary = join(dirname(target), `.${basename(target)}.${randomUUID()}.tmp`)
  try {
    const mode = secret ? 0o600 : (state.mode ?? 0o666)
    const file = await open(temporary, 'wx', mode)
    try {
      // The umask does not apply to the mode of an existing file.
      if (state.mode !== undefined) await file.chmod(mode)
      await file.writeFile(text)
      await file.sync()
    } finally {
      await file.close()
    }
    if (!(await isUnchanged(state))) return false
    await replace(temporary, target)
    return true
  } finally {
    await rm(temporary, { force: true })
  }
}

const isUnchanged = async (state: FileState): Promise<boolean> =>
  (await readState(state.target)).text === state.text

/** Retries `rename`, which fails on Windows while a virus scanner or a host reads the file. */
async function replace(from: string, to: string): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await rename(from, to)
    } catch (error) {
      if (process.platform !== 'win32' || attempt === 5 || !isCode(error, 'EPERM', 'EBUSY', 'EACCES'))
        throw error
      await sleep(50 * attempt)
    }
  }
}

async function backUp(target: string): Promise<void> {
  const time = new Date().toISOString().replaceAll(/[-:.]/g, '')
  await copyFile(target, `${target}.${time}.bak`)
  const old = (await backupsOf(target)).slice(BACKUPS_KEPT)
  await Promise.all(old.map((path) => rm(path, { force: true })))
}

/** Resolves symbolic links to a file that may not exist. */
async function follow(path: string): Promise<string> {
  try {
    return await realpath(path)
  } catch (error) {
    if (!isCode(error, 'ENOENT')) throw fileError('read', path, error)
  }
  const link = await lstat(path).catch(() => undefined)
  return link?.isSymbolicLink() === true ? resolve(dirname(path), await readlink(path)) : path
}

function decode(bytes: Uint8Array, path: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch (error) {
    throw new CliError('failed', `${path} is not UTF-8`, { cause: error, hint: 'Nothing was changed' })
  }
}

const isCode = (error: unknown, ...codes: readonly string[]): boolean =>
  error instanceof Error && codes.includes((error as NodeJS.ErrnoException).code ?? '')

const fileError = (what: string, path: string, error: unknown): CliError =>
  new CliError(
    'failed',
    `Cannot ${what} ${path}: ${error instanceof Error ? error.message : String(error)}`,
    {
      cause: error,
      hint: 'Nothing was changed',
    },
  )
