import { usageError } from '../errors.ts'
import type { Closable } from './server-runtime.ts'

/** What a server is mounted on right now, so that closing the server closes all of it. */
export class Mounts {
  readonly #open = new Set<Closable>()
  #closed = false

  /** @throws `ERR_MCP_CLOSED` after `close` */
  attach(mount: Closable): void {
    if (this.#closed)
      throw usageError('ERR_MCP_CLOSED', 'This server is closed: create another one to serve again')
    this.#open.add(mount)
    void mount.closed.then(() => this.#open.delete(mount))
  }

  async close(options: { readonly deadline?: number }): Promise<void> {
    this.#closed = true
    const closed = await Promise.allSettled([...this.#open].map((mount) => mount.close(options)))
    const failed = closed.find((outcome) => outcome.status === 'rejected')
    if (failed !== undefined) throw failed.reason
  }
}
