import type { Readable, Writable } from 'node:stream'
import type { Logger, MountHandle } from '@jetway/core'
import type { MountStats } from '@jetway/core/http'
import { UsageError } from '@jetway/core/protocol'
import type { Transport } from '@jetway/core/transport'
import {
  type Caller,
  checkOptions,
  checkServer,
  type ServeStdioOptions,
  type StdioServer,
} from './options.ts'
import { guardStdout, type StdoutGuard } from './stdout-guard.ts'
import { describeWait } from './terminal.ts'
import { StdioTransport } from './transport.ts'

/** The handle that {@link serveStdio} returns. */
export interface StdioHandle extends MountHandle {}

const DEFAULT_DRAIN_MS = 2_000
/** The fraction of the drain period that calls may use. The rest is reserved for writing the last responses. */
const WORK_SHARE = 0.9
const DEFAULT_DEADLINE_MS = 10_000
/** How long a client may take to read the last responses after an explicit close, in ms. */
const FLUSH_MS = 500
const SIGNALS = { SIGINT: 130, SIGTERM: 143 } as const
const STRAY_OUTPUT =
  'Something wrote to stdout, which carries the protocol. The text went to stderr instead. Use console.error, or ctx.log to reach the client.'

/**
 * Serves one client over standard input and output until the client closes its side, the process receives a
 * signal, or `close` is called. By default, the process then exits, except after an explicit `close`. In a
 * terminal, a message on stderr states that the server is waiting for a client.
 *
 * @throws `ERR_MCP_OPTION` for an invalid option; `ERR_MCP_IN_USE` if another server in this process already
 * uses one of the streams
 * @see https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#stdio
 */
export async function serveStdio<Locals = unknown>(
  server: StdioServer<Locals>,
  ...[options]: unknown extends Locals
    ? [options?: ServeStdioOptions<NoInfer<Locals>>]
    : [options: ServeStdioOptions<NoInfer<Locals>>]
): Promise<StdioHandle> {
  checkServer(server)
  checkOptions(options ?? {})
  return new StdioServing(server as StdioServer, options ?? {})
}

/** The streams in use. If two servers shared a stream, each would receive only some of the messages. */
const inUse = new WeakSet<Readable | Writable>()

/**
 * Claims streams, and returns a function that releases them.
 *
 * @throws `ERR_MCP_IN_USE` if a stream is already in use
 */
function claim(...streams: readonly (Readable | Writable)[]): () => void {
  if (streams.some((stream) => inUse.has(stream)))
    throw new UsageError(
      'ERR_MCP_IN_USE',
      'Another serveStdio of this process uses this input or output. Call serveStdio once, and register everything on one server; or pass other streams as input and output',
    )
  for (const stream of streams) inUse.add(stream)
  return () => {
    for (const stream of streams) inUse.delete(stream)
  }
}

class StdioServing implements StdioHandle {
  readonly closed: Promise<void>
  readonly #server: StdioServer
  readonly #transport: StdioTransport
  readonly #connection: MountHandle
  readonly #guard: StdoutGuard | undefined
  readonly #releaseStreams: () => void
  readonly #drainMs: number
  readonly #exits: boolean
  /** The time at which the drain period ends, in ms since 1970. */
  #endBy: number | undefined
  #closed = false
  #signalled = false
  #resolveClosed!: () => void

  constructor(server: StdioServer, options: ServeStdioOptions) {
    const ownStreams = options.input === undefined && options.output === undefined
    const { input = process.stdin, output = process.stdout } = options
    this.#releaseStreams = claim(input, output)
    this.#server = server
    this.#drainMs = options.drainMs ?? DEFAULT_DRAIN_MS
    this.#exits = options.exitOnEnd ?? ownStreams
    this.closed = new Promise((resolve) => {
      this.#resolveClosed = resolve
    })
    surviveErrors(process.stderr)
    surviveErrors(output)
    this.#guard =
      (options.guardStdout ?? output === process.stdout)
        ? guardStdout(output, process.stderr, () => warn(options.logger, STRAY_OUTPUT))
        : undefined
    this.#transport = createTransport(options, this.#guard, () => this.#startDrain())
    try {
      const transport = watchClose(this.#transport, () => this.#stop())
      // With the default grace period, the connection would end a longer drain period early.
      this.#connection = server.connect(transport, { ...callerOf(options), endGraceMs: this.#drainMs })
    } catch (error) {
      this.#guard?.release()
      this.#releaseStreams()
      throw error
    }
    if ((input as { readonly isTTY?: boolean }).isTTY === true)
      process.stderr.write(describeWait(server.runtime?.info.name))
    if (options.handleSignals ?? ownStreams) for (const signal of signals) process.on(signal, this.#onSignal)
    void this.#connection.closed.then(() => this.#end())
  }

  async close({ deadline = DEFAULT_DEADLINE_MS }: { readonly deadline?: number } = {}): Promise<void> {
    this.#closed = true
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

  /**
   * Lets running calls finish after a disconnect or a signal. If responses cannot be written, calls end
   * immediately.
   */
  #stop(): void {
    const deadline = this.#startDrain() - Date.now() - this.#drainMs * (1 - WORK_SHARE)
    void this.#connection.close({ deadline: this.#transport.writable ? Math.max(0, deadline) : 0 })
  }

  /** Starts the drain period, after which no call, buffered message or slow client can keep the process running. */
  #startDrain(): number {
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
    const exits = this.#exits && !this.#closed
    if (exits) {
      const left = Math.max((this.#endBy ?? 0) - Date.now(), this.#drainMs * (1 - WORK_SHARE))
      await settledWithin(this.#server.close({ deadline: left }), left)
    }
    for (const signal of signals) process.off(signal, this.#onSignal)
    this.#guard?.release()
    this.#releaseStreams()
    this.#resolveClosed()
    if (exits) process.exit()
  }
}

const signals = Object.keys(SIGNALS) as (keyof typeof SIGNALS)[]

function callerOf({ auth, locals, revisions }: ServeStdioOptions): Caller {
  return { auth, locals, ...(revisions !== undefined && { revisions }) }
}

function createTransport(
  options: ServeStdioOptions,
  guard: StdoutGuard | undefined,
  onInputEnd: () => void,
): StdioTransport {
  const { input, output, maxLineBytes, maxQueuedBytes } = options
  return new StdioTransport({ onInputEnd, input, output, maxLineBytes, maxQueuedBytes, write: guard?.write })
}

/** Calls `onClose` before the connection's own handler, so that the drain period starts first. */
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
    byteStream: true,
    get queued() {
      return transport.queued ?? 0
    },
    close: () => transport.close(),
  }
}

const surviving = new WeakSet<Writable>()

/**
 * Ignores errors on a closed stream, because they must not terminate the process and cannot be logged to the
 * same stream. The listener remains after the connection has closed, because write errors may arrive late.
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
  // The server has already logged any failure, and the process is about to exit.
  await Promise.race([work.catch(() => {}), limit])
  clearTimeout(timer)
}
