import { homedir } from 'node:os'
import path from 'node:path'

const isWindows = process.platform === 'win32'

/** Replaces a `~` at the start with the home folder. */
export const expandHome = (given: string) =>
  given === '~' || given.startsWith('~/') ? path.join(homedir(), given.slice(1)) : given

/**
 * Normalizes the spelling of a path: removes surrounding quotes and spaces, and repeated or trailing
 * separators. On Windows, uses backslashes and a capital drive letter. WSL's `/mnt/c/…` remains unchanged.
 */
export function normalizePath(given: string): string {
  const bare = given.trim().replace(/^["']|["']$/g, '')
  const isPosix =
    bare.startsWith('/') && (!isWindows || /^\/mnt\/[a-z]\//i.test(bare) || !/^\/[a-z]\//i.test(bare))
  if (isPosix) return bare.replace(/\/+/g, '/').replace(/(?<!^)\/$/, '')
  const separated = toBackslashes(bare)
  const isShare = separated.startsWith('\\\\')
  const single = (isShare ? '\\' : '') + separated.replace(/\\{2,}/g, '\\')
  const normalized = path.normalize(isWindows && /^[a-z]:$/i.test(single) ? `${single}\\` : single)
  const result = isShare && !normalized.startsWith('\\\\') ? `\\${normalized}` : normalized
  if (/^[a-z]:/i.test(result)) return result.charAt(0).toUpperCase() + result.slice(1).replaceAll('/', '\\')
  return isWindows ? result.replaceAll('/', '\\') : result
}

function toBackslashes(given: string): string {
  if (isWindows && /^\/[a-z]\//i.test(given))
    return `${given.charAt(1).toUpperCase()}:${given.slice(2).replaceAll('/', '\\')}`
  return /^[a-z]:/i.test(given) ? given.replaceAll('/', '\\') : given
}

/** Returns whether an absolute path is one of the directories or is inside one. */
export function isWithin(given: string, directories: readonly string[]): boolean {
  if (given === '' || given.includes('\0')) return false
  const resolved = path.resolve(path.normalize(given))
  return directories.some((directory) => {
    if (directory === '' || directory.includes('\0')) return false
    const relative = path.relative(path.resolve(path.normalize(directory)), resolved)
    return (
      relative === '' ||
      !(relative === '..' || relative.startsWith(`..${path.sep}`) || path.isAbsolute(relative))
    )
  })
}
