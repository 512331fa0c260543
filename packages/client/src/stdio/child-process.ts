import type { Readable, Writable } from 'node:stream'
import type { SendOptions, Transport, TransportClose, TransportHandlers } from '@jetway/core/transport'
import type { ServerNetwork } from '@jetway/core/telemetry'
import { StdioTransport } from '@jetway/stdio'
import { childEnvironment } from './environment.ts'
import { ProcessExitError, SpawnError } from './errors.ts'
import { endWithThisProcess } from './exit-guard.ts'
import { type ChildProcessLike, type ChildProcessOptions, type StopSteps, stopSteps } from './options.ts'
import type { TransportFactory } from '../transport/client-transport.ts'
import { duplex } from '../transport/duplex.ts'
import { createMark, type ProcessTree, processTree } from './process-tree.ts'
import { readLines } from './read-lines.ts'
import { spawnHere } from './spawn.ts'
import { stopTree, within } from './stop-process.ts'

/** Connects to a child process: `client.connect(childProcess({ command: 'my-server' }))`. */
export function childProcess(options: ChildProcessOptions): TransportFactory {
  const { command, args = [], cwd } = options
  const key = JSON.stringify([command, args, cwd])
  return Object.assign(() => duplex(new ChildProcessTransport(options), { key, network: PIPE }), {
    process: options,
  })
}

const PIPE: ServerNetwork = { transport: 'pipe' }
/**
 * How long to wait for a process's last output, in ms. The time is limited because the child processes of the
 * process may keep the pipe open.
 */
const LAST_WORDS_MS = 500
const REMEMBERED_LINES = 20

interface Running {
  readonly child: ChildProcessLike
  readonly lines: StdioTransport
  readonly tree: ProcessTree
  readonly exited: Promise<void>
  readonly stderrEnded: Promise<unknown>
  readonly release: () => void
}

/**
 * Runs a server as a child process, and communicates with it over stdin and stdout. `start` rejects with a
 * {@link SpawnError} if there is no such program. The process and all its descendants are ended when `close` is
 * called or when this process exits.
 *
 * @see https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#stdio
 */
export class ChildProcessTransport implements Transport {
  readonly #options: ChildProcessOptions
  readonly #steps: StopSteps
  readonly #stderr: string[] = []
  #handlers: TransportHandlers | undefined
  #running: Running | undefined
  #closing: Promise<void> | undefined
  #closeReported = false

  constructor(options: ChildProcessOptions) {
    this.#options = options
    this.#steps = stopSteps(options.stop)
  }

  /** The process id. Undefined before `start`, and if the process runs on another machine. */
  get pid(): number | undefined {
    return this.#running?.child.pid
  }

  get queued(): number {
    return this.#running?.lines.queued ?? 0
  }

  async start(handlers: TransportHandlers): Promise<void> {
    if (this.#handlers !== undefined) throw new TypeError('The transport is already started')
    this.#handlers = handlers
    const running = await this.#spawn()
    this.#running = running
    if (this.#closing !== undefined) return this.#stop(running)
    running.lines.start({
      message: (text) => handlers.message(text),
      malformed: (reason) => handlers.malformed(reason),
      close: (reason) => void this.#lost(running, reason),
    })
    void running.exited.then(() => this.#ended(running))
  }

  send(message: string, options?: SendOptions): void | Promise<void> {
    return this.#running?.lines.send(message, options)
  }

  close(): Promise<void> {
    return (this.#closing ??= this.#close())
  }

  async #close(): Promise<void> {
    if (this.#running !== undefined) await this.#stop(this.#running)
    this.#reportClose({ kind: 'end' })
  }

  async #stop({ lines, tree, exited, release }: Running): Promise<void> {
    // A server that has stopped reading must not block closing.
    await within(this.#steps.inputMs, lines.close())
    lines.destroy()
    await stopTree(tree, this.#steps, exited)
    release()
  }

  /** Delivers the output that the process wrote before it exited. */
  async #ended(running: Running): Promise<void> {
    if (this.#closing !== undefined) return
    const { stdout } = running.child
    await within(LAST_WORDS_MS, new Promise((resolve) => stdout?.once('close', resolve)))
    await this.#lost(running, { kind: 'end' })
  }

  async #lost(running: Running, reason: TransportClose): Promise<void> {
    if (this.#closing !== undefined || this.#closeReported) return
    // The exit code and the last lines of stderr are more informative than the fact that the pipe has ended.
    const { exited, child, stderrEnded } = running
    await within(LAST_WORDS_MS, Promise.all([exited, stderrEnded]))
    this.#reportClose(this.#reason(child, reason))
    void this.close()
  }

  #reason({ exitCode, signalCode }: ChildProcessLike, reason: TransportClose): TransportClose {
    if (exitCode === null && signalCode === null) return reason
    return { kind: 'error', error: new ProcessExitError(exitCode, signalCode, this.#stderr) }
  }

  #reportClose(reason: TransportClose): void {
    if (this.#closeReported) return
    this.#closeReported = true
    this.#handlers?.close(reason)
  }

  async #spawn(): Promise<Running> {
    const { command, args = [], cwd, stderr = 'inherit', spawn, maxLineBytes } = this.#options
    const mark = createMark()
    const child = attempt(command, () =>
      (spawn ?? spawnHere)(command, args, {
        cwd,
        env: { ...childEnvironment(this.#options), [mark.name]: mark.value },
        stdio: ['pipe', 'pipe', stderr === 'inherit' ? stderr : 'pipe'],
        detached: process.platform !== 'win32',
        windowsHide: true,
      }),
    )
    let ended = false
    const exited = new Promise<void>((resolve) => {
      child.on('exit', () => {
        ended = true
        resolve()
      })
    })
    await started(child, command)
    const onLine = typeof stderr === 'function' ? stderr : () => {}
    if (child.stderr !== null) readLines(child.stderr, (line) => this.#onLine(line, onLine))
    const isLocal = spawn === undefined && child.pid !== undefined
    return {
      child,
      exited,
      stderrEnded:
        child.stderr === null
          ? Promise.resolve()
          : new Promise((resolve) => child.stderr?.once('close', resolve)),
      lines: new StdioTransport({
        input: child.stdout as Readable,
        output: child.stdin as Writable,
        ...(maxLineBytes !== undefined && { maxLineBytes }),
      }),
      tree: isLocal ? processTree(child.pid, mark.value, () => ended) : remoteTree(child, () => ended),
      release: isLocal ? endWithThisProcess(child.pid) : () => {},
    }
  }

  #onLine(line: string, listener: (line: string) => void): void {
    if (this.#stderr.push(line) > REMEMBERED_LINES) this.#stderr.shift()
    listener(line)
  }
}

function attempt(command: string, spawn: () => ChildProcessLike): ChildProcessLike {
  try {
    return spawn()
  } catch (error) {
    const { code } = error as { readonly code?: unknown }
    // The error message of Node.js contains the argument or variable, which may be a secret.
    const hidden = new TypeError('The command, an argument or a variable has a null byte')
    throw new SpawnError(command, code === 'ERR_INVALID_ARG_VALUE' ? hidden : error)
  }
}

/** Resolves when the program has started. Node.js does not emit `exit` for a program that could not be started. */
function started(child: ChildProcessLike, command: string): Promise<void> {
  return new Promise((resolve, reject) => {
    child.on('spawn', () => resolve())
    child.on('error', (error: Error & { spawnargs?: unknown }) => {
      // The arguments may contain secrets, which a logger would print.
      delete error.spawnargs
      reject(new SpawnError(command, error))
    })
  })
}

/** Returns the process tree for a custom `spawn`. The pid may belong to another machine. */
const remoteTree = (child: ChildProcessLike, hasEnded: () => boolean): ProcessTree => ({
  remains: () => Promise.resolve(!hasEnded()),
  signal: (signal) => {
    child.kill(signal)
    return Promise.resolve()
  },
})
