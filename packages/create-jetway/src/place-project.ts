import { randomBytes } from 'node:crypto'
import { lstatSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { CreateError } from './errors.ts'
import type { ProjectFiles } from './project-files.ts'

/** The files and folders that package managers create in a project. */
const INSTALLED = [
  'node_modules',
  'package-lock.json',
  'pnpm-lock.yaml',
  'yarn.lock',
  '.yarn',
  '.pnp.cjs',
  '.pnp.loader.mjs',
  'bun.lock',
  'bun.lockb',
]

/** @throws CreateError if the folder contains anything other than `.git` */
export function checkTarget(target: string): void {
  const stats = lstatSync(target, { throwIfNoEntry: false })
  // A link is rejected too, because it may lead to a folder that contains files.
  if (stats !== undefined && !stats.isDirectory()) throw refusal(`${target} exists, and is not a folder`)
  if (stats !== undefined) checkEntries(target, readdirSync(target))
}

function checkEntries(target: string, names: readonly string[]): void {
  if (names.some((name) => name !== '.git')) throw refusal(`${target} is not empty`)
}

const refusal = (message: string): CreateError =>
  new CreateError(message, 'Name a new or empty folder. Nothing was written')

/**
 * Writes a project next to its target, and moves it there when it is complete, so that a killed process never
 * leaves an incomplete project under the chosen name.
 *
 * @param prepare runs in the folder to which the project is written
 * @returns a function that removes the files written by this function and by package managers
 * @throws CreateError if the target contains files; the reason of `signal` after an abort
 */
export async function placeProject(
  target: string,
  files: ProjectFiles,
  prepare: (folder: string) => Promise<void>,
  signal: AbortSignal,
): Promise<() => void> {
  checkTarget(target)
  const existed = lstatSync(target, { throwIfNoEntry: false }) !== undefined
  // An existing folder may be on a separate file system, and nothing can be moved into it from outside.
  const parent = existed ? target : dirname(target)
  const madeParent = mkdirSync(parent, { recursive: true })
  const folder = join(parent, `.${basename(target)}-${randomBytes(4).toString('hex')}`)
  const written = new Set([folder])
  const undo = (): void => {
    for (const path of madeParent === undefined ? written : [madeParent])
      rmSync(path, { recursive: true, force: true, maxRetries: 5 })
  }
  try {
    writeFiles(folder, files)
    await prepare(folder)
    signal.throwIfAborted()
    if (existed) moveEntries(folder, target, written)
    else renameSync(folder, target)
  } catch (error) {
    undo()
    throw error
  }
  for (const path of existed ? INSTALLED.map((name) => join(target, name)) : [target]) written.add(path)
  return undo
}

function writeFiles(folder: string, files: ProjectFiles): void {
  mkdirSync(folder)
  for (const [path, text] of files) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), text)
  }
}

/** Moves the content of a folder into its parent, and adds the new paths to `written`. */
function moveEntries(folder: string, parent: string, written: Set<string>): void {
  // Another process may have written to the folder in the meantime.
  checkEntries(
    parent,
    readdirSync(parent).filter((name) => name !== basename(folder)),
  )
  for (const name of readdirSync(folder)) {
    written.add(join(parent, name))
    renameSync(join(folder, name), join(parent, name))
  }
  rmSync(folder, { recursive: true })
}
