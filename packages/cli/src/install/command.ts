import { type Command, defineCommand } from '../command.ts'
import { usageError } from '../errors.ts'
import { printable, type Terminal } from '../terminal.ts'
import { applyToAll, type FileReport } from './apply.ts'
import { CHATGPT_STEPS } from './chatgpt.ts'
import { check, type CheckResult } from './check.ts'
import { install } from './entries.ts'
import { formatOf } from '../formats/format-of.ts'
import { isLocal } from '../hosts/host.ts'
import { HOSTS } from '../hosts/index.ts'
import { printLinks } from './links.ts'
import { type HostRequest, hostRequest, SERVER_OPTIONS } from './request.ts'
import { pathWarnings } from './server.ts'

const NOTES = `A target is one of:
  server.js            a program that serves over stdio
  https://host/mcp     a URL
  -- command args      a command, at the end of the line

Without a host, you are asked. A host is one of: ${HOSTS.map(({ id }) => id).join(', ')}, chatgpt`

export const command: Command = defineCommand({
  usage: '[host] <target> [options]',
  options: {
    ...SERVER_OPTIONS,
    links: { type: 'boolean', help: 'print badges for a README, and change nothing' },
  },
  notes: NOTES,
  async run(args, terminal) {
    const { values } = args
    if (values.links === true) return printLinks(args, terminal)
    if (args.positionals[0] === 'chatgpt') return terminal.print(CHATGPT_STEPS)
    const request = await hostRequest(args, terminal)
    const { host, name, server, entry } = request
    if (entry === undefined || server === undefined)
      throw usageError('There is no target', 'Name a file, a URL, or a command after --')
    const format = await formatOf(host.format)
    const dryRun = values['dry-run'] === true
    const secret = isLocal(server)
      ? Object.keys(server.env).length > 0
      : Object.keys(server.headers).length > 0
    const files = await applyToAll(request, { dryRun }, (path, state) =>
      install(state, {
        path,
        format,
        edit: { key: host.key, name },
        entry,
        force: values.force === true,
        secret,
      }),
    )
    const warnings = [...pathWarnings(server), ...(secret ? [SECRET_WARNING] : [])]
    const checked = dryRun || !isLocal(server) ? undefined : await check(server, terminal.streams.env)
    report(terminal, request, { files, warnings, checked, dryRun })
  },
})

const SECRET_WARNING = 'The values of variables and headers are in the file. Do not share it'

interface InstallReport {
  readonly files: readonly FileReport[]
  readonly warnings: readonly string[]
  readonly checked: CheckResult | undefined
  readonly dryRun: boolean
}

function report(terminal: Terminal, { host, name, distribution }: HostRequest, given: InstallReport): void {
  const { files, warnings, checked, dryRun } = given
  if (terminal.json)
    return terminal.printJson({ host: host.id, name, files, warnings, ...(checked && { check: checked }) })
  for (const file of files)
    terminal.print(file.diff === undefined ? describe(name, file) : printable(file.diff))
  if (distribution !== undefined)
    terminal.note(`${host.title} is on Windows. It starts the server in WSL (${distribution})`)
  for (const warning of warnings) terminal.note(`${terminal.noteColour('yellow', 'warning')}: ${warning}`)
  if (checked?.ok === false)
    terminal.note(
      `${terminal.noteColour('yellow', 'warning')}: ${name} does not answer when it is started as an app starts it. ${printable(checked.message)}\nTo find out why: jetway doctor ${host.id}:${name}`,
    )
  if (checked?.ok === true)
    terminal.note(`${name} answers${checked.tools === undefined ? '' : `. Its tools: ${checked.tools}`}`)
  if (!dryRun) terminal.note(host.next)
}

const WORDS = {
  added: 'Added',
  updated: 'Updated',
  removed: 'Removed',
  unchanged: 'Nothing to change for',
  absent: 'Nothing to remove for',
} as const

export const describe = (name: string, { outcome, path }: FileReport): string =>
  `${WORDS[outcome]} ${name} in ${path}`
