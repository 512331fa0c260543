import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

const TIMEOUT_MS = 5_000

/** Returns the output of a git command, or undefined if it fails or git is not installed. */
async function git(cwd: string, ...args: readonly string[]): Promise<string | undefined> {
  try {
    const { stdout } = await promisify(execFile)('git', args, { cwd, timeout: TIMEOUT_MS })
    return stdout.trim()
  } catch {
    return undefined
  }
}

/** Returns the name with which the user commits, or undefined if git has none. */
export async function committerName(cwd: string): Promise<string | undefined> {
  const name = await git(cwd, 'config', '--get', 'user.name')
  const line = (name ?? '').replaceAll(/\p{C}/gu, '').slice(0, 200)
  return line === '' ? undefined : line
}

/** Turns a folder into a repository, unless it is already inside one. */
export async function initRepository(folder: string): Promise<void> {
  if ((await git(folder, 'rev-parse', '--is-inside-work-tree')) !== 'true')
    await git(folder, 'init', '--quiet')
}
