import type { Client, Progress, RequestOptions } from '@jetway/client'
import { type Command, defineCommand, type OptionValues } from '../command.ts'
import { usageError } from '../errors.ts'
import { EXIT, type ExitCode } from '../exit-codes.ts'
import { type Connection, withTarget } from '../target/connect.ts'
import { TARGET_NOTES, TARGET_OPTIONS } from '../target/options.ts'
import { unknownName } from '../unknown-name.ts'
import type { Terminal } from '../terminal.ts'
import { checkNames, declaredNames, type GivenArguments, readArguments } from './arguments.ts'
import { printContents, printMessages, printToolResult } from './results.ts'

const OPTIONS = {
  args: { type: 'string', placeholder: 'JSON', help: 'the arguments as a JSON object' },
  'args-file': { type: 'string', placeholder: 'FILE', help: 'a file that has them; - is stdin' },
  prompt: { type: 'boolean', help: 'get a prompt of this name instead' },
  progress: { type: 'boolean', help: 'print progress, also where stderr is not a terminal' },
  ...TARGET_OPTIONS,
} as const

const NOTES = `Arguments:
  id=A1          text, a number or a boolean, as the tool's schema says
  n:=3           JSON
A name with :// is the URI of a resource to read.

${TARGET_NOTES}`

export const command: Command = defineCommand({
  usage: '<target> <tool | uri> [name=text] [name:=json] [options]',
  options: OPTIONS,
  notes: NOTES,
  run: ({ values, ...args }, terminal) =>
    withTarget({ ...args, values }, terminal, (connection) => run({ ...connection, values, terminal })),
})

interface Call extends Connection {
  readonly values: OptionValues<typeof OPTIONS>
  readonly terminal: Terminal
}

async function run({ client, positionals: [name, ...words], values, terminal }: Call): Promise<ExitCode> {
  if (name === undefined)
    throw usageError('There is no tool to call', 'jetway list <target> prints the tools')
  const given = { words, text: values.args, file: values['args-file'] }
  // If no level is set, a server with sessions sends all log messages, and a server without sessions sends
  // none.
  if (!terminal.json && client.server?.capabilities.logging !== undefined) await client.setLogLevel('info')
  const options = progressOptions(values.progress === true, terminal)
  if (values.prompt === true) return getPrompt(client, name, { given, options, terminal })
  if (name.includes('://')) return readResource(client, name, { given, options, terminal })
  return callTool(client, name, { given, options, terminal })
}

interface Request {
  readonly given: GivenArguments
  readonly options: RequestOptions
  readonly terminal: Terminal
}

async function callTool(
  client: Client,
  name: string,
  { given, options, terminal }: Request,
): Promise<ExitCode> {
  const tools = await client.listTools()
  const tool = tools.find((one) => one.name === name)
  if (tool === undefined)
    throw await unknownName(
      'The tool',
      name,
      tools.map((one) => one.name),
    )
  const args = readArguments(given, tool.inputSchema)
  await checkNames(args, declaredNames(tool.inputSchema))
  const result = await client.callTool(name, args, options)
  if (terminal.json) terminal.printJson(result)
  else printToolResult(result, terminal)
  return result.isError === true ? EXIT.toolError : EXIT.ok
}

async function readResource(
  client: Client,
  uri: string,
  { given, options, terminal }: Request,
): Promise<ExitCode> {
  if (given.words.length > 0 || given.text !== undefined || given.file !== undefined)
    throw usageError('A resource takes no arguments')
  const result = await client.readResource(uri, options)
  if (terminal.json) terminal.printJson(result)
  else printContents(result, terminal)
  return EXIT.ok
}

async function getPrompt(
  client: Client,
  name: string,
  { given, options, terminal }: Request,
): Promise<ExitCode> {
  // A prompt's arguments are strings. Without a schema, positional arguments are not converted.
  const words = readArguments(given, {})
  if (client.server?.capabilities.prompts !== undefined) {
    const prompt = (await client.listPrompts()).find((one) => one.name === name)
    await checkNames(words, prompt && (prompt.arguments ?? []).map((one) => one.name))
  }
  const args = Object.entries(words).map(([key, value]) => [
    key,
    typeof value === 'string' ? value : JSON.stringify(value),
  ])
  const result = await client.getPrompt(name, Object.fromEntries(args) as Record<string, string>, options)
  if (terminal.json) terminal.printJson(result)
  else printMessages(result, terminal)
  return EXIT.ok
}

function progressOptions(wanted: boolean, terminal: Terminal): RequestOptions {
  if (terminal.json || (!wanted && terminal.streams.stderr.isTTY !== true)) return {}
  return { onProgress: (progress) => terminal.noteFromServer(progressText(progress)) }
}

const progressText = ({ progress, total, message }: Progress): string =>
  [
    `progress ${progress}${total === undefined ? '' : `/${total}`}`,
    ...(message === undefined ? [] : [message]),
  ].join(' ')
