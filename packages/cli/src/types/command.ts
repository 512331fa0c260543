import { writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { type Command, defineCommand } from '../command.ts'
import { usageError } from '../errors.ts'
import { EXIT, type ExitCode } from '../exit-codes.ts'
import { compareFile } from '../project/compare-file.ts'
import { withTarget } from '../target/connect.ts'
import { TARGET_NOTES, TARGET_OPTIONS } from '../target/options.ts'
import { emitTypes } from './emit.ts'

export const command: Command = defineCommand({
  usage: '<target> [options]',
  options: {
    out: { type: 'string', placeholder: 'FILE', help: 'write the types into this file' },
    check: { type: 'boolean', help: 'compare with the file of --out, and write nothing' },
    ...TARGET_OPTIONS,
  },
  notes: TARGET_NOTES,
  run: (args, terminal) =>
    withTarget(args, terminal, async ({ client, positionals }): Promise<ExitCode> => {
      const [unexpected] = positionals
      const { out, check } = args.values
      if (unexpected !== undefined) throw usageError(`types takes one target; ${unexpected} is another word`)
      if (check === true && out === undefined)
        throw usageError('--check needs --out', 'Name the file to compare with')
      const tools = await client.listTools()
      const text = emitTypes(client.server?.info?.name ?? 'a server', tools)
      if (out === undefined) {
        if (terminal.json) terminal.printJson({ text })
        else terminal.streams.stdout.write(text)
        return EXIT.ok
      }
      const path = resolve(out)
      if (check === true) return compareFile(path, text, terminal)
      writeFileSync(path, text)
      if (terminal.json) terminal.printJson({ file: path, tools: tools.length })
      else terminal.print(`${out} is written: ${tools.length} ${tools.length === 1 ? 'tool' : 'tools'}`)
      return EXIT.ok
    }),
})
