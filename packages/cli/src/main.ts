#!/usr/bin/env node
import process from 'node:process'
import { run } from './run.ts'

const written = (stream: NodeJS.WriteStream): Promise<void> =>
  new Promise((resolve) => stream.write('', () => resolve()))

const code = await run(process.argv.slice(2), {
  cwd: process.cwd(),
  out: (text) => process.stdout.write(`${text}\n`),
  err: (text) => process.stderr.write(`${text}\n`),
})
await Promise.all([written(process.stdout), written(process.stderr)])
// The server's module may have opened what would keep the process.
process.exit(code)
