import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { program } from '@jetway-tools/runtimes/program'
import { ResumingClient } from './resuming-client.ts'

const FIXTURE = program(new URL('../fixtures/flooding-server.ts', import.meta.url))
const MOUNTS = 4

export interface Memory {
  readonly rss: number
  /** Outside the heap. */
  readonly buffers: number
  readonly heap: number
}

export interface Report {
  /** The maximum of each during the last flood. */
  readonly peak: Memory
  /** After a garbage collection. */
  readonly now: Memory
}

/** The flooding server in its own process. */
export class FloodingServer {
  readonly #child: ChildProcess
  readonly #urls: readonly string[]
  readonly #floods: Flooding[] = []

  private constructor(child: ChildProcess, urls: readonly string[]) {
    this.#child = child
    this.#urls = urls
  }

  static async start(): Promise<FloodingServer> {
    // A small young generation, so that garbage does not count as held memory.
    const memory = ['--expose-gc', '--max-semi-space-size=2']
    const child = spawn(process.execPath, [...memory, ...FIXTURE], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const urls: string[] = []
    for await (const url of createInterface({ input: child.stdout })) if (urls.push(url) === MOUNTS) break
    return new FloodingServer(child, urls)
  }

  /** A session on one of its mounts. */
  async join(adapter: 'Fastify' | 'Hono', store: 'kept' | 'forgotten'): Promise<Flooding> {
    const mount = (adapter === 'Fastify' ? 0 : 2) + (store === 'kept' ? 0 : 1)
    const client = new ResumingClient(this.#urls[mount] ?? '', { keepAlive: true })
    const flooding = new Flooding(await client.open())
    this.#floods.push(flooding)
    return flooding
  }

  async close(): Promise<void> {
    for (const { client } of this.#floods) client.close()
    const exited = once(this.#child, 'exit')
    this.#child.kill('SIGKILL')
    await exited
  }
}

/** A client with a session there. */
export class Flooding {
  readonly client: ResumingClient

  constructor(client: ResumingClient) {
    this.client = client
  }

  async report(): Promise<Report> {
    return JSON.parse(await this.#text('report')) as Report
  }

  async floods(): Promise<number> {
    return Number(await this.#text('floods'))
  }

  /** Calls another tool until this many floods are over. Returns the number of responses. */
  async callsUntil(floods: number): Promise<number> {
    let answers = 0
    while ((await this.floods()) < floods) answers++
    return answers
  }

  async #text(name: string): Promise<string> {
    const { response } = await this.client.call(name, {})
    return response.result?.content[0]?.text ?? ''
  }
}
