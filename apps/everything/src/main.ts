import process from 'node:process'
import { CommandLineError, runApp } from '@jetway-apps/runner'
import { createEverythingServer, type EverythingOptions } from './server.ts'

await runApp({
  name: 'everything',
  entry: import.meta.url,
  argv: process.argv.slice(2),
  flags: {
    misbehaving: { type: 'boolean', help: 'add handlers that break every rule' },
    composed: { type: 'boolean', help: 'observe a second server that has the features' },
    'page-size': { type: 'string', placeholder: 'N', help: 'entries of a list per page (default: all)' },
  },
  sample: { tool: 'echo', arguments: { text: 'hello' } },
  create: ({ flags, options }) =>
    createEverythingServer({
      ...options,
      ...pageSizeOf(flags['page-size']),
      composed: flags['composed'] === true,
      misbehaving: flags['misbehaving'] === true,
    }),
})

function pageSizeOf(value: string | boolean | undefined): Pick<EverythingOptions, 'limits'> {
  if (value === undefined) return {}
  if (typeof value !== 'string' || !/^[1-9]\d{0,5}$/.test(value)) {
    throw new CommandLineError(`--page-size is a number from 1, not "${value}"`)
  }
  return { limits: { pageSize: Number(value) } }
}
