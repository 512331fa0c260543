import { type Running, startNode } from '@jetway-apps/test-support/processes'
import { program } from '@jetway-tools/runtimes/program'
import { ResumingClient } from './resuming-client.ts'

const FIXTURE = program(new URL('../fixtures/flooding-server.ts', import.meta.url))

export interface Memory {
  readonly rss: number
  /** The memory of buffers, which are outside the heap. */
  readonly buffers: number
  readonly heap: number
}

export interface Report {
  /** The maximum of each value during the most recent flood. */
  readonly peak: Memory
  /** The current values, after a garbage collection. */
  readonly now: Memory
}

/** The flooding server, which runs in a separate process. */
export class FloodingServer {
  readonly #child: Running
  readonly #urls: readonly string[]
  readonly #floods: Flooding[] = []

  private constructor(child: Running, urls: readonly string[]) {
    this.#child = child
    this.#urls = urls
  }

  static async start(): Promise<FloodingServer> {
    // A small young generation prevents garbage from being counted as memory in use.
    const memory = ['--expose-gc', '--max-semi-space-size=2']
    const child = startNode([...memory, ...FIXTURE])
    const [lines] = await child.until(/^(.*\n){4}/)
    return new FloodingServer(child, lines.split('\n'))
  }

  /** Opens a session on one of the server's mounts. */
  async join(adapter: 'Fastify' | 'Hono', store: 'kept' | 'forgotten'): Promise<Flooding> {
    const mount = (adapter === 'Fastify' ? 0 : 2) + (store === 'kept' ? 0 : 1)
    const client = new ResumingClient(this.#urls[mount] ?? '', { keepAlive: true })
    const flooding = new Flooding(await client.open())
    this.#floods.push(flooding)
    return flooding
  }

  async close(): Promise<void> {
    for (const { client } of this.#floods) client.close()
    await this.#child.stop('SIGKILL')
  }
}

/** A client with a session on the flooding server. */
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

  /** Calls another tool until this many floods have ended. Returns the number of responses received. */
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
