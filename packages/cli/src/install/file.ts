import { randomUUID } from 'node:crypto'
import {
  chmod,
  type FileHandle,
  lchown,
  lstat,
  mkdir,
  open,
  readdir,
  readlink,
  realpath,
  rename,
  rm,
  stat,
} from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import process from 'node:process'
import { setTimeout as sleep } from 'node:timers/promises'
import { CliError } from '../errors.ts'
import { readRegularFile } from '../regular-file.ts'

/** The state of a file at the time when it was read. */
export interface FileState {
  /** The target, if the file is a symbolic link. The link must remain a link. */
  readonly target: string
  /** The text, including its byte order mark. Undefined if the file does not exist. */
  readonly text: string | undefined
  /** The bytes of the text. They are compared and copied at lower cost than the text. */
  readonly bytes: Buffer | undefined
  readonly mode: number | undefined
  /** The owner of the file. For a new file, this is the owner of its folder. */
  readonly owner: Owner
}

interface Owner {
  readonly uid: number
  readonly gid: number
}

/** The new content of a file. If the text is undefined, the file is deleted. */
export interface FileChange {
  readonly text: string | undefined
  /** Whether other users must not be able to read the file. */
  readonly secret: boolean
}

const BACKUPS_KEPT = 3
const ATTEMPTS = 3

/** @throws CliError for a file that is not UTF-8 or cannot be read */
export async function readState(path: string): Promise<FileState> {
  const target = await follow(path)
  try {
    const bytes = readRegularFile(target)
    const text = decode(bytes, path)
    const { mode, uid, gid } = await stat(target)
    return { target, text, bytes, mode: mode & 0o777, owner: { uid, gid } }
  } catch (error) {
    if (isCode(error, 'ENOENT')) {
      const owner = await folderOwner(dirname(target))
      return { target, text: undefined, bytes: undefined, mode: undefined, owner }
    }
    throw error instanceof CliError ? error : fileError('read', path, error)
  }
}

/** A change to a file, decided for the state that the file had then. */
export interface PlannedChange<T extends FileChange> {
  readonly path: string
  readonly state: FileState
  readonly change: T
  /** Decides again, for another state. */
  readonly decide: (state: FileState) => Promise<T> | T
}

/** Reads a file, and decides how to change it. Does not write anything. */
export async function planChange<T extends FileChange>(
  path: string,
  decide: (state: FileState) => Promise<T> | T,
): Promise<PlannedChange<T>> {
  const state = await readState(path)
  return { path, state, change: await decide(state), decide }
}

/**
 * Changes a file atomically, after making a backup. If another program has changed the file since the change
 * was planned, plans it again. If nothing changes, does not write anything.
 */
export async function applyChange<T extends FileChange>(planned: PlannedChange<T>): Promise<T> {
  const { path, decide } = planned
  let { state, change } = planned
  for (let attempt = 1; ; attempt++) {
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
    ;({ state, change } = await planChange(path, decide))
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
  const { target, owner } = state
  await createFolder(dirname(target), owner)
  if (state.bytes !== undefined) await backUp(target, state.bytes, owner)
  if (text === undefined) {
    if (!isUnchanged(state)) return false
    await rm(target)
    return true
  }
  const temporary = join(dirname(target), `.${basename(target)}.${randomUUID()}.tmp`)
  try {
    const mode = secret ? 0o600 : (state.mode ?? 0o666)
    const file = await open(temporary, 'wx', mode)
    try {
      await giveTo(owner, file)
      // The umask affects only new files, so the mode of an existing file must be set explicitly.
      if (state.mode !== undefined) await file.chmod(mode)
      await file.writeFile(text)
      await file.sync()
    } finally {
      await file.close()
    }
    if (!isUnchanged(state)) return false
    await replace(temporary, target)
    return true
  } finally {
    await rm(temporary, { force: true })
  }
}

function isUnchanged({ target, bytes }: FileState): boolean {
  try {
    const now = readRegularFile(target)
    return bytes !== undefined && bytes.equals(now)
  } catch (error) {
    if (isCode(error, 'ENOENT')) return bytes === undefined
    throw error
  }
}

/** Retries `rename`. On Windows, it fails while a virus scanner or a host is reading the file. */
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

/** Keeps the content in a file that only its owner can read, because a replaced entry may contain a secret. */
async function backUp(target: string, bytes: Buffer, owner: Owner): Promise<void> {
  const time = new Date().toISOString().replaceAll(/[-:.]/g, '')
  // If another user has created a link there, it is not followed.
  const file = await open(`${target}.${time}.bak`, 'wx', 0o600)
  try {
    await giveTo(owner, file)
    await file.writeFile(bytes)
  } finally {
    await file.close()
  }
  const all = await backupsOf(target)
  await Promise.all(all.slice(BACKUPS_KEPT).map((path) => rm(path, { force: true })))
  // Restricts older backups, too, because earlier versions of this command copied the file's mode to them.
  await Promise.all(all.slice(1, BACKUPS_KEPT).map((path) => restrict(path).catch(() => {})))
}

async function restrict(path: string): Promise<void> {
  // `chmod` would follow a link, possibly to another of the user's files.
  if ((await lstat(path)).isFile()) await chmod(path, 0o600)
}

/**
 * Changes the owner of a new file from root to the user, because otherwise the user's hosts could not write to
 * the file. Only root can change owners.
 */
async function giveTo({ uid, gid }: Owner, file: FileHandle): Promise<void> {
  if (process.getuid?.() === 0) await file.chown(uid, gid)
}

/** Returns the owner of the nearest folder that exists. */
async function folderOwner(folder: string): Promise<Owner> {
  const { uid, gid } = await stat(folder).catch(() => folderOwner(dirname(folder)))
  return { uid, gid }
}

async function createFolder(folder: string, { uid, gid }: Owner): Promise<void> {
  const first = await mkdir(folder, { recursive: true })
  if (first === undefined || process.getuid?.() !== 0) return
  for (let created = folder; created.length >= first.length; created = dirname(created))
    await lchown(created, uid, gid)
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
