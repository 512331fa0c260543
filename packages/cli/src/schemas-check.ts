import { readFile } from 'node:fs/promises'
import { join, relative, resolve } from 'node:path'
import { type CacheFault, originOf } from '@jetway/core/schema-cache'
import { readSchemas } from '@jetway/schemas'
import { fail, Failure } from './failure.ts'
import { loadServer } from './load-server.ts'
import type { CommandIo, CommandOptions } from './command.ts'

/** `jetway schemas check`: 1 where the cache of a server is not what would be written now. */
export async function checkSchemas(options: CommandOptions, io: CommandIo): Promise<number> {
  const folder = resolve(io.cwd, options.out)
  const where = relative(io.cwd, join(folder, 'index.js')) || 'index.js'
  const cache = await readSchemas(folder).catch(fail)
  const { file, name } = await originIn(folder, options, io.cwd)
  const { server, tools } = await loadServer(file, name, io.cwd)
  const faults = await tools.checkSchemas(server, cache).catch(fail)
  if (faults.length === 0) {
    const count = Object.keys(cache.entries).length
    io.out(`${where} is up to date: ${count} ${count === 1 ? 'schema' : 'schemas'}`)
    return 0
  }
  io.err(`${where} is not up to date:`)
  for (const line of faults.map(lineOf)) io.err(line)
  const chosen = name === undefined ? '' : ` --export ${name}`
  io.err(`Run "npx jetway schemas build ${file} --out ${options.out}${chosen}".`)
  return 1
}

const lineOf = ({ fault, where, why }: CacheFault): string => `  ${fault.padEnd(11)} ${where}: ${why}`

interface Origin {
  /** From the working directory. */
  readonly file: string
  readonly name: string | undefined
}

/** What was given, or else what the cache says of itself. */
async function originIn(folder: string, { server, name }: CommandOptions, cwd: string): Promise<Origin> {
  const known = originOf(await readFile(join(folder, 'index.js'), 'utf8'))
  if (server !== undefined) return { file: server, name: name ?? known?.export }
  if (known === undefined)
    throw new Failure(`The cache in ${folder} does not say of which server it is: give the server's file.`)
  const file = relative(cwd, resolve(folder, known.file)).replaceAll('\\', '/')
  return { file: file.startsWith('.') ? file : `./${file}`, name: name ?? known.export }
}
