import { type Command, defineCommand } from '../command.ts'
import { applyToAll } from './apply.ts'
import { describe } from './command.ts'
import { printable } from '../terminal.ts'
import { uninstall } from './entries.ts'
import { formatOf } from '../formats/format-of.ts'
import { hostRequest, SERVER_OPTIONS } from './request.ts'

export const command: Command = defineCommand({
  usage: '[host] <target> [options]',
  options: SERVER_OPTIONS,
  notes: 'Without a target, --name and --force remove an entry by its name.',
  async run(args, terminal) {
    const { values } = args
    const request = await hostRequest(args, terminal)
    const { host, name, entry } = request
    const format = await formatOf(host.format)
    const files = await applyToAll(request, { dryRun: values['dry-run'] === true }, (path, state) =>
      uninstall(state, { path, format, edit: { key: host.key, name }, entry, force: values.force === true }),
    )
    if (terminal.json) return terminal.printJson({ host: host.id, name, files })
    for (const file of files)
      terminal.print(file.diff === undefined ? describe(name, file) : printable(file.diff))
  },
})
