import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import process from 'node:process'
import type { Readable, Writable } from 'node:stream'
import { StdioTransport } from '@jetway/stdio'
import type { ChildJob, FromChild, ToChild } from './child-messages.ts'
import { freePort } from '../../server-file/free-port.ts'
import { endWithThisProcess, signalGroup } from '../../start/group.ts'
import { SERVER_PROCESS } from './server-process.ts'

/** The time between SIGTERM and SIGKILL, in ms. */
const TERM_MS = 2_000

/** Why a process is not serving. */
export class StartError extends Error {
  override name = 'StartError'
  readonly reason: 'port-in-use' | 'failed' | 'exited'
  /** Whether restarting is useless until a file changes, for example after a syntax error. */
  readonly needsChange: boolean

  constructor(reason: StartError['reason'], message: string, needsChange = false) {
    super(message)
    this.reason = reason
    this.needsChange = needsChange
  }
}

export interface ChildOptions {
  readonly job: ChildJob
  readonly generation: number
  /** Called with the URL of each file that the process imports. */
  readonly onImport: (url: string) => void
  /** Receives the output of a process that serves HTTP. */
  readonly output: Writable
}

/**
 * A process that runs the server's file. It leads a process group, so that its child processes are ended
 * together with it.
 */
export class Child {
  readonly generation: number
  /** Resolves when the process is ready to serve. Rejects with a {@link StartError}. */
  readonly ready: Promise<void>
  /** Resolves to a description of how the process exited, such as `exited with code 1`. */
  readonly exited: Promise<string>
  /** The messages of a process that serves over stdio. */
  readonly lines: StdioTransport | undefined
  readonly #process: ChildProcess
  #port: number | undefined
  #ended = false
  #stopping: Promise<void> | undefined

  private constructor(options: ChildOptions, child: ChildProcess, port: number | undefined) {
    this.generation = options.generation
    this.#process = child
    this.#port = port
    const { stdin, stdout } = child
    if (options.job.transport === 'stdio')
      this.lines = new StdioTransport({ input: stdout as Readable, output: stdin as Writable })
    else stdout?.pipe(options.output, { end: false })
    this.exited = new Promise((resolve) => {
      child.once('error', (error) => resolve(`could not be started: ${error.message}`))
      child.once('exit', (code, signal) =>
        resolve(signal === null ? `exited with code ${code}` : `was ended by ${signal}`),
      )
    })
    const release = child.pid === undefined ? undefined : endWithThisProcess(child.pid)
    void this.exited.then(() => {
      this.#ended = true
      release?.()
      // The child processes of the process must be killed as well.
      this.#signal('SIGKILL')
    })
    this.ready = this.#watchStart(options)
    // The caller may await `ready` only later, so an unhandled rejection must be prevented.
    this.ready.catch(() => {})
  }

  /** Starts a process that does not import its file until `start` is called. */
  static async spawn(options: ChildOptions): Promise<Child> {
    const { transport } = options.job
    const port = transport === 'http' ? await freePort() : undefined
    const child = spawn(
      process.execPath,
      [
        ...process.execArgv,
        '--experimental-import-meta-resolve',
        process.argv[1] ?? '',
        SERVER_PROCESS,
        JSON.stringify(options.job),
      ],
      {
        stdio: [transport === 'stdio' ? 'pipe' : 'ignore', 'pipe', 'inherit', 'ipc'],
        env: port === undefined ? process.env : { ...process.env, PORT: String(port) },
        detached: process.platform !== 'win32',
        windowsHide: true,
      },
    )
    return new Child(options, child, port)
  }

  /** The port of a process that serves HTTP. */
  get port(): number {
    return this.#port ?? 0
  }

  get ended(): boolean {
    return this.#ended
  }

  start(): void {
    const message: ToChild = { type: 'start' }
    if (this.#process.connected) this.#process.send(message, () => {})
  }

  /** Ends the process and its group: sends SIGTERM, and SIGKILL after 2 s. */
  stop(): Promise<void> {
    return (this.#stopping ??= this.#stop())
  }

  /** Kills the process and its group immediately. */
  kill(): void {
    this.#signal('SIGKILL')
  }

  async #stop(): Promise<void> {
    if (this.#ended) return
    const timer = setTimeout(() => this.kill(), TERM_MS)
    this.#signal('SIGTERM')
    await this.exited
    clearTimeout(timer)
  }

  #watchStart({ onImport, job }: ChildOptions): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#process.on('message', (message: FromChild) => {
        switch (message.type) {
          case 'imported':
            for (const url of message.urls) onImport(url)
            break
          case 'ready':
            if (message.port !== undefined) this.#port = message.port
            resolve()
            break
          case 'port-in-use':
            reject(new StartError('port-in-use', `Port ${message.port ?? ''} is in use`))
            break
          case 'failed':
            reject(new StartError('failed', message.message, message.needsChange))
        }
      })
      void this.exited.then(async (how) => {
        // The process may have reported the reason.
        if (this.#process.connected) await once(this.#process, 'disconnect')
        const isDone = how === 'exited with code 0'
        const hint = isDone && job.transport === 'http' ? '. If it serves stdio, use --stdio' : ''
        reject(new StartError('exited', `The server ${how}${hint}`, isDone))
      })
    })
  }

  #signal(signal: NodeJS.Signals): void {
    const { pid } = this.#process
    if (pid === undefined) return
    // The group may still contain processes. On Windows, another process may have reused the id.
    if (process.platform !== 'win32' || !this.#ended) signalGroup(pid, signal)
  }
}
