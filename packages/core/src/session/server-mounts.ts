import { usageError } from '../errors.ts'
import type { ServerMount } from './server-runtime.ts'
import { type Gauges, sumOf } from './stats.ts'

/**
 * The options of a mount as the last argument. They and their member `locals` are required if the server
 * declares the type of `ctx.locals`.
 */
export type MountArgs<Options extends object, Locals> = unknown extends Locals
  ? [options?: Options]
  : [options: Options & { readonly locals: Locals }]

/** The open mounts of a server. */
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
    const failed = closed.find((result) => result.status === 'rejected')
    if (failed !== undefined) throw failed.reason
  }
}
