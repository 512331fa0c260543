import { checkNames, type OptionNames, UsageError } from '@jetway/core/protocol'
import {
  type Logger,
  safeLogger,
  type SharedStats,
  type SharedStores,
  stderrLogger,
} from '@jetway/core/stores'
import { Commands } from './commands/commands.ts'
import { type RedisConnection, RedisReplyError, withDeadline } from './connection/connection.ts'
import { checkUrls, type RedisAddress } from './connection/deployments.ts'
import { connectTo } from './connection/node-redis.ts'
import { Keys } from './keys.ts'
import { RedisBus } from './stores/bus.ts'
import { type RedisEventLimits, RedisEventStore } from './stores/event-store.ts'
import { MessageReader } from './stores/message-reader.ts'
import { RedisNodes } from './stores/nodes.ts'
import { RedisSessionStore } from './stores/session-store.ts'
import { type RedisTaskLimits, RedisTaskStore } from './stores/task-store.ts'
import { type RedisUsedStateLimits, RedisUsedStates } from './stores/used-states.ts'

/** The options of {@link redis}. Set exactly one of `url`, `sentinel`, `cluster` and `connection`. */
export interface RedisOptions extends RedisAddress {
  /** A connection through another client, such as the result of `fromIoredis`. */
  readonly connection?: RedisConnection
  /** Separates deployments that use the same Redis: 1 to 32 lower-case letters, digits and hyphens. */
  readonly namespace: string
  /** The limits on the events that clients can resume from. */
  readonly events?: RedisEventLimits
  /** The limits on tasks, which all nodes share. */
  readonly tasks?: RedisTaskLimits
  /** The limits on used states, for `requestState.singleUse`. */
  readonly usedStates?: RedisUsedStateLimits
  /** The logger for Redis failures and recoveries. @default writes warnings and errors to stderr */
  readonly logger?: Logger
}

/** The stores of one process, for the `shared` option of servers and mounts. */
export interface RedisStores extends SharedStores {
  /**
   * Connects, and checks the version of Redis. Resolves when this process can receive messages from other
   * nodes. Calling this method is optional: the stores connect on first use, and recover when Redis does.
   *
   * @throws an error if Redis cannot be reached within 3 s, or is older than 6.2
   */
  ready(): Promise<void>
  stats(): SharedStats
}

const NAMESPACE = /^[a-z0-9-]{1,32}$/
const READY_MS = 3_000
const READ_REFUSED = 'Redis refuses to read the messages of other processes. The read is repeated'

const NAMES: OptionNames<RedisOptions> = {
  url: 1,
  sentinel: { name: 1, urls: 1 },
  cluster: 1,
  username: 1,
  password: 1,
  tls: 1,
  connection: 1,
  namespace: 1,
  events: { maxEvents: 1, maxBytes: 1, maxFinalBytes: 1, ttlMs: 1, maxStreamsPerSession: 1 },
  tasks: { max: 1, maxPerOwner: 1, maxBytes: 1 },
  usedStates: { maxPerPrincipal: 1 },
  logger: 1,
}

/**
 * Creates the stores that all processes of a deployment share. They connect on first use, and close with the
 * last server or mount that uses them.
 *
 * @throws `ERR_MCP_OPTION` for an invalid option
 */
export function redis(options: RedisOptions): RedisStores {
  check(options)
  const { namespace } = options
  const logger = safeLogger(options.logger ?? stderrLogger)
  const failed = (error: unknown): void => logger.debug({ err: error }, 'A connection to Redis failed')
  const connection = options.connection ?? connectTo(options, failed)
  const keys = new Keys(namespace)
  const listenerFailed = (error: unknown): void =>
    logger.error({ err: error }, 'A listener of the bus failed')
  const readFailed = (error: unknown, isFirst: boolean): void => {
    if (isFirst && error instanceof RedisReplyError) logger.warn({ err: error }, READ_REFUSED)
    else failed(error)
  }
  const reader = new MessageReader(connection, readFailed, listenerFailed)
  const commands = new Commands(connection, logger, () => reader.reconnect())
  const nodes = new RedisNodes(commands, keys, reader)
  const bus = new RedisBus(commands, reader, { key: keys.bus, node: nodes.id, onError: listenerFailed })
  const events = new RedisEventStore(commands, keys, options.events)
  let uses = 0
  const close = async (): Promise<void> => {
    // The reader must be closed first. Otherwise, it would open another connection for the remaining streams.
    reader.close()
    bus.close()
    await nodes.close()
    events.close()
    await connection.close()
  }
  return {
    sessions: new RedisSessionStore(commands, keys),
    events,
    tasks: new RedisTaskStore(commands, keys, options.tasks),
    bus,
    nodes,
    usedStates: new RedisUsedStates(commands, keys, options.usedStates),
    forServer: (name) => ({
      bus: bus.forServer(name),
      tasks: new RedisTaskStore(commands, keys, options.tasks, name),
    }),
    acquire: () => {
      if (uses++ === 0) connection.open?.()
      let released = false
      return async () => {
        if (released) return
        released = true
        if (--uses === 0) await close()
      }
    },
    ready: async () => {
      await connect(connection, keys, logger)
      await withDeadline(reader.ready(), READY_MS, connection)
    },
    stats: () => ({ available: commands.available, inFlight: commands.inFlight, unsent: bus.unsent }),
  }
}

function check(options: RedisOptions): void {
  checkNames(options, NAMES)
  checkUrls(options)
  const { url, sentinel, cluster, connection, namespace } = options
  if ([url, sentinel, cluster, connection].filter((one) => one !== undefined).length !== 1)
    throw new UsageError('ERR_MCP_OPTION', 'Set one of url, sentinel, cluster and connection')
  if (typeof namespace !== 'string' || !NAMESPACE.test(namespace))
    throw new UsageError(
      'ERR_MCP_OPTION',
      'The option namespace must be 1 to 32 lower-case letters, digits and hyphens, such as "prod"',
    )
}

/** Checks that Redis supports the commands of version 6.2, and warns if it may drop keys. */
async function connect(connection: RedisConnection, keys: Keys, logger: Logger): Promise<void> {
  await withDeadline(connection.connect?.() ?? Promise.resolve(), READY_MS, connection)
  const send = async (key: string, args: readonly string[]): Promise<string> =>
    String(await withDeadline(connection.command(key, args), READY_MS, connection))
  const none = keys.session('none')
  try {
    await send(none, ['GETEX', none])
  } catch (error) {
    if (!/unknown command/i.test(String(error))) throw error
    throw new Error('This Redis is too old. Use 6.2 or newer, or Valkey', { cause: error })
  }
  // An ACL user may lack permission for INFO, which Redis classifies as a dangerous command.
  const info = await send(keys.bus, ['INFO', 'memory']).catch(() => '')
  const policy = /maxmemory_policy:(\S+)/.exec(info)?.[1] ?? 'noeviction'
  const limit = /maxmemory:(\d+)/.exec(info)?.[1] ?? '0'
  if (limit !== '0' && policy !== 'noeviction')
    logger.warn(
      { policy },
      'Redis may drop sessions when its memory is full. Set maxmemory-policy noeviction',
    )
}
