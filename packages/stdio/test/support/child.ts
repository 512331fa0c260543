import type { ChildProcessWithoutNullStreams } from 'node:child_process'
import { callTool, initialize, INITIALIZED, REVISION } from '@jetway-apps/test-support'
import { type Running, startNode } from '@jetway-apps/test-support/processes'
import { program } from '@jetway-tools/runtimes/program'
import { onTestFinished } from 'vitest'
import type { ServeStdioOptions } from '../../src/index.ts'

const FIXTURE = program(new URL('../fixtures/server.ts', import.meta.url))

export interface Exit {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  /** The time at which the line arrived, according to `performance.now()`. */
  readonly at: number
}

/** Starts the fixture as a process, for tests that use raw lines. The process is ended after the test. */
export class Child {
  readonly process: ChildProcessWithoutNullStreams
  readonly exited: Promise<Exit>
  readonly #output: Running['output']
  #watchers: (() => void)[] = []

  constructor(options: Pick<ServeStdioOptions, 'drainMs' | 'revisions'> = {}) {
    const running = startNode([...FIXTURE, JSON.stringify(options)])
    this.process = running.process
    this.#output = running.output
    for (const stream of [this.process.stdout, this.process.stderr]) stream.on('data', () => this.#look())
    onTestFinished(async () => {
      await running.stop('SIGKILL')
    })
    this.exited = new Promise((resolve) => {
      this.process.once('close', (code, signal) => resolve({ code, signal, at: performance.now() }))
    })
  }

  get stdout(): string {
    return this.#output.stdout
  }

  get stderr(): string {
    return this.#output.stderr
  }

  get lines(): string[] {
    return this.stdout.split('\n').filter((line) => line !== '')
  }

  get messages(): { id?: number; result?: unknown; error?: unknown }[] {
    return this.lines.map((line) => JSON.parse(line) as { id?: number })
  }

  write(...messages: readonly object[]): void {
    this.process.stdin.write(
      messages.map((message) => `${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`).join(''),
    )
  }

  call(id: number, name: string, args: object = {}): void {
    this.write(callTool(name, args, { id }))
  }

  /** Resolves once the condition is true. It is checked after each output. */
  until(condition: () => boolean): Promise<void> {
    return new Promise((resolve) => {
      const look = (): void => {
        if (condition()) resolve()
        else this.#watchers.push(look)
      }
      look()
    })
  }

  async open(): Promise<this> {
    this.write(initialize(REVISION, { id: 0 }), INITIALIZED)
    await this.until(() => this.lines.length === 1)
    return this
  }

  #look(): void {
    for (const watcher of this.#watchers.splice(0)) watcher()
  }
}
