import { createInterface } from 'node:readline'
import { type Running, startNode } from '@jetway-apps/test-support/processes'
import { initialize, INITIALIZED, REVISION } from '@jetway-apps/test-support'
import type { Message } from './raw-http.ts'
import { SERVER_COMMANDS } from './processes.ts'

/** A server process, with all of its lines. */
export class RawStdio {
  readonly lines: string[] = []
  readonly #server: Running
  readonly #answers = new Map<unknown, (message: Message) => void>()

  constructor(...flags: readonly string[]) {
    this.#server = startNode([...SERVER_COMMANDS.stdio, ...flags])
    createInterface({ input: this.#server.process.stdout }).on('line', (line) => this.#take(line))
  }

  get stderr(): string {
    return this.#server.output.stderr
  }

  async initialize(capabilities: object = {}): Promise<void> {
    await this.ask(initialize(REVISION, { id: 'initialize', capabilities }))
    this.send(INITIALIZED)
  }

  send(message: unknown): void {
    this.#server.process.stdin.write(`${JSON.stringify(message)}\n`)
  }

  /** Resolves to the first response. After the process has exited, `lines` shows whether there were more. */
  ask(message: { readonly id: unknown; readonly [member: string]: unknown }): Promise<Message> {
    return new Promise((resolve) => {
      this.#answers.set(message.id, resolve)
      this.send(message)
    })
  }

  /** Closes the input. Resolves to the exit code after all output has been read. */
  async end(): Promise<number | null> {
    this.#server.process.stdin.end()
    return this.#server.exited
  }

  kill(): void {
    void this.#server.stop('SIGKILL')
  }

  #take(line: string): void {
    this.lines.push(line)
    if (!line.startsWith('{')) return
    const message = JSON.parse(line) as Message
    this.#answers.get(message.id)?.(message)
  }
}
