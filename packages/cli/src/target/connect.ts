import process from 'node:process'
import { pathToFileURL } from 'node:url'
import { Client, type ClientOptions, type TransportFactory } from '@jetway/client'
import { type RemoteServer, type ServerConfig, transportFor } from '@jetway/client/config'
import { REVISIONS, type RevisionDate } from '@jetway/core/protocol'
import type { Arguments, OptionValues } from '../command.ts'
import { usageError } from '../errors.ts'
import type { Terminal } from '../terminal.ts'
import { ownVersion } from '../version.ts'
import { explained } from './explain.ts'
import { handlersFor } from './handlers.ts'
import type { TargetOptions } from './options.ts'
import { startFile } from './start-file.ts'
import { findTarget, type Target } from './target.ts'
import { unknownName } from '../unknown-name.ts'

/** A client that is connected to the target of a command line. */
export interface Connection {
  readonly client: Client
  /** The positional arguments that are not part of the target. */
  readonly positionals: readonly string[]
}

/** Connects to the target, runs `use`, and closes the connection. @throws CliError */
export async function withTarget<T>(
  args: Arguments<TargetOptions>,
  terminal: Terminal,
  use: (connection: Connection) => Promise<T>,
): Promise<T> {
  const options = await clientOptions(args.values, terminal)
  const { target, positionals } = await findTarget(args, terminal)
  const release = exitOnSignals()
  try {
    return await connectTo(target, { terminal, options }, (client) => use({ client, positionals }))
  } finally {
    release()
  }
}

interface ConnectContext {
  readonly terminal: Terminal
  readonly options: ClientOptions
}

async function connectTo<T>(
  target: Target,
  { terminal, options }: ConnectContext,
  use: (client: Client) => Promise<T>,
): Promise<T> {
  const { factory, close, hasToken = false } = await open(target, terminal)
  const client = new Client({ name: 'jetway-cli', version: ownVersion() }, options)
  client.on('log', ({ level, data }) => {
    if (!terminal.json)
      terminal.noteFromServer(`${level}: ${typeof data === 'string' ? data : JSON.stringify(data)}`)
  })
  if (!terminal.json) noteStrayOutput(client, terminal)
  try {
    await client.connect(factory).catch((error: unknown) => {
      throw explained(error, { otherwise: 'unreachable', hasToken })
    })
    return await use(client).catch((error: unknown) => {
      throw explained(error, { otherwise: 'failed', hasToken })
    })
  } finally {
    await client.close()
    await close()
  }
}

/**
 * Prints a note about the first line on stdout that is not a message. This client ignores such lines, but hosts
 * may close the connection because of them.
 */
function noteStrayOutput(client: Client, terminal: Terminal): void {
  let noted = false
  client.on('error', ({ message }) => {
    if (noted || !message.includes('not valid JSON')) return
    noted = true
    terminal.note(`${message}. Print logs on stderr, with console.error`)
  })
}

/** Exits on signals, because the servers started by this process end only when it exits. */
export function exitOnSignals(): () => void {
  const interrupt = (): never => process.exit(130)
  const terminate = (): never => process.exit(143)
  process.on('SIGINT', interrupt).on('SIGTERM', terminate)
  return () => process.off('SIGINT', interrupt).off('SIGTERM', terminate)
}

interface Opened {
  readonly factory: TransportFactory
  /** Whether requests have a token, provided by the user or obtained in the browser. */
  readonly hasToken?: boolean
  readonly close: () => Promise<void>
}

async function open(target: Target, terminal: Terminal): Promise<Opened> {
  // Only the last lines are kept, for error messages to quote.
  const stderr = (line: string): void => {
    if (!terminal.json) terminal.noteFromServer(line)
  }
  if (target.kind === 'file') {
    const { target: factory, close } = await startFile({ ...target, stderr })
    return { factory, close }
  }
  const config = await withOutput(target.config, stderr, terminal)
  const hasToken = 'url' in config && (config.auth !== undefined || hasAuthorization(config))
  return { factory: transportFor(config), hasToken, close: async () => {} }
}

async function withOutput(
  config: ServerConfig,
  stderr: (line: string) => void,
  terminal: Terminal,
): Promise<ServerConfig> {
  if (!('url' in config)) return { ...config, stderr }
  if (hasAuthorization(config) || !terminal.interactive) return config
  const { userAuthorization } = await import('./authorize.ts')
  return { ...config, auth: await userAuthorization(terminal) }
}

const hasAuthorization = ({ headers }: RemoteServer): boolean =>
  typeof headers === 'object' && Object.keys(headers).some((name) => name.toLowerCase() === 'authorization')

async function clientOptions(
  values: OptionValues<TargetOptions>,
  terminal: Terminal,
): Promise<ClientOptions> {
  const seconds = values.timeout === undefined ? undefined : Number(values.timeout)
  if (seconds !== undefined && !(seconds > 0 && seconds <= 86_400))
    throw usageError(`--timeout must be a number of seconds from 0 to 86400, not ${values.timeout}`)
  const timeoutMs = seconds === undefined ? undefined : Math.ceil(seconds * 1_000)
  return {
    handlers: {
      ...handlersFor(terminal),
      roots: [{ uri: pathToFileURL(process.cwd()).href, name: 'current directory' }],
    },
    tasks: true,
    ...(values.revision !== undefined && { revisions: [await revision(values.revision)] }),
    ...(timeoutMs !== undefined && {
      timeoutMs,
      connectTimeoutMs: timeoutMs,
      maxTotalMs: Math.max(timeoutMs, 300_000),
    }),
  }
}

async function revision(date: string): Promise<RevisionDate> {
  const known = REVISIONS.map(({ version }) => version)
  const found = known.find((version) => version === date)
  if (found === undefined) throw await unknownName('The revision', date, known)
  return found
}
