import type { Logger } from '@jetway/core/stores'
import {
  type RedisConnection,
  type RedisReply,
  RedisReplyError,
  RedisUnavailable,
  unavailable,
  withDeadline,
} from '../connection/connection.ts'
import { Circuit } from './circuit.ts'
import type { Script } from './script.ts'

/** The maximum duration of a command, in ms. */
const COMMAND_MS = 500
/** The maximum number of commands that may wait for a reply. Further commands are rejected. */
const MAX_IN_FLIGHT = 2_000

/** The error with which a former master replies after a failover, as long as the connection to it exists. */
const NOT_MASTER = /\b(READONLY|MASTERDOWN)\b/
/** The error with which Redis replies while it cannot serve any commands. */
const NOT_READY = /^(LOADING|CLUSTERDOWN|NOAUTH)\b/

/**
 * Sends commands, and limits both their duration and the number of waiting commands. Each Redis node has a
 * separate circuit.
 */
export class Commands {
  readonly #connection: RedisConnection
  readonly #logger: Logger
  readonly #onFailover: () => void
  readonly #circuits = new Map<string, Circuit>()
  #inFlight = 0

  /** @param onFailover - called if the connection leads to a former master and is therefore being replaced */
  constructor(connection: RedisConnection, logger: Logger, onFailover: () => void) {
    this.#connection = connection
    this.#logger = logger
    this.#onFailover = onFailover
  }

  get inFlight(): number {
    return this.#inFlight
  }

  /** True while every Redis node in use is replying. */
  get available(): boolean {
    return [...this.#circuits.values()].every(({ state }) => state === 'closed')
  }

  /**
   * Runs a command.
   *
   * @throws RedisUnavailable within 500 ms, or RedisReplyError if Redis replies with an error
   */
  async run(key: string, args: readonly string[]): Promise<RedisReply> {
    const node = this.#connection.nodeOf?.(key) ?? ''
    const circuit = this.#circuitOf(node)
    if (!circuit.admits(performance.now()))
      throw unavailable(
        this.#connection,
        'has failed several times in a row. Commands are refused for up to 1 s',
      )
    try {
      const reply = await this.#withDeadline(key, args)
      this.#succeeded(circuit, node)
      return reply
    } catch (error) {
      if (!(error instanceof RedisReplyError)) {
        const failure =
          error instanceof RedisUnavailable
            ? error
            : unavailable(this.#connection, 'cannot be reached', error)
        this.#failed(node, failure, circuit.fail(performance.now()))
        throw failure
      }
      if (NOT_MASTER.test(error.message)) {
        const opened = circuit.trip(performance.now())
        this.#failed(node, error, opened)
        if (opened !== undefined) this.#onFailover()
      } else if (NOT_READY.test(error.message)) this.#failed(node, error, circuit.fail(performance.now()))
      else this.#succeeded(circuit, node)
      throw error
    }
  }

  /**
   * Runs a script. `keys` must contain every key that the script uses. In a cluster, they must all be in one
   * slot.
   */
  async script(
    { source, sha1 }: Script,
    keys: readonly [string, ...string[]],
    args: readonly (string | number)[],
  ): Promise<RedisReply> {
    const rest = [String(keys.length), ...keys, ...args.map(String)]
    try {
      return await this.run(keys[0], ['EVALSHA', sha1, ...rest])
    } catch (error) {
      if (!(error instanceof RedisReplyError) || !error.message.startsWith('NOSCRIPT')) throw error
      return this.run(keys[0], ['EVAL', source, ...rest])
    }
  }

  #withDeadline(key: string, args: readonly string[]): Promise<RedisReply> {
    if (this.#inFlight >= MAX_IN_FLIGHT)
      throw new RedisUnavailable(`${MAX_IN_FLIGHT} commands wait for Redis. Try again later`)
    this.#inFlight++
    const reply = this.#connection.command(key, args)
    const settled = (): void => void this.#inFlight--
    reply.then(settled, settled)
    return withDeadline(reply, COMMAND_MS, this.#connection)
  }

  #circuitOf(node: string): Circuit {
    const known = this.#circuits.get(node)
    if (known !== undefined) return known
    // The map can be cleared at any time: healthy nodes need no entry, and some entries may be for nodes that have
    // left the cluster.
    if (this.#circuits.size > 1_000) this.#circuits.clear()
    const circuit = new Circuit()
    this.#circuits.set(node, circuit)
    return circuit
  }

  #succeeded(circuit: Circuit, node: string): void {
    if (circuit.succeed()) this.#logger.info({ redis: this.#nameOf(node) }, 'Redis replies again')
  }

  #nameOf(node: string): string | undefined {
    return node === '' ? this.#connection.address : node
  }

  #failed(node: string, error: unknown, opened: ReturnType<Circuit['fail']>): void {
    if (opened === undefined) return
    if (opened === 'opened')
      this.#logger.warn(
        { redis: this.#nameOf(node), err: error },
        'Redis does not serve commands. They are refused',
      )
    // If the peer has vanished without closing the connection, it would otherwise take minutes to notice.
    this.#connection.reset?.()
  }
}
