import { existsSync } from 'node:fs'

// The paths are absolute, because a folder in PATH, or the current folder on Windows, may contain a different
// program with the same name.

/** https://learn.microsoft.com/windows-server/administration/windows-commands/cmd */
export const cmd = (): string => system32('cmd.exe')

/** https://learn.microsoft.com/windows-server/administration/windows-commands/taskkill */
export const taskkill = (): string => system32('taskkill.exe')

export const ps = (): string => (existsSync('/bin/ps') ? '/bin/ps' : '/usr/bin/ps')

function system32(program: string): string {
  const { SystemRoot = 'C:\\Windows' } = process.env
  return `${SystemRoot}\\System32\\${program}`
}
