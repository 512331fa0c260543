import { existsSync } from 'node:fs'
import { type Arguments, type Command, defineCommand } from '../command.ts'
import { CliError, usageError } from '../errors.ts'
import { EXIT } from '../exit-codes.ts'
import { ENV_OPTION } from '../project/settings.ts'
import { findHost } from '../hosts/find-host.ts'
import type { Host } from '../hosts/host.ts'
import { HOSTS } from '../hosts/index.ts'
import { exitOnSignals } from '../target/connect.ts'
import { TARGET_NOTES, TARGET_OPTIONS } from '../target/options.ts'
import { findTarget } from '../target/target.ts'
import type { Terminal } from '../terminal.ts'
import { examine } from './examine.ts'
import type { Section } from './finding.ts'
import { examineHost, type HostExamination, type HostReport } from './host/examine-hosts.ts'
import { hasFiles } from './host/read-host.ts'
import { createMask, secretVariables } from './mask.ts'
import { hasFault, printReport } from './report.ts'
import { secretsOf, subjectOf } from './subject.ts'

const { revision: _revision, timeout: _timeout, ...SERVER_OPTIONS } = TARGET_OPTIONS
const DIRECTORY_OPTIONS = ['bundle', 'out', 'env'] as const

const OPTIONS = {
  host: { type: 'string', placeholder: 'HOST', help: 'all servers of a host, such as claude-desktop' },
  directory: {
    type: 'string',
    placeholder: 'NAME',
    help: 'check the rules of a directory: claude, chatgpt or registry',
  },
  bundle: { type: 'string', placeholder: 'FILE', help: 'the bundle that you submit, with --directory' },
  out: { type: 'string', placeholder: 'FILE', help: "write OpenAI's import file, with --directory chatgpt" },
  ...ENV_OPTION,
  ...SERVER_OPTIONS,
} as const

export const command: Command = defineCommand({
  usage: '[target] [options]',
  options: OPTIONS,
  notes: `${TARGET_NOTES}\nWithout one, the servers of all hosts are examined; with --directory, the "entry" of jetway.json is.`,
  async run(args, terminal) {
    const release = exitOnSignals()
    try {
      const { sections, secrets } = await report(args, terminal)
      const mask = createMask([...secretVariables(terminal.streams.env), ...secrets])
      printReport(sections, terminal, mask)
      return hasFault(sections) ? EXIT.failed : EXIT.ok
    } finally {
      release()
    }
  },
})

async function report(args: Arguments<typeof OPTIONS>, terminal: Terminal): Promise<HostReport> {
  const examination: HostExamination = {
    terminal,
    project: args.values.project === true,
    env: terminal.streams.env,
    progress(text) {
      if (!terminal.json) terminal.note(terminal.noteColour('dim', text))
    },
  }
  if (args.values.directory !== undefined) {
    const { checkDirectory } = await import('./directory/check-directory.ts')
    const { directory, out } = args.values
    return { sections: [await checkDirectory(args, { directory, out }, terminal)], secrets: [] }
  }
  const misplaced = DIRECTORY_OPTIONS.find((name) => args.values[name] !== undefined)
  if (misplaced !== undefined) throw usageError(`--${misplaced} needs --directory`)
  const wanted = await hostsOf(args, terminal)
  if (wanted === undefined) return examineTarget(args, terminal, examination)
  const sections: Section[] = []
  const secrets: string[] = []
  for (const host of wanted.hosts) {
    const found = await examineHost(host, wanted.server, examination)
    sections.push(...found.sections)
    secrets.push(...found.secrets)
  }
  return { sections, secrets }
}

interface WantedHosts {
  readonly hosts: readonly Host[]
  readonly server?: string
}

/** Resolves to the hosts that the command line names, or undefined if it names another kind of target. @throws CliError */
async function hostsOf(
  { values, positionals, rest }: Arguments<typeof OPTIONS>,
  terminal: Terminal,
): Promise<WantedHosts | undefined> {
  const [word, unexpected] = positionals
  if (unexpected !== undefined) throw usageError(`doctor takes one target; ${unexpected} is another word`)
  const hasTarget = word !== undefined || rest !== undefined || values.config !== undefined
  if (values.host !== undefined) {
    if (hasTarget) throw usageError('Set either --host or a target, not both')
    return { hosts: [await findHost(values.host)] }
  }
  if (!hasTarget) {
    const hosts = HOSTS.filter((host) => hasFiles(host, terminal))
    if (hosts.length > 0) return { hosts }
    throw new CliError('failed', 'No host has a file of servers here', {
      hint: 'Name a target, or add a server with jetway install',
    })
  }
  const [, id, server] = /^([a-z][a-z-]+):(?!\/\/)(.*)$/.exec(word ?? '') ?? []
  if (id === undefined || server === undefined || existsSync(word ?? '')) return undefined
  return { hosts: [await findHost(id)], ...(server !== '' && { server }) }
}

async function examineTarget(
  args: Arguments<typeof OPTIONS>,
  terminal: Terminal,
  examination: HostExamination,
): Promise<HostReport> {
  const { target } = await findTarget(args, terminal)
  const subject = subjectOf(target)
  const findings = await examine(subject, examination)
  return { sections: [{ name: subject.name, findings }], secrets: secretsOf(subject) }
}
