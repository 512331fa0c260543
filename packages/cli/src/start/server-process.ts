import { type ChildProcess, spawn } from 'node:child_process'
import process from 'node:process'
import type { Readable, Writable } from 'node:stream'
import {
  classify,
  type JsonObject,
  type JsonRpcResponse,
  notificationFrame,
  parseText,
  type RequestId,
  requestFrame,
} from '@jetway/core/protocol'
import { StdioTransport } from '@jetway/stdio'
import { normalizeSpawnCommand } from 'tinyexec'
import type { HarnessReport } from '../harness-report.ts'
import type { Start } from './environment.ts'
import { endWithThisProcess, signalGroup } from './group.ts'

const KEPT_LINES = 40
const MAX_LINE = 2_000
/** How long to wait for output after a process has exited, in ms. Its child processes may keep the pipe open. */
const LAST_OUTPUT_MS = 500

/** The harness's report about a file that does not serve stdio. */
export type NotStdio = Exclude<HarnessReport, { readonly serves: 'stdio' }>

/** A server's process and its output. */
export class ServerProcess {
  /** The first lines on stdout that are not messages. */
  readonly strayLines: string[] = []
  /** The last lines on stderr. */
  readonly stderr: string[] = []
  /** The harness's report. Undefined if the file serves stdio. */
  report: NotStdio | undefined
  /** Settles when the process has exited. */
  readonly exited: Promise<void>
  readonly #child: ChildProcess
  readonly #waiting = new Map<RequestId, (response: JsonRpcResponse) => void>()
  /** Settles when no more responses can arrive. */
  readonly #over: Promise<void>
  readonly #release: () => void
  #requests = 0

  private constructor(child: ChildProcess) {
    this.#child = child
    this.#release = endWithThisProcess(this.pid)
    this.exited = new Promise((resolve) => child.once('exit', () => resolve()))
    const closed = new Promise<void>((resolve) => child.once('close', () => resolve()))
    const reported = new Promise<void>((resolve) =>
      child.on('message', (message) => {
        const report = message as HarnessReport
        if (report.serves === 'stdio') return
        this.report = report
        resolve()
      }),
    )
    this.#over = Promise.race([this.exited.then(() => within(LAST_OUTPUT_MS, closed)), reported])
    this.#read(child.stdin as Writable, child.stdout as Readable, child.stderr as Readable)
  }

  /**
   * @param harness - whether the program runs in the harness, which reports over an IPC channel
   * @throws the error of `spawn`
   */
  static start(start: Start, harness: boolean): Promise<ServerProcess> {
    // `.cmd` files must be run by cmd.exe.
    const { command, args, options } = normalizeSpawnCommand(start.command, start.args, {
      cwd: start.cwd,
      env: { ...start.env },
      stdio: harness ? ['pipe', 'pipe', 'pipe', 'ipc'] : ['pipe', 'pipe', 'pipe'],
      // The process leads a group, so that signals reach its child processes.
      detached: process.platform !== 'win32',
      windowsHide: true,
    })
    return new Promise((resolve, reject) => {
      const child = spawn(command, args, options)
      child.once('error', reject)
      child.once('spawn', () => resolve(new ServerProcess(child)))
    })
  }

  get pid(): number {
    return this.#child.pid as number
  }

  /** Returns how the process exited: `with code 1` or `by SIGSEGV`. Undefined while it is running. */
  get ended(): string | undefined {
    const { exitCode, signalCode } = this.#child
    if (signalCode !== null) return `by ${signalCode}`
    return exitCode === null ? undefined : `with code ${exitCode}`
  }

  /** Sends a request. Resolves to undefined if no response arrives in time, or if none can arrive. */
  async request(method: string, params: JsonObject, ms: number): Promise<JsonRpcResponse | undefined> {
    const id = ++this.#requests
    let response: JsonRpcResponse | undefined
    const answered = new Promise<void>((resolve) => {
      this.#waiting.set(id, (given) => {
        response = given
        resolve()
      })
    })
    this.#write(requestFrame(id, method, params))
    await within(ms, Promise.race([answered, this.#over]))
    this.#waiting.delete(id)
    return response
  }

  notify(method: string): void {
    this.#write(notificationFrame(method))
  }

  /** Asks the server to exit by closing its stdin. */
  endInput(): void {
    this.#child.stdin?.end()
  }

  /** Kills the rest of the process group. */
  kill(): void {
    signalGroup(this.pid, 'SIGKILL')
    this.#release()
    // A process outside the group may keep the pipes open.
    for (const stream of this.#child.stdio) stream?.destroy()
    if (this.#child.connected) this.#child.disconnect()
  }

  #write(frame: string): void {
    if (this.#child.stdin?.writable === true) this.#child.stdin.write(`${frame}\n`)
  }

  #read(stdin: Writable, stdout: Readable, stderr: Readable): void {
    // Write errors are ignored after the server has exited.
    stdin.on('error', () => {})
    new StdioTransport({ input: stdout, output: stdin }).start({
      message: (line) => this.#onLine(line),
      malformed: (reason) => this.#onStray(reason),
      close: () => {},
    })
    this.#readStderr(stderr)
  }

  /** Keeps only the beginning of each line, because a line from an unknown program may never end. */
  #readStderr(stderr: Readable): void {
    let rest = ''
    const keep = (line: string): void => {
      if (this.stderr.push(line.replace(/\r$/, '')) > KEPT_LINES) this.stderr.shift()
    }
    stderr.setEncoding('utf8').on('data', (chunk: string) => {
      const lines = (rest + chunk).split('\n').map((line) => line.slice(0, MAX_LINE))
      rest = lines.pop() ?? ''
      for (const line of lines) keep(line)
    })
    stderr.on('end', () => {
      if (rest !== '') keep(rest)
    })
  }

  #onLine(line: string): void {
    const parsed = parseText(line)
    const incoming = classify(parsed.ok ? parsed.value : undefined)
    if (incoming.kind === 'invalid') return this.#onStray(line)
    if (incoming.kind === 'response' && incoming.message.id !== undefined)
      this.#waiting.get(incoming.message.id)?.(incoming.message)
  }

  #onStray(line: string): void {
    if (this.strayLines.length < KEPT_LINES) this.strayLines.push(line.slice(0, MAX_LINE))
  }
}

/** Waits for a promise, but no longer than this time, in ms. */
export function within(ms: number, promise: Promise<unknown>): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms)
    void promise.then(() => {
      clearTimeout(timer)
      resolve()
    })
  })
}
