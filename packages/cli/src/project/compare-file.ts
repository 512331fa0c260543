import { existsSync } from 'node:fs'
import { EXIT, type ExitCode } from '../exit-codes.ts'
import { diff } from '../install/diff.ts'
import { readRegularFile } from '../regular-file.ts'
import { printable, type Terminal } from '../terminal.ts'

/** Compares a file with its expected content, and prints the difference. A missing file counts as empty. */
export function compareFile(path: string, text: string, terminal: Terminal): ExitCode {
  const present = existsSync(path) ? readRegularFile(path).toString() : ''
  const isSame = present === text
  if (terminal.json) terminal.printJson({ file: path, ok: isSame })
  else if (isSame) terminal.print(`${path} is up to date`)
  else terminal.print(printable(diff(path, { text: present }, { text })))
  return isSame ? EXIT.ok : EXIT.failed
}
