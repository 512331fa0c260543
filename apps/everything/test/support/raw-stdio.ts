import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { initialize, INITIALIZED, REVISION } from '@jetway-apps/test-support'
import type { Message } from './raw-http.ts'
import { stdioCommand } from './processes.ts'

/** A server's process, with all its lines. */
export class RawStdio {
  readonly lines: string[] = []
  readonly #child: ChildProcessWithoutNullStreams
  readonly #answers = new Map<unknown, (message: Message) => void>()
  #stderr = ''

  constructor(...flags: readonly string[]) {
    const { command, args } = stdioCommand(...flags)
    this.#child = spawn(command, args, { stdio: ['pipe', 'pipe', 'pipe'] })
    this.#child.stderr.setEncoding('utf8').on('data', (text: string) => void (this.#stderr += text))
    createInterface({ input: this.#child.stdout }).on('line', (line) => this.#take(line))
  }

  get stderr(): string {
    return this.#stderr
  }

  async initialize(capabilities: object = {}): Promise<void> {
    await this.ask(initialize(REVISION, { id: 'initialize', capabilities }))
    this.send(INITIALIZED)
  }

  send(message: unknown): void {
    this.#child.stdin.write(`${JSON.stringify(message)}\n`)
  }

  /** Resolves to the first response. `lines` shows after the end whether it was the only one. */
  ask(message: { readonly id: unknown; readonly [member: string]: unknown }): Promise<Message> {
    return new Promise((resolve) => {
      this.#answers.set(message.id, resolve)
      this.send(message)
    })
  }

  /** Ends the input and resolves to the exit code, once all output has been read. */
  async end(): Promise<number | null> {
    const closed = once(this.#child, 'close')
    this.#child.stdin.end()
    const [code] = (await closed) as [number | null]
    return code
  }

  kill(): void {
    this.#child.kill('SIGKILL')
  }

  #take(line: string): void {
    this.lines.push(line)
    if (!line.startsWith('{')) return
    const message = JSON.parse(line) as Message
    this.#answers.get(message.id)?.(message)
  }
}
