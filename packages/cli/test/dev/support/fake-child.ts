import { settled } from '@jetway-apps/test-support'
import { StartError } from '../../../src/dev/process/child.ts'
import type { Supervised } from '../../../src/dev/supervisor.ts'

/** A server process that does what the test tells it. */
export class FakeChild implements Supervised {
  readonly generation: number
  /** Reports that the process has imported a file. */
  readonly imports: (url: string) => void
  readonly port = 0
  readonly lines = undefined
  readonly ready: Promise<void>
  readonly exited: Promise<string>
  /** The methods that were called, in order. */
  readonly calls: string[] = []
  ended = false
  #resolve = (): void => {}
  #reject = (_error: unknown): void => {}
  #exit = (_how: string): void => {}

  constructor(generation: number, onImport: (url: string) => void) {
    this.generation = generation
    this.imports = onImport
    this.ready = new Promise((resolve, reject) => {
      this.#resolve = resolve
      this.#reject = reject
    })
    this.ready.catch(() => {})
    this.exited = new Promise((resolve) => (this.#exit = resolve))
  }

  start(): void {
    this.calls.push('start')
  }

  stop(): Promise<void> {
    this.calls.push('stop')
    return this.exit('was ended by SIGTERM')
  }

  kill(): void {
    this.calls.push('kill')
    void this.exit('was ended by SIGKILL')
  }

  async serve(): Promise<void> {
    this.#resolve()
    await settled()
  }

  async fail(error: unknown): Promise<void> {
    this.#reject(error)
    await settled()
  }

  async exit(how: string): Promise<void> {
    this.ended = true
    this.#exit(how)
    this.#reject(new StartError('exited', `The server ${how}`))
    await settled()
  }
}
