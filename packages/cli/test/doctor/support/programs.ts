import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { onTestFinished } from 'vitest'
import type { Finding } from '../../../src/doctor/finding.ts'

/** A folder with programs. `~` in a string represents the folder's path. */
export interface Folder {
  readonly path: (text: string) => string
  /** Returns the findings with `~` in place of the folder's path. */
  readonly shown: (findings: readonly Finding[]) => readonly Finding[]
}

/** Creates files, keyed by path, for the duration of the test. Files in folders named `bin` are executable. */
export function folderWith(files: Readonly<Record<string, string>>): Folder {
  // Node.js prints real paths, but the temporary folder may be a link.
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'jetway-doctor-')))
  onTestFinished(() => rmSync(root, { recursive: true }))
  for (const [file, text] of Object.entries(files)) {
    mkdirSync(join(root, dirname(file)), { recursive: true })
    writeFileSync(join(root, file), text, { mode: /(?:^|\/)bin\//.test(file) ? 0o755 : 0o644 })
  }
  return {
    path: (text) => text.replaceAll('~', root),
    shown: (findings) => JSON.parse(JSON.stringify(findings).replaceAll(root, '~')) as readonly Finding[],
  }
}
