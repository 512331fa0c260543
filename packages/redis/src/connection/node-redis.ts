import { createClient, createCluster, createSentinel, ErrorReply } from '@redis/client'
import type { ConnectionOptions } from 'node:tls'
import { type RedisConnection, type RedisReader, type RedisReply, RedisReplyError } from './connection.ts'
import { withDeadline } from '../commands/deadline.ts'
import { slotOf } from './slot.ts'

/** Which Redis to connect to. Set one of `url`, `sentinel` and `cluster`. */
export interface RedisAddress {
  /** `redis://`, `rediss://` (TLS) or `unix://`, with user, password and number of the database where needed. */
  readonly url?: string
  /** Finds the master by Redis Sentinel. */
  readonly sentinel?: {
    /** The name of the master in the configuration of the sentinels. */
    readonly name: string
    /** Some of the sentinels, as URLs. The user and password of the first one are those of all sentinels. */
    readonly urls: readonly string[]
  }
  /** A Redis Cluster, as URLs of some of its nodes. */
  readonly cluster?: readonly string[]
  /** The user at the nodes of a sentinel or cluster. */
  readonly username?: string
  /** The password at the nodes of a sentinel or cluster. */
  readonly password?: string
  /** TLS to the nodes of a sentinel or cluster, or its options for a `rediss://` URL, such as `ca`. */
  readonly tls?: boolean | ConnectionOptions
}

/** Time for a TCP connection, in ms. */
const CONNECT_MS = 2_000
/** The longest wait before a reconnect, in ms. */
const MAX_RECONNECT_MS = 500
/** Time for the commands of a connection that was replaced: longer than their deadline. */
const DRAIN_MS = 1_000

/** A client of one Redis, a sentinel or a cluster. */
interface Client {
  connect(): Promise<unknown>
  destroy(): unknown
  on(event: 'error', listener: (error: unknown) => void): unknown
}

/** How one kind of deployment is reached. */
interface Deployment<C extends Client> {
  create(options: { readonly reconnect: boolean }): C
  send(client: C, key: string, args: readonly string[]): Promise<RedisReply>
  nodeOf?(client: C, key: string): string
  /** Connects to nodes that `connect` leaves out. */
  connectAll?(client: C): Promise<unknown>
}

/**
 * Connects with `@redis/client`.
 *
 * @param onError - gets the errors of connections, which are repaired without help
 */
export function connectTo(address: RedisAddress, onError: (error: unknown) => void): RedisConnection {
  if (address.cluster !== undefined) return new NodeRedis(clusterOf(address, address.cluster), onError)
  if (address.sentinel !== undefined) return new NodeRedis(sentinelOf(address, address.sentinel), onError)
  return new NodeRedis(single(address), onError)
}

interface Opened<C> {
  readonly client: C
  readonly connected: Promise<unknown>
  /** Whether `connected` has resolved. */
  isConnected: boolean
}

class NodeRedis<C extends Client> implements RedisConnection {
  readonly #deployment: Deployment<C>
  readonly #onError: (error: unknown) => void
  #current: Opened<C> | undefined
  /** Replaces the current one when it is connected. */
  #next: Opened<C> | undefined

  constructor(deployment: Deployment<C>, onError: (error: unknown) => void) {
    this.#deployment = deployment
    this.#onError = onError
  }

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
    if (this.#next !== undefined) return
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
    // The former client serves until then: other nodes of a cluster may still reply.
    void settle()
  }

  async close(): Promise<void> {
    for (const opened of [this.#current, this.#next]) if (opened !== undefined) destroy(opened.client)
    this.#current = undefined
    this.#next = undefined
  }

  #replace(next: Opened<C>): void {
    // Closed meanwhile.
    if (this.#next !== next) return destroy(next.client)
    const former = this.#current
    this.#current = next
    if (former !== undefined) setTimeout(() => destroy(former.client), DRAIN_MS).unref()
  }

  #open(options: { readonly reconnect: boolean }): Opened<C> {
    const client = this.#deployment.create(options)
    client.on('error', this.#onError)
    const opened: Opened<C> = { client, connected: client.connect(), isConnected: false }
    opened.connected.then(
      () => {
        opened.isConnected = true
      },
      // Each command that waits for it rejects.
      () => {
        if (this.#current === opened) this.#current = undefined
      },
    )
    return opened
  }

  async #send(client: C, key: string, args: readonly string[]): Promise<RedisReply> {
    try {
      return await this.#deployment.send(client, key, args)
    } catch (error) {
      throw error instanceof ErrorReply ? new RedisReplyError(error.message) : error
    }
  }
}

/** Ends all connections of a client, even one that is not connected yet. */
function destroy(client: Client): void {
  // A cluster or sentinel that is still connecting may reject or throw.
  void (async () => client.destroy())().catch(() => {})
}

/**
 * The defaults of version 6 differ from these. The stores set their own deadlines, since the client's deadline ends when
 * a command is written. A command that was not sent must not be sent later.
 */
const NODE = {
  maintNotifications: 'disabled',
  disableOfflineQueue: true,
  commandsQueueMaxLength: 4_000,
} as const

const COMMANDS = { commandOptions: { timeout: undefined } } as unknown as Record<string, never>

const socketOf = (
  reconnect: boolean,
): { connectTimeout: number; reconnectStrategy: false | ((n: number) => number) } => ({
  connectTimeout: CONNECT_MS,
  reconnectStrategy: reconnect && ((retries) => Math.min(50 * 2 ** retries, MAX_RECONNECT_MS)),
})

const tlsOf = (tls: RedisAddress['tls']): object =>
  tls === undefined || tls === false ? {} : { tls: true, ...(typeof tls === 'object' && tls) }

const credentialsOf = ({ username, password }: RedisAddress): { username?: string; password?: string } => ({
  ...(username !== undefined && { username }),
  ...(password !== undefined && { password }),
})

function single(address: RedisAddress): Deployment<ReturnType<typeof createClient>> {
  const { url = '' } = address
  return {
    create: ({ reconnect }) =>
      createClient({
        ...NODE,
        RESP: 2,
        ...COMMANDS,
        ...credentialsOf(address),
        url,
        // The client's types know a socket with TLS, or one without: the URL decides.
        socket: { ...socketOf(reconnect), ...(typeof address.tls === 'object' && address.tls) } as object,
      }) as unknown as ReturnType<typeof createClient>,
    send: (client, _, args) => client.sendCommand<RedisReply>(args),
  }
}

function clusterOf(
  address: RedisAddress,
  urls: readonly string[],
): Deployment<ReturnType<typeof createCluster>> {
  return {
    create: ({ reconnect }) =>
      createCluster({
        RESP: 2,
        ...COMMANDS,
        rootNodes: urls.map((url) => ({ url })),
        // A node that does not reply would stop the others from being used.
        minimizeConnections: true,
        defaults: {
          ...NODE,
          ...credentialsOf(address),
          socket: { ...socketOf(reconnect), ...tlsOf(address.tls) },
        },
      }) as unknown as ReturnType<typeof createCluster>,
    send: (client, key, args) => client.sendCommand<RedisReply>(key, false, [...args]),
    nodeOf: (client, key) => client.slots[slotOf(key)]?.master?.address ?? '',
    connectAll: (client) => Promise.all(client.masters.map((master) => client.nodeClient(master))),
  }
}

function sentinelOf(
  address: RedisAddress,
  { name, urls }: NonNullable<RedisAddress['sentinel']>,
): Deployment<ReturnType<typeof createSentinel>> {
  const nodes = urls.map((url) => new URL(url))
  const [first] = nodes
  const sentinelCredentials = {
    ...(first?.username && { username: decodeURIComponent(first.username) }),
    ...(first?.password && { password: decodeURIComponent(first.password) }),
  }
  return {
    create: ({ reconnect }) =>
      createSentinel({
        name,
        RESP: 2,
        ...COMMANDS,
        sentinelRootNodes: nodes.map(({ hostname, port }) => ({
          host: hostname,
          port: Number(port || 26_379),
        })),
        sentinelClientOptions: {
          maintNotifications: 'disabled',
          ...sentinelCredentials,
          socket: { ...socketOf(true), ...(first?.protocol === 'rediss:' && tlsOf(address.tls ?? true)) },
        },
        nodeClientOptions: {
          ...NODE,
          ...credentialsOf(address),
          socket: { ...socketOf(reconnect), ...tlsOf(address.tls) },
        },
        // A failover that no message announced.
        scanInterval: 2_000,
        passthroughClientErrorEvents: true,
      }) as unknown as ReturnType<typeof createSentinel>,
    send: (client, _, args) => client.sendCommand<RedisReply>(false, [...args]),
  }
}
