import { usageError } from '../errors.ts'
import type { ServerMount } from './server-runtime.ts'
import { type Gauges, sumOf } from './stats.ts'

/** What a server is mounted on right now, so that closing the server closes all of it, and its numbers add up. */
export class ServerMounts {
  readonly #open = new Set<ServerMount>()
  #closed = false

  /** @throws `ERR_MCP_CLOSED` after `close` */
  attach(mount: ServerMount): void {
    if (this.#closed)
      throw usageError('ERR_MCP_CLOSED', 'This server is closed: create another one to serve again')
    this.#open.add(mount)
    void mount.closed.then(() => this.#open.delete(mount))
  }

  get size(): number {
    return [...this.#open].filter((mount) => mount.isMount !== false).length
  }
  get closed(): boolean {
    return this.#closed
  }
  gauges(): Gauges {
    return sumOf(Array.from(this.#open, (mount) => mount.gauges()))
  }

  async close(options: { readonly deadline?: number }): Promise<void> {
    this.#closed = true
    const closed = await Promise.allSettled([...this.#open].map((mount) => mount.close(options)))
    const failed = closed.find((outcome) => outcome.status === 'rejected')
    if (failed !== undefined) throw failed.reason
  }
}
