import { readFile, rm } from 'node:fs/promises'
import { dirname, join, relative, resolve } from 'node:path'
import { emptyCache, isIntact, renderSchemas } from '@jetway/core/schema-cache'
import { writeSchemas } from '@jetway/schemas'
import { fail, Misuse } from './failure.ts'
import { loadServer } from './load-server.ts'
import type { CommandIo, CommandOptions } from './command.ts'

/** `jetway schemas build`: writes the cache of a server. */
export async function buildSchemas({ server, name, out }: CommandOptions, io: CommandIo): Promise<number> {
  if (server === undefined) throw new Misuse('"jetway schemas build" needs the file of the server.')
  const folder = resolve(io.cwd, out)
  const giveUp = await makeLoadable(folder)
  try {
    const loaded = await loadServer(server, name, io.cwd)
    const warmed = await loaded.tools.warmSchemas(loaded.server).catch(fail)
    const file = relative(folder, resolve(io.cwd, server)).replaceAll('\\', '/')
    const text = await loaded.tools.renderSchemas(warmed, { file, export: name })
    const changed = await writeSchemas(folder, text)
    const count = `${warmed.schemas.length} ${warmed.schemas.length === 1 ? 'schema' : 'schemas'}`
    const where = relative(io.cwd, join(folder, 'index.js')) || 'index.js'
    io.out(changed ? `Wrote ${where}: ${count}` : `${where} is up to date: ${count}`)
    return 0
  } catch (error) {
    await giveUp()
    throw error
  }
}

/**
 * A server that imports its cache cannot be loaded before there is one, nor where a merge has left marks in it: it is
 * given an empty one.
 *
 * @returns what takes back a cache where there was none
 */
async function makeLoadable(folder: string): Promise<() => Promise<void>> {
  const path = join(folder, 'index.js')
  const before = await readFile(path, 'utf8').catch(() => undefined)
  if (before !== undefined && (await isIntact(before))) return async () => {}
  const { jetway, ajv } = emptyCache
  await writeSchemas(folder, await renderSchemas({ jetway, ajv, schemas: [] }))
  return async () => {
    if (before !== undefined) return
    await rm(path, { force: true })
    await rm(join(dirname(path), 'index.d.ts'), { force: true })
  }
}
