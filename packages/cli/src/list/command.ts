import { type Command, defineCommand } from '../command.ts'
import { CliError } from '../errors.ts'

export const command: Command = defineCommand({
  usage: '<target>',
  options: {},
  async run() {
    throw new CliError('failed', 'This command is not finished')
  },
})
