import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname, resolve, sep } from 'node:path'
import { unzipSync, type Zippable, zipSync } from 'fflate'

/** A file in a bundle. */
export interface ArchiveFile {
  readonly bytes: Uint8Array
  readonly isExecutable: boolean
}

/** The files in a bundle, keyed by path. Folders are separated by `/`. */
export type Archive = ReadonlyMap<string, ArchiveFile>

const [PLAIN, EXECUTABLE] = [0o100644, 0o100755]
const UNIX = 3
/**
 * The first year that the format supports. It is used for all files, so that the same files always produce
 * the same bytes.
 */
const FIRST_YEAR = 1980

export const textFile = (text: string): ArchiveFile => ({
  bytes: new TextEncoder().encode(text),
  isExecutable: false,
})

/** Packs files into a zip archive. Sorts the names, sets fixed times, and preserves executable permissions. */
export function pack(archive: Archive): Uint8Array {
  const names = [...archive.keys()].toSorted()
  const entries = names.map((name) => {
    const { bytes, isExecutable } = archive.get(name) as ArchiveFile
    // The zip format stores local times.
    const mtime = new Date(FIRST_YEAR, 0, 1)
    const attrs = (isExecutable ? EXECUTABLE : PLAIN) * 0x1_00_00
    return [name, [bytes, { level: 9, mtime, os: UNIX, attrs }]] as const
  })
  return zipSync(Object.fromEntries(entries) as Zippable)
}

/** Unpacks a zip archive into a folder. @throws Error for a path outside the folder */
export function unpack(bytes: Uint8Array, folder: string): void {
  for (const [name, content] of Object.entries(unzipSync(bytes))) {
    const path = resolve(folder, name)
    if (!path.startsWith(resolve(folder) + sep)) throw new Error(`${name} leads outside of the bundle`)
    if (name.endsWith('/')) continue
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, content)
    chmodSync(path, 0o755)
  }
}

/** Reads one file from a zip archive. */
export const readEntry = (bytes: Uint8Array, name: string): Uint8Array | undefined =>
  unzipSync(bytes, { filter: (file) => file.name === name })[name]
