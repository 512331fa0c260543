import { accessSync, constants, statSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import process from 'node:process'

/** Finds a program in the folders of `PATH`. Returns undefined if it does not exist. */
export function findProgram(name: string, path = ''): string | undefined {
  const extensions = process.platform === 'win32' ? ['.exe', '.cmd', '.bat'] : ['']
  return path
    .split(delimiter)
    .filter(Boolean)
    .flatMap((folder) => extensions.map((extension) => join(folder, name + extension)))
    .find(isProgram)
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return statSync(path).isFile()
  } catch {
    return false
  }
}
