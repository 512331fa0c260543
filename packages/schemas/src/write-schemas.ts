import { randomBytes } from 'node:crypto'
import { mkdir, open, readFile, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import process from 'node:process'
import { SCHEMAS_TYPES } from '@jetway/core/schema-cache'

/**
 * Writes a cache into a folder, which is made where it is not there: `index.js`, and `index.d.ts` for TypeScript. Each
 * file is replaced as a whole, so that readers find the old one or the new one whatever becomes of the writer, and
 * several writers may be at it at once. A file that is as it should be is not touched.
 *
 * @param text - what `renderSchemas` of `@jetway/core/schema-cache` gave
 * @returns whether the cache was another one before
 * @throws what the file system throws; nothing is left behind then
 */
export async function writeSchemas(folder: string, text: string): Promise<boolean> {
  await mkdir(folder, { recursive: true })
  await replace(join(folder, 'index.d.ts'), SCHEMAS_TYPES)
  return replace(join(folder, 'index.js'), text)
}

async function replace(path: string, text: string): Promise<boolean> {
  const before = await readFile(path, 'utf8').catch(() => undefined)
  if (before === text) return false
  // A rename is one step only within a file system.
  const temporary = join(dirname(path), `.tmp-${process.pid}-${randomBytes(6).toString('hex')}`)
  try {
    const file = await open(temporary, 'wx')
    try {
      await file.writeFile(text)
      // Else a machine that goes down may keep the new name and not what it stands for.
      await file.sync()
    } finally {
      await file.close()
    }
    await rename(temporary, path)
  } catch (error) {
    await rm(temporary, { force: true })
    throw error
  }
  return true
}
