import type { Readable, Writable } from 'node:stream'
import type { AuthInfo, Logger, MountHandle } from '@jetway/core'
import type { MountStats } from '@jetway/core/http'
import type { RevisionDate } from '@jetway/core/protocol'
import type { Transport } from '@jetway/core/transport'
import { guardStdout, type StdoutGuard } from './stdout-guard.ts'
import { StdioTransport } from './transport.ts'

interface Caller {
  readonly auth?: AuthInfo | undefined
  readonly locals?: unknown
  readonly revisions?: readonly RevisionDate[]
  readonly endGraceMs?: number
}

/** What is served: an `McpServer`. */
export interface StdioServer<Locals = unknown> {
  readonly '~locals'?: (locals: Locals) => void
  connect(transport: Transport, caller: Caller): MountHandle
  close(options?: { readonly deadline?: number }): Promise<void>
}

/** Options of {@link serveStdio}. Every default is meant for production. */
interface Options<Locals> {
  /** Who the client is, as `ctx.auth`. Over stdio it comes from the environment, never from the client. */
  readonly auth?: AuthInfo
  /** The app's own context, as `ctx.locals`. */
  readonly locals?: Locals
  /** The protocol revisions to serve, out of those that the server speaks. All of them by default. */
  readonly revisions?: readonly RevisionDate[]
  /** @default process.stdin */
  readonly input?: Readable
  /** @default process.stdout */
  readonly output?: Writable
  /** A longer line is answered with a parse error and skipped. @default 10 MiB */
  readonly maxLineBytes?: number
  /** Bytes that may wait for a slow client before nothing more is read. @default 1 MiB */
  readonly maxQueuedBytes?: number
  /**
   * Closes the server and ends the process, with code 0, when the client is gone or a signal was handled.
   *
   * @default true for the process's own streams
   */
  readonly exitOnEnd?: boolean
  /** Drains on SIGINT and SIGTERM; a second signal ends the process at once. @default true for the process's own streams */
  readonly handleSignals?: boolean
  /** How long running calls, and what they answer, have when the client is gone or a signal came, in ms. @default 2_000 */
  readonly drainMs?: number
  /**
   * Sends to stderr what anybody else writes to the output, such as `console.log` in a tool, and says so once.
   *
   * @default true for the process's own stdout
   */
  readonly guardStdout?: boolean
  /** Where warnings go. @default stderr */
  readonly logger?: Pick<Logger, 'warn'>
}

/** Options of {@link serveStdio}. A server that declares what it demands as `ctx.locals` needs `locals`. */
export type ServeStdioOptions<Locals = unknown> = Options<Locals> &
  (unknown extends Locals ? unknown : { readonly locals: Locals })

/** A server that is being served over stdio. */
export interface StdioHandle extends MountHandle {}

const DEFAULT_DRAIN_MS = 2_000
/** The part of the drain that work may use; the rest is for its last answers to get out. */
const WORK_SHARE = 0.9
const DEFAULT_DEADLINE_MS = 10_000
/** What a client has to take the last answers after an explicit close, in ms. */
const FLUSH_MS = 500
const SIGNALS = { SIGINT: 130, SIGTERM: 143 } as const
const STRAY_OUTPUT =
  'Something wrote to stdout, which carries the protocol here; it was sent to stderr instead. Use console.error, or ctx.log to reach the client.'

/**
 * Serves one client over standard input and output until the client closes its side, a signal comes, or `close` is
 * called. By default the process then ends; an explicit `close` never ends it.
 *
 * @see https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#stdio
 */
export async function serveStdio<Locals = unknown>(
  server: StdioServer<Locals>,
  ...[options]: unknown extends Locals
    ? [options?: ServeStdioOptions<NoInfer<Locals>>]
    : [options: ServeStdioOptions<NoInfer<Locals>>]
): Promise<StdioHandle> {
  return new StdioServing(server as StdioServer, options ?? {})
}

class StdioServing implements StdioHandle {
  readonly closed: Promise<void>
  readonly #server: StdioServer
  readonly #transport: StdioTransport
  readonly #connection: MountHandle
  readonly #guard: StdoutGuard | undefined
  readonly #drainMs: number
  readonly #exits: boolean
  /** When the drain has to be over, in ms since 1970. */
  #endBy: number | undefined
  #asked = false
  #signalled = false
  #resolveClosed!: () => void

  constructor(server: StdioServer, options: ServeStdioOptions) {
    const own = options.input === undefined && options.output === undefined
    const output = options.output ?? process.stdout
    this.#server = server
    this.#drainMs = options.drainMs ?? DEFAULT_DRAIN_MS
    this.#exits = options.exitOnEnd ?? own
    this.closed = new Promise((resolve) => {
      this.#resolveClosed = resolve
    })
    surviveErrors(process.stderr)
    surviveErrors(output)
    this.#guard =
      (options.guardStdout ?? output === process.stdout)
        ? guardStdout(output, process.stderr, () => warn(options.logger, STRAY_OUTPUT))
        : undefined
    this.#transport = createTransport(options, this.#guard, () => this.#startClock())
    try {
      const transport = watchClose(this.#transport, () => this.#stop())
      // The drain is what counts; the connection's own idea of a grace would cut a longer one short.
      this.#connection = server.connect(transport, { ...callerOf(options), endGraceMs: this.#drainMs })
    } catch (error) {
      this.#guard?.release()
      throw error
    }
    if (options.handleSignals ?? own) for (const signal of signals) process.on(signal, this.#onSignal)
    void this.#connection.closed.then(() => this.#end())
  }

  async close({ deadline = DEFAULT_DEADLINE_MS }: { readonly deadline?: number } = {}): Promise<void> {
    this.#asked = true
    const limit = setTimeout(() => this.#transport.destroy(), deadline + FLUSH_MS)
    await this.#connection.close({ deadline })
    clearTimeout(limit)
    await this.closed
  }

  stats(): MountStats {
    return this.#connection.stats()
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }

  readonly #onSignal = (signal: NodeJS.Signals): void => {
    if (this.#signalled) process.exit(SIGNALS[signal as keyof typeof SIGNALS])
    this.#signalled = true
    this.#stop()
  }

  /** The client is gone, or the process shall end. A peer that can't hear the answers is not worked for. */
  #stop(): void {
    const deadline = this.#startClock() - Date.now() - this.#drainMs * (1 - WORK_SHARE)
    void this.#connection.close({ deadline: this.#transport.writable ? Math.max(0, deadline) : 0 })
  }

  /** From here on, neither a call, nor a message read ahead, nor a client that does not read holds the process. */
  #startClock(): number {
    if (this.#endBy !== undefined) return this.#endBy
    const work = setTimeout(() => void this.#connection.close({ deadline: 0 }), this.#drainMs * WORK_SHARE)
    const all = setTimeout(() => this.#transport.destroy(), this.#drainMs)
    void this.#connection.closed.then(() => {
      clearTimeout(work)
      clearTimeout(all)
    })
    this.#endBy = Date.now() + this.#drainMs
    return this.#endBy
  }

  async #end(): Promise<void> {
    const exits = this.#exits && !this.#asked
    if (exits) {
      const left = Math.max((this.#endBy ?? 0) - Date.now(), this.#drainMs * (1 - WORK_SHARE))
      await settledWithin(this.#server.close({ deadline: left }), left)
    }
    for (const signal of signals) process.off(signal, this.#onSignal)
    this.#guard?.release()
    this.#resolveClosed()
    if (exits) process.exit()
  }
}

const signals = Object.keys(SIGNALS) as (keyof typeof SIGNALS)[]

function callerOf({ auth, locals, revisions }: ServeStdioOptions): Caller {
  return {
    ...(auth === undefined ? {} : { auth }),
    ...(locals === undefined ? {} : { locals }),
    ...(revisions === undefined ? {} : { revisions }),
  }
}

function createTransport(
  options: ServeStdioOptions,
  guard: StdoutGuard | undefined,
  onInputEnd: () => void,
): StdioTransport {
  const { input, output, maxLineBytes, maxQueuedBytes } = options
  return new StdioTransport({
    onInputEnd,
    ...(input === undefined ? {} : { input }),
    ...(output === undefined ? {} : { output }),
    ...(maxLineBytes === undefined ? {} : { maxLineBytes }),
    ...(maxQueuedBytes === undefined ? {} : { maxQueuedBytes }),
    ...(guard === undefined ? {} : { write: guard.write }),
  })
}

/** Hears of the transport's end before the connection does, so that this drain decides and not the connection's. */
function watchClose(transport: Transport, onClose: () => void): Transport {
  return {
    start: (handlers) =>
      transport.start({
        message: (text) => handlers.message(text),
        malformed: (reason) => handlers.malformed(reason),
        close(reason) {
          onClose()
          handlers.close(reason)
        },
      }),
    send: (message, options) => transport.send(message, options),
    get queued() {
      return transport.queued ?? 0
    },
    close: () => transport.close(),
  }
}

const surviving = new WeakSet<Writable>()

/**
 * A stream that nobody reads any more must not end the process, nor be written about: the message would fail in turn.
 * The listener outlives the connection, since the failure of a write arrives later than the write.
 */
function surviveErrors(stream: Writable): void {
  if (surviving.has(stream)) return
  surviving.add(stream)
  stream.on('error', () => {})
}

function warn(logger: Pick<Logger, 'warn'> | undefined, message: string): void {
  if (logger === undefined) process.stderr.write(`[jetway] warn: ${message}\n`)
  else logger.warn({}, message)
}

async function settledWithin(work: Promise<void>, ms: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const limit = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms)
  })
  // Whatever failed to close has been reported by the server; the process ends all the same.
  await Promise.race([work.catch(() => {}), limit])
  clearTimeout(timer)
}
