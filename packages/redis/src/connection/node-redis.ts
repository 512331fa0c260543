import { ErrorReply } from '@redis/client'
import {
  type RedisConnection,
  type RedisReader,
  type RedisReply,
  RedisReplyError,
  RedisUnavailable,
  withDeadline,
} from './connection.ts'
import {
  type Client,
  clusterOf,
  CONNECT_MS,
  type Deployment,
  type RedisAddress,
  sentinelOf,
  single,
} from './deployments.ts'

/**
 * How long a replaced connection stays open for its pending commands, in ms. This is longer than the
 * commands' own deadline.
 */
const DRAIN_MS = 1_000

/**
 * Connects with `@redis/client`.
 *
 * @param onError - called for each connection error; the client reconnects automatically
 */
export function connectTo(address: RedisAddress, onError: (error: unknown) => void): RedisConnection {
  if (address.cluster !== undefined) return new NodeRedis(clusterOf(address, address.cluster), onError)
  if (address.sentinel !== undefined) return new NodeRedis(sentinelOf(address, address.sentinel), onError)
  return new NodeRedis(single(address), onError)
}

interface Opened<C> {
  readonly client: C
  readonly connected: Promise<unknown>
  /** True once `connected` has resolved. */
  isConnected: boolean
}

class NodeRedis<C extends Client> implements RedisConnection {
  readonly address: string
  readonly #deployment: Deployment<C>
  readonly #onError: (error: unknown) => void
  #current: Opened<C> | undefined
  /** The client that will replace the current one as soon as it has connected. */
  #next: Opened<C> | undefined
  #closed = false
  #problem: unknown

  constructor(deployment: Deployment<C>, onError: (error: unknown) => void) {
    this.#deployment = deployment
    this.address = deployment.address
    this.#onError = (error) => {
      this.#problem = error
      onError(error)
    }
  }

  readonly problem = (): unknown => this.#problem

  async command(key: string, args: readonly string[]): Promise<RedisReply> {
    const current = (this.#current ??= this.#open({ reconnect: true }))
    if (!current.isConnected) await current.connected
    return this.#send(current.client, key, args)
  }

  async connect(): Promise<void> {
    const { client, connected } = (this.#current ??= this.#open({ reconnect: true }))
    await connected
    await this.#deployment.connectAll?.(client)
  }

  reader(key: string): RedisReader {
    const { client, connected } = this.#open({ reconnect: false })
    return {
      command: async (args) => {
        await connected
        return this.#send(client, key, args)
      },
      close: () => destroy(client),
    }
  }

  nodeOf(key: string): string {
    return (this.#current && this.#deployment.nodeOf?.(this.#current.client, key)) ?? ''
  }

  reset(): void {
    if (this.#next !== undefined || this.#closed) return
    const next = this.#open({ reconnect: true })
    this.#next = next
    const settle = async (): Promise<void> => {
      try {
        await withDeadline(next.connected, CONNECT_MS)
        this.#replace(next)
      } catch {
        destroy(next.client)
      } finally {
        if (this.#next === next) this.#next = undefined
      }
    }
    // The former client remains in use until then, because other nodes of a cluster may still reply.
    void settle()
  }

  open(): void {
    this.#closed = false
  }

  async close(): Promise<void> {
    this.#closed = true
    for (const opened of [this.#current, this.#next]) if (opened !== undefined) destroy(opened.client)
    this.#current = undefined
    this.#next = undefined
  }

  #replace(next: Opened<C>): void {
    // The stores have been closed in the meantime.
    if (this.#next !== next) return destroy(next.client)
    const former = this.#current
    this.#current = next
    if (former !== undefined) setTimeout(() => destroy(former.client), DRAIN_MS).unref()
  }

  #open(options: { readonly reconnect: boolean }): Opened<C> {
    // A write that is retried after closing must not open a connection, because nothing would close that
    // connection.
    if (this.#closed) throw new RedisUnavailable('The connection to Redis is closed')
    const client = this.#deployment.create(options)
    client.on('error', this.#onError)
    const opened: Opened<C> = { client, connected: client.connect(), isConnected: false }
    opened.connected.then(
      () => {
        opened.isConnected = true
      },
      // The commands that wait for this connection reject as well.
      () => {
        if (this.#current === opened) this.#current = undefined
      },
    )
    return opened
  }

  async #send(client: C, key: string, args: readonly string[]): Promise<RedisReply> {
    try {
      const reply = await this.#deployment.send(client, key, args)
      this.#problem = undefined
      return reply
    } catch (error) {
      throw error instanceof ErrorReply ? new RedisReplyError(error.message) : error
    }
  }
}

/** Closes all connections of a client, even if it has not connected yet. */
function destroy(client: Client): void {
  // `destroy` may reject or throw while a cluster or sentinel is still connecting.
  const end = (): void => void (async () => client.destroy())().catch(() => {})
  // `destroy` does not affect a socket that is still connecting, which would stay open for as long as Redis hangs.
  client.on('connect', end)
  end()
}
