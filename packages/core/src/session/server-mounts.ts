import { usageError } from '../errors.ts'
import type { ServerMount } from './server-runtime.ts'
import { type Gauges, sumOf } from './stats.ts'

/**
 * A mount's options, which are passed as the last argument. The options, including `locals`, are required if
 * the server declares the type of `ctx.locals`.
 */
export type MountArgs<Options extends object, Locals> = unknown extends Locals
  ? [options?: Options]
  : [options: Options & { readonly locals: Locals }]

/** The open mounts of a server. */
export class ServerMounts {
  readonly #open = new Set<ServerMount>()
  closed = false

  /** @throws `ERR_MCP_CLOSED` after `close` */
  attach(mount: ServerMount): void {
    if (this.closed)
      throw usageError('ERR_MCP_CLOSED', 'This server is closed: create another one to serve again')
    this.#open.add(mount)
    void mount.closed.then(() => this.#open.delete(mount))
  }

  get size(): number {
    return [...this.#open].filter((mount) => mount.isMount !== false).length
  }
  gauges(): Gauges {
    return sumOf(Array.from(this.#open, (mount) => mount.gauges()))
  }

  async close(options: { readonly deadline?: number }): Promise<void> {
    this.closed = true
    const closed = await Promise.allSettled([...this.#open].map((mount) => mount.close(options)))
    const failed = closed.find((result) => result.status === 'rejected')
    if (failed !== undefined) throw failed.reason
  }
}

/**
 * The value that a server's `lifespan` returns. It is opened once, for the first client, and disposed of when
 * the server closes.
 */
export interface Lifespan {
  readonly ready: () => Promise<void> | undefined
  readonly value: () => unknown
  /** Disposes of the value through `Symbol.asyncDispose` or `Symbol.dispose`. */
  close(): Promise<void>
}

export function createLifespan(open: (() => unknown) | undefined): Lifespan {
  let opening: Promise<void> | undefined
  let opened = open === undefined
  let value: unknown
  const start = async (): Promise<void> => {
    try {
      // The promise defers `open`. If `open` threw synchronously, `opening` would be reset before it is set.
      value = await Promise.resolve().then(open)
      opened = true
    } catch (error) {
      // The next client tries again. For example, a database may have started by then.
      opening = undefined
      throw usageError('ERR_MCP_LIFESPAN', 'The lifespan of the server failed to start', { cause: error })
    }
  }
  return {
    ready: () => (opened ? undefined : (opening ??= start())),
    value: () => value,
    close: async () => {
      await opening?.catch(() => {})
      const held = value
      value = undefined
      await dispose(held)
    },
  }
}

async function dispose(value: unknown): Promise<void> {
  if (typeof value !== 'object' || value === null) return
  const disposable = value as Partial<AsyncDisposable & Disposable>
  if (typeof disposable[Symbol.asyncDispose] === 'function') await disposable[Symbol.asyncDispose]?.()
  else disposable[Symbol.dispose]?.()
}
