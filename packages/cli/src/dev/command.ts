import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import process from 'node:process'
import { stripVTControlCharacters } from 'node:util'
import { type Command, defineCommand } from '../command.ts'
import { CliError, usageError } from '../errors.ts'
import { printable } from '../terminal.ts'

export const command: Command = defineCommand({
  usage: '<file> [-- arguments of the file]',
  options: {
    stdio: { type: 'boolean', help: 'serve the host on stdin and stdout' },
    port: { type: 'string', placeholder: 'N', help: 'port for HTTP (default 3000)' },
    host: { type: 'string', placeholder: 'ADDRESS', help: 'address to listen on (default 127.0.0.1)' },
    export: {
      type: 'string',
      placeholder: 'NAME',
      help: 'the export that is the server (default: the default export)',
    },
    watch: {
      type: 'string',
      placeholder: 'GLOB',
      multiple: true,
      help: 'restart on changes of these files too',
    },
    cwd: { type: 'string', placeholder: 'FOLDER', help: 'work in this folder' },
    'stop-first': { type: 'boolean', help: 'end the old process before the new one starts' },
  },
  notes: `The file exports an McpServer, or serves by itself. It should listen on the port in PORT then.

  jetway dev src/server.ts
  jetway dev src/server.ts --stdio
  jetway dev src/main.ts --watch 'data/**/*.json' -- --verbose`,
  async run({ values, positionals, rest = [] }, terminal) {
    const [file, ...more] = positionals
    if (file === undefined)
      throw usageError('jetway dev needs a file', 'For example: jetway dev src/server.ts')
    if (more.length > 0)
      throw usageError(`Unexpected argument ${more[0]}`, 'Put arguments of the file after --')
    if (values.cwd !== undefined) enter(values.cwd)
    const path = resolve(file)
    if (!existsSync(path)) throw new CliError('failed', `There is no file ${path}`)
    const transport = values.stdio === true ? 'stdio' : 'http'
    const options = {
      job: {
        file: path,
        args: rest,
        transport,
        ...(values.export !== undefined && { exportName: values.export }),
      },
      stopFirst: values['stop-first'] === true,
      globs: values.watch ?? [],
      // The file's error output may contain colours.
      print: (text: string) =>
        terminal.note(
          `${terminal.noteColour('cyan', 'jetway')} ${printable(stripVTControlCharacters(text))}`,
        ),
    } as const
    const { devHttp, devStdio } = await import('./dev.ts')
    if (transport === 'stdio') return devStdio(options)
    const port = portOf(values.port ?? '3000')
    try {
      await devHttp({ ...options, port, host: values.host ?? '127.0.0.1' })
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error
      throw new CliError('failed', `Port ${port} is in use`, { hint: 'Choose another one with --port' })
    }
  },
})

function enter(folder: string): void {
  if (!existsSync(folder)) throw usageError(`The folder ${folder} does not exist`)
  process.chdir(folder)
}

function portOf(text: string): number {
  const port = Number(text)
  if (!/^\d{1,5}$/.test(text) || port > 65_535)
    throw usageError(`--port is a number from 0 to 65535, not ${text}`)
  return port
}
