import { createClient, createCluster, createSentinel } from '@redis/client'
import type { ConnectionOptions } from 'node:tls'
import { UsageError } from '@jetway/core/protocol'
import type { RedisReply } from './connection.ts'
import { slotOf } from './slot.ts'

/** The address of Redis. Set exactly one of `url`, `sentinel` and `cluster`. */
export interface RedisAddress {
  /** A `redis://`, `rediss://` (TLS) or `unix://` URL, optionally with user, password and database number. */
  readonly url?: string
  /** Finds the master through Redis Sentinel. */
  readonly sentinel?: {
    /** The name of the master in the sentinels' configuration. */
    readonly name: string
    /** The URLs of some of the sentinels. The user and password from the first URL are used for all of them. */
    readonly urls: readonly string[]
  }
  /** The URLs of some of the nodes in a Redis Cluster. */
  readonly cluster?: readonly string[]
  /** The user for the nodes behind a sentinel or in a cluster. */
  readonly username?: string
  /** The password for the nodes behind a sentinel or in a cluster. */
  readonly password?: string
  /**
   * Whether to use TLS for the nodes behind a sentinel or in a cluster, or TLS options such as `ca`, which
   * also apply to `rediss://`.
   */
  readonly tls?: boolean | ConnectionOptions
}

const URL_SCHEME = /^(rediss?:\/\/|unix:)/

/** The timeout for opening a TCP connection, in ms. */
export const CONNECT_MS = 2_000
/** The maximum delay before a reconnect, in ms. */
const MAX_RECONNECT_MS = 500

/** A client for a single Redis server, a sentinel or a cluster. */
export interface Client {
  connect(): Promise<unknown>
  destroy(): unknown
  on(event: 'error' | 'connect', listener: (error: unknown) => void): unknown
}

/** Creates the clients for one kind of deployment, and sends their commands. */
export interface Deployment<C extends Client> {
  /** The address, which contains no secrets. */
  readonly address: string
  create(options: { readonly reconnect: boolean }): C
  send(client: C, key: string, args: readonly string[]): Promise<RedisReply>
  nodeOf?(client: C, key: string): string
  /** Connects to the nodes that `connect` leaves out. */
  connectAll?(client: C): Promise<unknown>
}

/**
 * Overrides defaults of `@redis/client` version 6. The stores set their own deadlines, because the client's
 * deadline covers only the time until a command is written. A command that has missed its deadline must not
 * be sent later.
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

/**
 * Checks the URLs immediately, because an invalid one would otherwise be detected only when the first request
 * connects.
 *
 * @throws `ERR_MCP_OPTION` if a URL is invalid
 */
export function checkUrls({ url, sentinel, cluster }: RedisAddress): void {
  for (const [option, urls] of [
    ['url', url === undefined ? [] : [url]],
    ['sentinel.urls', sentinel?.urls ?? []],
    ['cluster', cluster ?? []],
  ] as const)
    for (const one of urls) if (!isUrl(one)) throw wrongUrl(option)
}

function isUrl(url: unknown): boolean {
  try {
    createClient({ url: url as string })
    return typeof url === 'string' && URL_SCHEME.test(url)
  } catch {
    return false
  }
}

// The error does not repeat the URL, because it may contain a password.
const wrongUrl = (option: string): UsageError =>
  new UsageError(
    'ERR_MCP_OPTION',
    `The option ${option} needs a URL with a scheme: redis://, rediss:// or unix://, such as "redis://127.0.0.1:6379"`,
  )

/** Returns the host and port of a URL, or the path of a socket. */
function hostOf(url: string): string {
  if (url.startsWith('unix:')) return url.replace(/^unix:(\/\/)?([^/]*@)?/, '').replace(/\?.*/, '')
  const { hostname, port } = new URL(url)
  return `${hostname}:${port || 6379}`
}

export function single(address: RedisAddress): Deployment<ReturnType<typeof createClient>> {
  const { url = '' } = address
  return {
    address: hostOf(url),
    create: ({ reconnect }) =>
      createClient({
        ...NODE,
        RESP: 2,
        ...COMMANDS,
        ...credentialsOf(address),
        url,
        // The client's types distinguish between sockets with and without TLS, but only the URL determines which
        // kind is used.
        socket: { ...socketOf(reconnect), ...(typeof address.tls === 'object' && address.tls) } as object,
      }) as unknown as ReturnType<typeof createClient>,
    send: (client, _, args) => client.sendCommand<RedisReply>(args),
  }
}

export function clusterOf(
  address: RedisAddress,
  urls: readonly string[],
): Deployment<ReturnType<typeof createCluster>> {
  return {
    address: urls.map(hostOf).join(', '),
    create: ({ reconnect }) =>
      createCluster({
        RESP: 2,
        ...COMMANDS,
        rootNodes: urls.map((url) => ({ url })),
        // Otherwise, a single node that does not reply would block the use of all others.
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

export function sentinelOf(
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
    address: `${name} of the sentinels ${urls.map(hostOf).join(', ')}`,
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
        // The regular scan detects failovers that no message has announced.
        scanInterval: 2_000,
        passthroughClientErrorEvents: true,
      }) as unknown as ReturnType<typeof createSentinel>,
    send: (client, _, args) => client.sendCommand<RedisReply>(false, [...args]),
  }
}
