import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createConnection, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { setTimeout as delay } from 'node:timers/promises'

export { type SlowProxy, startSlowProxy } from './redis/slow-proxy.ts'

/** The installed Redis, or a different server with the same protocol, such as Valkey. */
const SERVER = process.env['REDIS_SERVER'] ?? 'redis-server'
const SENTINEL = process.env['REDIS_SENTINEL'] ?? 'redis-sentinel'
/** How long a server may take to start, in ms. */
const START_MS = 20_000

/** A Redis process on a free port of 127.0.0.1, with its data in a temporary folder. */
export interface RedisServer {
  readonly url: string
  readonly port: number
  /** Sends one command on a new connection. Resolves to the raw reply. */
  command(...args: readonly string[]): Promise<string>
  /** Sends SIGSTOP or SIGCONT. */
  signal(signal: 'SIGSTOP' | 'SIGCONT'): void
  /** Kills the process with SIGKILL. */
  kill(): Promise<void>
  /** Starts the process again, with the same port and data. */
  restart(): Promise<void>
  /** Ends the process, and deletes its data. */
  stop(): Promise<void>
}

/** Starts Redis with additional command-line options, such as `--maxmemory 10mb`. */
export async function startRedis(...options: readonly string[]): Promise<RedisServer> {
  const port = await freePort()
  const folder = mkdtempSync(join(tmpdir(), 'jetway-redis-'))
  const base = ['--port', `${port}`, '--bind', '127.0.0.1', '--dir', folder, '--save', '']
  return startProcess(SERVER, [...base, ...options], { port, folder })
}

/** Starts a cluster of three masters without replicas. A server's `command` reaches only that server. */
export async function startRedisCluster(): Promise<readonly RedisServer[]> {
  const options = [
    '--cluster-enabled',
    'yes',
    '--cluster-node-timeout',
    '2000',
    '--cluster-require-full-coverage',
    'no',
  ]
  const servers = await Promise.all([1, 2, 3].map(() => startRedis(...options)))
  const [first] = servers
  for (const [at, server] of servers.entries()) {
    const slots = Array.from({ length: 16_384 }, (_, slot) => slot).filter((slot) => slot % 3 === at)
    await server.command('CLUSTER', 'ADDSLOTS', ...slots.map(String))
    if (first !== undefined && at > 0)
      await first.command('CLUSTER', 'MEET', '127.0.0.1', String(server.port))
  }
  await Promise.all(
    servers.map(async (server) =>
      until(async () => {
        const info = await server.command('CLUSTER', 'INFO')
        return info.includes('cluster_state:ok') && info.includes('cluster_known_nodes:3')
      }),
    ),
  )
  return servers
}

/** A master, its replica, and three sentinels that monitor them. */
export interface RedisSentinels {
  readonly name: string
  readonly urls: readonly string[]
  readonly data: readonly RedisServer[]
  /** Asks the first sentinel for the master's port. */
  master(): Promise<number>
  /** Restarts a former master. Resolves when it has all the data and could become the master again. */
  rejoin(server: RedisServer): Promise<void>
  stop(): Promise<void>
}

/**
 * Starts a master, a replica, and three sentinels. The sentinels replace a master that does not respond for 1
 * s.
 */
export async function startRedisSentinels(): Promise<RedisSentinels> {
  const name = 'jetway'
  const master = await startRedis()
  const replica = await startRedis('--replicaof', `127.0.0.1 ${master.port}`)
  const sentinels = await Promise.all([1, 2, 3].map(() => startSentinel(name, master.port)))
  const [first] = sentinels
  if (first === undefined) throw new Error('There is no sentinel')
  await until(async () => {
    const info = await first.command('INFO', 'sentinel')
    return info.includes('slaves=1,sentinels=3')
  })
  const masterPort = async (): Promise<number> => {
    const reply = await first.command('SENTINEL', 'GET-MASTER-ADDR-BY-NAME', name)
    return Number(reply.split('\r\n')[4])
  }
  return {
    name,
    urls: sentinels.map(({ url }) => url),
    data: [master, replica],
    master: masterPort,
    rejoin: async (server) => {
      await server.restart()
      // The sentinels would also make the server a replica, but only after 10 s.
      await server.command('REPLICAOF', '127.0.0.1', String(await masterPort()))
      await until(async () => (await server.command('INFO', 'replication')).includes('master_link_status:up'))
      await Promise.all(
        sentinels.map(async (sentinel) =>
          until(async () => (await sentinel.command('SENTINEL', 'REPLICAS', name)).includes('\r\nslave\r\n')),
        ),
      )
    },
    stop: async () => {
      await Promise.all([master, replica, ...sentinels].map((server) => server.stop()))
    },
  }
}

async function startSentinel(name: string, masterPort: number): Promise<RedisServer> {
  const port = await freePort()
  const folder = mkdtempSync(join(tmpdir(), 'jetway-sentinel-'))
  const file = join(folder, 'sentinel.conf')
  const lines = [
    `port ${port}`,
    'bind 127.0.0.1',
    `dir ${folder}`,
    `sentinel monitor ${name} 127.0.0.1 ${masterPort} 2`,
    `sentinel down-after-milliseconds ${name} 1000`,
    `sentinel failover-timeout ${name} 3000`,
  ]
  writeFileSync(file, `${lines.join('\n')}\n`)
  return startProcess(SENTINEL, [file, '--sentinel'], { port, folder })
}

async function startProcess(
  program: string,
  args: readonly string[],
  { port, folder }: { readonly port: number; readonly folder: string },
): Promise<RedisServer> {
  let child: ChildProcess
  let exited: Promise<unknown> = Promise.resolve()
  const killNow = (): void => void child.kill('SIGKILL')
  const start = async (): Promise<void> => {
    child = spawn(program, args, { stdio: 'ignore' })
    exited = once(child, 'exit')
    const failed = (): never => {
      throw new Error(
        `${program} does not run. Install Redis, on Debian by node .ci/redis.mjs, or name its program in REDIS_SERVER`,
      )
    }
    await Promise.race([
      until(async () => (await send(port, ['PING'])).startsWith('+PONG')),
      // `once` rejects if the program does not start.
      exited.then(failed, failed),
    ])
  }
  const kill = async (): Promise<void> => {
    killNow()
    await exited
  }
  const stop = async (): Promise<void> => {
    process.off('exit', killNow)
    await kill()
    rmSync(folder, { recursive: true, force: true })
  }
  await start()
  process.once('exit', killNow)
  return {
    url: `redis://127.0.0.1:${port}`,
    port,
    command: (...command) => send(port, command),
    signal: (signal) => void child.kill(signal),
    kill,
    restart: start,
    stop,
  }
}

/** Sends a command on a new connection. Resolves to the raw reply from Redis. */
function send(port: number, command: readonly string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    let reply = ''
    const socket = createConnection(port, '127.0.0.1')
    socket.setEncoding('utf8').on('data', (text: string) => void (reply += text))
    socket.on('error', reject).on('close', () => resolve(reply))
    // Redis replies to QUIT and then closes the connection, so this code does not have to find the end of the
    // first reply.
    socket.end(encode(command) + encode(['QUIT']))
  })
}

const encode = (command: readonly string[]): string =>
  `*${command.length}\r\n${command.map((part) => `$${Buffer.byteLength(part)}\r\n${part}\r\n`).join('')}`

async function until(done: () => Promise<boolean>): Promise<void> {
  const deadline = Date.now() + START_MS
  for (;;) {
    if (await done().catch(() => false)) return
    if (Date.now() > deadline) throw new Error('A Redis server did not start in time')
    await delay(20)
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  await new Promise((closed) => server.close(closed))
  // A cluster node also listens on this port plus 10,000.
  return port > 55_000 ? freePort() : port
}
