import { randomUUID } from 'node:crypto'
import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { type Arguments, type Command, defineCommand } from '../command.ts'
import { CliError, usageError } from '../errors.ts'
import { bundleName } from './manifest.ts'
import { findProject, type Project } from '../project/project.ts'
import { readServerFile } from '../project/running-server.ts'
import { checkRequired, ENV_OPTION, givenValues, startValues } from '../project/settings.ts'
import { exitOnSignals } from '../target/connect.ts'
import { printableLine, type Terminal } from '../terminal.ts'
import { type Bundle, createBundle } from './create-bundle.ts'

const OPTIONS = {
  out: { type: 'string', placeholder: 'FILE', help: 'the bundle, by default NAME-VERSION.mcpb' },
  export: { type: 'string', placeholder: 'NAME', help: 'the export of the file that is the server' },
  ...ENV_OPTION,
  external: {
    type: 'string',
    placeholder: 'NAME',
    multiple: true,
    help: 'copy this package as a folder instead of bundling it; may be repeated',
  },
  'tools-generated': { type: 'boolean', help: 'the tools depend on the user, or change' },
} as const

export const command: Command = defineCommand({
  usage: '[file] [options]',
  options: OPTIONS,
  notes: `The file exports an McpServer, or serves one over stdio. Without one, it is "entry" of jetway.json. Arguments of
the file are "args" of jetway.json.

The bundle is unpacked into another folder and started there without your environment. If that fails, there is no
bundle.`,
  async run(args, terminal) {
    const release = exitOnSignals()
    try {
      await run(args, terminal)
    } finally {
      release()
    }
  },
})

async function run(
  { values, positionals, rest }: Arguments<typeof OPTIONS>,
  terminal: Terminal,
): Promise<void> {
  const [word, unexpected] = positionals
  if (unexpected !== undefined) throw usageError(`bundle takes one file; ${unexpected} is another word`)
  if (rest !== undefined)
    throw usageError(
      'bundle takes no command after --',
      'Write arguments of the file into "args" of jetway.json',
    )
  const { env } = terminal.streams
  // Otherwise, an older bundle could be mistaken for the result of this run.
  if (values.out !== undefined) rmSync(outputOf(values.out), { force: true })
  const project = await findProject(word)
  const out = outputOf(values.out ?? `${bundleName(project.packageJson)}-${project.packageJson.version}.mcpb`)
  rmSync(out, { force: true })
  const given = startValues(project.jetwayJson, givenValues(values.env, env))
  checkRequired(project.jetwayJson, given)
  const progress = (text: string): void => {
    if (!terminal.json) terminal.note(terminal.noteColour('dim', text))
  }
  progress(`Starting ${basename(project.file)}`)
  const running = await readServerFile({
    path: project.file,
    exportName: values.export,
    args: project.jetwayJson.args ?? [],
    env: given,
    onHttp: () =>
      usageError(
        `${basename(project.file)} serves HTTP, and a bundle is served over stdio`,
        'Name a file that exports the McpServer, or one that serves it with serveStdio of @jetway/stdio',
      ),
    stderr: (line) => {
      if (!terminal.json) terminal.noteFromServer(line)
    },
  })
  const bundle = await createBundle({
    project,
    running,
    external: values.external ?? [],
    toolsGenerated: values['tools-generated'] === true,
    values: given,
    env,
    progress,
  })
  writeWhole(out, bundle.bytes)
  report(out, bundle, project, terminal)
}

/** @throws CliError `usage` */
function outputOf(word: string): string {
  if (word.endsWith('.mcpb')) return resolve(word)
  throw usageError(`--out must end with .mcpb, and ${word} does not`)
}

function writeWhole(path: string, bytes: Uint8Array): void {
  const temporary = join(dirname(path), `.${basename(path)}.${randomUUID()}.tmp`)
  try {
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(temporary, bytes)
    renameSync(temporary, path)
  } catch (error) {
    rmSync(temporary, { force: true })
    throw new CliError('failed', `Cannot write ${path}: ${(error as Error).message}`, { cause: error })
  }
}

function report(
  out: string,
  { bytes, sha256, manifest, warnings }: Bundle,
  { jetwayJson: { settings = {} } }: Project,
  terminal: Terminal,
): void {
  const { name, version } = manifest
  const tools = (manifest.tools ?? []).map((tool) => tool.name)
  if (terminal.json) {
    const document = {
      file: out,
      bytes: bytes.length,
      sha256,
      name,
      version,
      tools,
      settings: Object.keys(settings),
    }
    return terminal.printJson({ ...document, warnings })
  }
  for (const text of warnings) terminal.note(`${terminal.noteColour('yellow', 'warning')}: ${text}`)
  const rows = [
    ['size', `${(bytes.length / 1_000).toFixed(0)} KB`],
    ['SHA-256', sha256],
    ['tools', tools.map(printableLine).join(', ') || '(none)'],
    ['settings', Object.keys(settings).join(', ') || '(none)'],
  ]
  terminal.print(terminal.colour('bold', out))
  for (const [left = '', right = ''] of rows) terminal.print(`  ${left.padEnd(9)} ${right}`)
}
