import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname, resolve, sep } from 'node:path'
import { unzipSync, type Zippable, zipSync } from 'fflate'

/** A file in a bundle. */
export interface ArchiveFile {
  readonly bytes: Uint8Array
  readonly isExecutable: boolean
}

/** The files of a bundle by path, with `/` between folders. */
export type Archive = ReadonlyMap<string, ArchiveFile>

const [PLAIN, EXECUTABLE] = [0o100644, 0o100755]
const UNIX = 3
/** The first year of the format. The same files make the same bytes, whenever and wherever they are packed. */
const FIRST_YEAR = 1980

export const textFile = (text: string): ArchiveFile => ({
  bytes: new TextEncoder().encode(text),
  isExecutable: false,
})

/** Packs files into a zip: names sorted, times fixed, modes kept. */
export function pack(archive: Archive): Uint8Array {
  const names = [...archive.keys()].toSorted()
  const entries = names.map((name) => {
    const { bytes, isExecutable } = archive.get(name) as ArchiveFile
    // The format has the local time.
    const mtime = new Date(FIRST_YEAR, 0, 1)
    const attrs = (isExecutable ? EXECUTABLE : PLAIN) * 0x1_00_00
    return [name, [bytes, { level: 9, mtime, os: UNIX, attrs }]] as const
  })
  return zipSync(Object.fromEntries(entries) as Zippable)
}

/** Unpacks a zip into a folder. @throws Error for a path that leads outside of it */
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

/** Reads one file of a zip. */
export const readEntry = (bytes: Uint8Array, name: string): Uint8Array | undefined =>
  unzipSync(bytes, { filter: (file) => file.name === name })[name]
