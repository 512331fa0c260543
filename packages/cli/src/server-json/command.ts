import { createHash } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { basename, resolve } from 'node:path'
import { type Arguments, type Command, defineCommand, type OptionValues } from '../command.ts'
import { readBundle } from '../bundle/read-bundle.ts'
import { CliError, usageError } from '../errors.ts'
import { EXIT, type ExitCode } from '../exit-codes.ts'
import { compareFile } from '../project/compare-file.ts'
import { checkVersion, findProject, type Project } from '../project/project.ts'
import { readServerFile } from '../project/running-server.ts'
import { checkRequired, ENV_OPTION, givenValues, startValues } from '../project/settings.ts'
import { exitOnSignals } from '../target/connect.ts'
import type { Terminal } from '../terminal.ts'
import { documentOf, type ReleasedBundle } from './document.ts'
import { checkPublished } from './published.ts'
import { type Problem, problemsOf } from './rules.ts'

const OPTIONS = {
  out: { type: 'string', placeholder: 'FILE', help: 'write the document into this file' },
  check: { type: 'boolean', help: 'compare with the file of --out (default server.json), and write nothing' },
  bundle: { type: 'string', placeholder: 'FILE', help: 'the bundle of this version' },
  'bundle-url': { type: 'string', placeholder: 'URL', help: 'the address of the bundle in a release' },
  published: { type: 'boolean', help: 'ask npm whether it has this version with this mcpName' },
  export: { type: 'string', placeholder: 'NAME', help: 'the export of the file that is the server' },
  ...ENV_OPTION,
} as const

type Values = OptionValues<typeof OPTIONS>

export const command: Command = defineCommand({
  usage: '[file] [options]',
  options: OPTIONS,
  notes: `Prints server.json, with which the MCP registry describes a server. The facts come from package.json, from
jetway.json and from the running server. Nothing is uploaded: mcp-publisher does that.`,
  async run(args, terminal) {
    const release = exitOnSignals()
    try {
      return await run(args, terminal)
    } finally {
      release()
    }
  },
})

async function run(
  { values, positionals, rest }: Arguments<typeof OPTIONS>,
  terminal: Terminal,
): Promise<ExitCode> {
  const [word, unexpected] = positionals
  if (unexpected !== undefined) throw usageError(`server-json takes one file; ${unexpected} is another word`)
  if (rest !== undefined)
    throw usageError(
      'server-json takes no command after --',
      'Write arguments of the file into "args" of jetway.json',
    )
  const project = await findProject(word)
  const bundle = bundleOf(values, project)
  const running = await start(project, values, terminal)
  checkVersion(project, running.details.info?.version)
  const document = documentOf(project, running, bundle)
  const problems = problemsOf(document)
  if (problems.length > 0) throw refused(problems)
  if (values.published === true)
    await checkPublished(project.packageJson, terminal.streams.env['npm_config_registry'])
  const text = `${JSON.stringify(document, undefined, 2)}\n`
  if (values.check === true) return compareFile(resolve(values.out ?? 'server.json'), text, terminal)
  if (values.out === undefined) {
    terminal.printJson(document)
    return EXIT.ok
  }
  writeFileSync(resolve(values.out), text)
  if (terminal.json) terminal.printJson({ file: resolve(values.out), document })
  else terminal.print(`${values.out} is written: ${document.name} ${document.version}`)
  return EXIT.ok
}

/** @throws CliError */
function bundleOf(
  { bundle, 'bundle-url': url }: Values,
  { packageJson }: Project,
): ReleasedBundle | undefined {
  if (bundle === undefined && url === undefined) return undefined
  if (bundle === undefined)
    throw usageError('--bundle-url needs --bundle', 'Name the file that the address will have')
  if (url === undefined)
    throw usageError(
      '--bundle needs --bundle-url',
      'Name the address of the file in the release of this version',
    )
  const { bytes, manifest } = readBundle(bundle)
  if (manifest['version'] !== packageJson.version)
    throw new CliError(
      'failed',
      `${bundle} has version ${String(manifest['version'])}, and package.json says ${packageJson.version}`,
      { hint: 'Make the bundle anew: jetway bundle' },
    )
  return { url, sha256: createHash('sha256').update(bytes).digest('hex') }
}

function start(project: Project, values: Values, terminal: Terminal): ReturnType<typeof readServerFile> {
  const { file, jetwayJson } = project
  const given = startValues(jetwayJson, givenValues(values.env, terminal.streams.env))
  checkRequired(jetwayJson, given)
  const note = (text: string): void => {
    if (!terminal.json) terminal.noteFromServer(text)
  }
  note(`Starting ${basename(file)}`)
  return readServerFile({
    path: file,
    exportName: values.export,
    args: jetwayJson.args ?? [],
    env: given,
    stderr: note,
  })
}

function refused(problems: readonly Problem[]): CliError {
  const [first] = problems
  return new CliError(
    'failed',
    `The registry would refuse this server:\n${problems.map(({ rule, text }) => `${rule}: ${text}`).join('\n')}`,
    first === undefined ? {} : { hint: [...new Set(problems.map(({ advice }) => advice))].join('\n') },
  )
}
