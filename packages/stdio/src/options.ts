import type { Readable, Writable } from 'node:stream'
import type { AuthInfo, Logger, MountHandle } from '@jetway/core'
import {
  checkNames,
  type NameHints,
  type OptionNames,
  type RevisionDate,
  UsageError,
} from '@jetway/core/protocol'
import type { Transport } from '@jetway/core/transport'

export interface Caller {
  readonly auth?: AuthInfo | undefined
  readonly locals?: unknown
  readonly revisions?: readonly RevisionDate[]
  readonly endGraceMs?: number
}

/** An `McpServer`. */
export interface StdioServer<Locals = unknown> {
  readonly '~locals'?: (locals: Locals) => void
  readonly runtime?: { readonly info: { readonly name: string } }
  connect(transport: Transport, caller: Caller): MountHandle
  close(options?: { readonly deadline?: number }): Promise<void>
}

export interface Options<Locals> {
  /**
   * The client's identity, available as `ctx.auth`. Take it from the environment, because clients do not
   * authenticate over stdio.
   */
  readonly auth?: AuthInfo
  /** The app's own data, available as `ctx.locals`. */
  readonly locals?: Locals
  /** The protocol revisions to serve. @default all revisions that the server supports */
  readonly revisions?: readonly RevisionDate[]
  /** The stream from which messages are read. @default process.stdin */
  readonly input?: Readable
  /** The stream to which messages are written. @default process.stdout */
  readonly output?: Writable
  /**
   * The maximum length of a line, in bytes. A longer line is skipped and answered with a parse error.
   * @default 10 MiB
   */
  readonly maxLineBytes?: number
  /** The number of bytes that may wait for a slow client before reading stops. @default 1 MiB */
  readonly maxQueuedBytes?: number
  /**
   * Whether to close the server and exit with code 0 when the client has disconnected or the process has
   * received a signal.
   *
   * @default true for the process's own streams
   */
  readonly exitOnEnd?: boolean
  /**
   * Whether to let running calls finish after SIGINT and SIGTERM. A second signal terminates the process
   * immediately.
   *
   * @default true for the process's own streams
   */
  readonly handleSignals?: boolean
  /** How long running calls may take to finish after a disconnect or a signal, in ms. @default 2_000 */
  readonly drainMs?: number
  /**
   * Whether to redirect other output, such as `console.log` in a tool, from stdout to stderr, with a single
   * warning in the log.
   *
   * @default true for the process's own stdout
   */
  readonly guardStdout?: boolean
  /** The logger for warnings. @default stderr */
  readonly logger?: Pick<Logger, 'warn'>
}

/** The options of `serveStdio`. `locals` is required if the server declares the type of `ctx.locals`. */
export type ServeStdioOptions<Locals = unknown> = Options<Locals> &
  (unknown extends Locals ? unknown : { readonly locals: Locals })

const OPTIONS: OptionNames<Options<unknown>> = {
  auth: 1,
  locals: 1,
  revisions: 1,
  input: 1,
  output: 1,
  maxLineBytes: 1,
  maxQueuedBytes: 1,
  exitOnEnd: 1,
  handleSignals: 1,
  drainMs: 1,
  guardStdout: 1,
  logger: 1,
}
const HINTS: NameHints = {
  stdin: 'its name is input',
  stdout: 'its name is output',
  signal: 'call close() of the handle',
}

/**
 * Checks the options.
 *
 * @throws `ERR_MCP_OPTION` for an invalid option
 */
export function checkOptions(options: object): void {
  checkNames(options, OPTIONS, HINTS)
}

/**
 * Checks the server.
 *
 * @throws `ERR_MCP_OPTION` if it is not an `McpServer`
 */
export function checkServer(server: unknown): void {
  const given = server as { readonly server?: unknown; readonly runtime?: unknown } | null | undefined
  if (isServer(given) && given.runtime !== undefined) return
  const problem = isServer(given?.server)
    ? 'The server must be the first argument, not an option'
    : given?.runtime === undefined
      ? 'The first argument must be an McpServer of @jetway/core'
      : 'The McpServer of @jetway/core/edge cannot serve stdio. Use the one of @jetway/core'
  throw new UsageError('ERR_MCP_OPTION', `${problem}: call serveStdio(server, options)`)
}

const isServer = (value: unknown): value is StdioServer =>
  typeof (value as Partial<StdioServer> | null | undefined)?.connect === 'function'
