import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { onTestFinished } from 'vitest'
import type { Finding } from '../../../src/doctor/finding.ts'

/** A folder with programs. `~` in texts is its path. */
export interface Folder {
  readonly path: (text: string) => string
  /** The findings with `~` for its path. */
  readonly shown: (findings: readonly Finding[]) => readonly Finding[]
}

/** Files by their paths, until the test has finished. Those in folders `bin` are executable. */
export function folderWith(files: Readonly<Record<string, string>>): Folder {
  // Node prints real paths, and the folder of temporary files may be a link.
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
