import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { onTestFinished } from 'vitest'

const MODULES = fileURLToPath(new URL('../../node_modules', import.meta.url))

/**
 * Writes files into a new folder, which is removed at the end of the test. Values that are not strings are
 * written as JSON.
 */
export function folderOf(files: Readonly<Record<string, unknown>>): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'jetway-project-')))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(join(folder, dirname(name)), { recursive: true })
    const isText = typeof content === 'string' || content instanceof Uint8Array
    writeFileSync(join(folder, name), isText ? content : JSON.stringify(content))
  }
  return folder
}

/** Allows files in a folder to import the packages on which this package depends. */
export function linkModules(folder: string): void {
  symlinkSync(MODULES, join(folder, 'node_modules'), 'junction')
}

/** The header of a PNG with this size. No test displays the image. */
export function pngOf(width: number, height: number): Uint8Array {
  const head = Buffer.alloc(33)
  head.write('89504e470d0a1a0a0000000d49484452', 0, 'hex')
  head.writeUInt32BE(width, 16)
  head.writeUInt32BE(height, 20)
  return head
}
