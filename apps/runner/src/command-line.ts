import { parseArgs, type ParseArgsConfig } from 'node:util'
import type { ServerOptions } from '@jetway/core'
import type { RevisionDate } from '@jetway/core/protocol'

/** An invalid command line. The app prints one sentence, and exits with code 2. */
export class CommandLineError extends Error {
  override name = 'CommandLineError'
}

/** An option of one app, in addition to the options that every app has. */
export interface AppFlag {
  readonly type: 'boolean' | 'string'
  /** The placeholder for a string value in `--help`. */
  readonly placeholder?: string
  /** The value of a string option if it is given without a value. */
  readonly bare?: string
  readonly help: string
}

/** The values of an app's options, keyed by name. */
export type AppFlagValues = Readonly<Record<string, string | boolean | undefined>>

export type Adapter = 'fastify' | 'hono'

/** The `response` option of mounts. */
export type ResponseMode = 'auto' | 'json' | 'sse'

export interface HttpSettings {
  readonly adapter: Adapter
  readonly host: string
  /** Undefined if no port was given. In that case, any free port may be used. */
  readonly port: number | undefined
  readonly response: ResponseMode
}

/** The app's options, and the options for `McpServer`. */
export interface ServerSettings {
  readonly flags: AppFlagValues
  readonly options: Pick<ServerOptions, 'revisions'>
}

/** A parsed command line. */
export type Command =
  | { readonly run: 'help' }
  | { readonly run: 'stdio'; readonly server: ServerSettings }
  | { readonly run: 'http'; readonly server: ServerSettings; readonly http: HttpSettings }

const ADAPTERS: readonly [Adapter, ...Adapter[]] = ['fastify', 'hono']
const RESPONSES: readonly [ResponseMode, ...ResponseMode[]] = ['auto', 'json', 'sse']

const COMMON: Readonly<Record<string, AppFlag>> = {
  http: { type: 'boolean', help: 'serve over HTTP (the default)' },
  stdio: { type: 'boolean', help: 'serve over standard input and output' },
  adapter: { type: 'string', placeholder: 'fastify|hono', help: 'web framework for HTTP (default fastify)' },
  port: {
    type: 'string',
    placeholder: 'N',
    help: 'port for HTTP; 0 picks a free one (default 3000, or the next free one)',
  },
  host: { type: 'string', placeholder: 'ADDRESS', help: 'address to listen on (default 127.0.0.1)' },
  response: {
    type: 'string',
    placeholder: 'auto|json|sse',
    help: 'what answers over HTTP look like (default auto)',
  },
  revisions: { type: 'string', placeholder: 'A,B', help: 'protocol revisions to serve (default all)' },
  help: { type: 'boolean', help: 'show this' },
}

/**
 * Parses a command line.
 *
 * @throws CommandLineError for an unknown option, an argument that is not an option, or an invalid value
 */
export function readCommandLine(argv: readonly string[], own: Readonly<Record<string, AppFlag>>): Command {
  const values = parse(argv, { ...COMMON, ...own })
  if (values['help'] === true) return { run: 'help' }
  if (values['stdio'] === true && values['http'] === true) {
    throw new CommandLineError('--stdio and --http exclude each other')
  }
  const flags = Object.fromEntries(Object.keys(own).map((name) => [name, values[name]]))
  // Dates of unknown revisions are rejected later, by the server.
  const revisions = text(values['revisions'])?.split(',') as RevisionDate[] | undefined
  const server = { flags, options: revisions === undefined ? {} : { revisions } }
  if (values['stdio'] === true) return { run: 'stdio', server }
  const host = text(values['host']) ?? '127.0.0.1'
  const adapter = choice('adapter', values, ADAPTERS)
  const response = choice('response', values, RESPONSES)
  return { run: 'http', server, http: { adapter, host, port: portOf(values), response } }
}

const ENVIRONMENT = `SESSION_KEYS in the environment, 32 random bytes in base64, lets HTTP sessions outlive the process:
  SESSION_KEYS=$(openssl rand -base64 32)`

/** Returns the text of `--help`. */
export function usage(name: string, own: Readonly<Record<string, AppFlag>>): string {
  const rows = Object.entries({ ...COMMON, ...own }).map(([flag, { placeholder, bare, help }]) => {
    const value = bare === undefined ? placeholder : `[${placeholder}]`
    const left = value === undefined ? `--${flag}` : `--${flag} ${value}`
    return `  ${left.padEnd(24)} ${help}`
  })
  return [`Usage: ${name} [options]`, '', ...rows, '', ENVIRONMENT].join('\n')
}

function parse(argv: readonly string[], flags: Readonly<Record<string, AppFlag>>): AppFlagValues {
  const options: ParseArgsConfig['options'] = Object.fromEntries(
    Object.entries(flags).map(([name, { type }]) => [name, { type }]),
  )
  try {
    return parseArgs({ args: withBareValues(argv, flags), options, strict: true }).values as AppFlagValues
  } catch (error) {
    throw new CommandLineError(error instanceof Error ? error.message : 'The command line cannot be read')
  }
}

/** Node's parser does not support optional values. */
function withBareValues(argv: readonly string[], flags: Readonly<Record<string, AppFlag>>): string[] {
  return argv.flatMap((word, at) => {
    const { bare } = (word.startsWith('--') && flags[word.slice(2)]) || {}
    const next = argv[at + 1]
    return bare === undefined || (next !== undefined && !next.startsWith('-')) ? word : [word, bare]
  })
}

/** Parses an option that allows one of several words. The first word is the default. */
function choice<T extends string>(flag: string, values: AppFlagValues, words: readonly [T, ...T[]]): T {
  const given = text(values[flag]) ?? words[0]
  const found = words.find((word) => word === given)
  if (found !== undefined) return found
  const last = words.at(-1)
  throw new CommandLineError(`--${flag} is ${words.slice(0, -1).join(', ')} or ${last}, not "${given}"`)
}

function portOf(values: AppFlagValues): number | undefined {
  const port = text(values['port'])
  if (port === undefined) return undefined
  if (!/^\d{1,5}$/.test(port) || Number(port) > 65_535) {
    throw new CommandLineError(`--port is a number from 0 to 65535, not "${port}"`)
  }
  return Number(port)
}

const text = (value: string | boolean | undefined): string | undefined =>
  typeof value === 'string' ? value : undefined
