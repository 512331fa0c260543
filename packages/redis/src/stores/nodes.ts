import { randomBytes } from 'node:crypto'
import type { JsonObject } from '@jetway/core/protocol'
import type { NodeListener, Nodes } from '@jetway/core/stores'
import type { Commands } from '../commands/commands.ts'
import { RedisReplyError } from '../connection/connection.ts'
import type { Keys } from '../keys.ts'
import { RENEW_LEASE, SEND } from '../scripts/nodes.ts'
import type { MessageReader } from './message-reader.ts'

/** How long a node that has stopped without announcing it still counts as running, in ms. */
const LEASE_MS = 5_000
const RENEW_MS = 1_500
/** How long nodes may take to renew their leases, in ms. All leases are missing after Redis has restarted. */
const DOUBT_MS = 7_000
/** The time to live of an inbox, in ms. */
const INBOX_MS = 60_000
/** The maximum number of unread messages per node. Further messages are rejected. */
const MAX_INBOX = 10_000

/** Gives each node a lease and an inbox in Redis. */
export class RedisNodes implements Nodes {
  readonly id: string = randomBytes(8).toString('base64url').slice(0, 10)
  readonly #commands: Commands
  readonly #keys: Keys
  readonly #reader: MessageReader
  readonly #listeners = new Set<NodeListener>()
  #leave: (() => void) | undefined
  #timer: NodeJS.Timeout | undefined
  /** The number of messages that have been read but not yet removed from the inbox. */
  #read = 0
  /**
   * Before this time, according to `performance.now()`, a missing lease does not prove that a node has stopped.
   */
  #doubtUntil = 0

  constructor(commands: Commands, keys: Keys, reader: MessageReader) {
    this.#commands = commands
    this.#keys = keys
    this.#reader = reader
  }

  async join(listener: NodeListener): Promise<() => Promise<void>> {
    // Each call needs a separate object, so that a listener that joins twice is also called and removed twice.
    const entry: NodeListener = (message) => listener(message)
    this.#listeners.add(entry)
    this.#start()
    try {
      await this.#renew()
    } catch (error) {
      // A Redis that is out of memory rejects the lease, but its sessions can still be read.
      if (!(error instanceof RedisReplyError)) {
        // Redis has not replied, so the caller must refuse its request soon. The next request will join again.
        this.#listeners.delete(entry)
        throw error
      }
    }
    // Wait for the first read, because a message that arrives on the bus earlier would be lost.
    await this.#reader.soon()
    return async () => {
      if (this.#listeners.delete(entry) && this.#listeners.size === 0) await this.close()
    }
  }

  async send(node: string, message: JsonObject): Promise<boolean> {
    const keys = [this.#keys.lease(node), this.#keys.inbox(node)] as const
    return (await this.#commands.script(SEND, keys, [JSON.stringify(message), MAX_INBOX, INBOX_MS])) === 1
  }

  async alive(nodes: readonly string[]): Promise<readonly boolean[]> {
    const [first, ...others] = nodes.map((node) => this.#keys.lease(node))
    if (first === undefined) return []
    const leases = await this.#commands.run(first, ['MGET', first, ...others]).catch(() => undefined)
    if (leases === undefined || performance.now() < this.#doubtUntil) return nodes.map(() => true)
    return (leases as readonly unknown[]).map((lease) => lease !== null)
  }

  #start(): void {
    if (this.#leave !== undefined) return
    const connected = (): void => {
      this.#doubtUntil = performance.now() + DOUBT_MS
      this.#renew().catch(() => {})
    }
    const inbox = { key: this.#inbox, receive: ({ d = '' }) => this.#receive(d), connected }
    this.#leave = this.#reader.read(inbox, '0-0')
    this.#timer = setInterval(() => void this.#renew().catch(() => {}), RENEW_MS).unref()
  }

  /** Stops reading, and removes this node's lease and inbox. */
  async close(): Promise<void> {
    if (this.#leave === undefined) return
    this.#leave()
    this.#leave = undefined
    clearInterval(this.#timer)
    const lease = this.#keys.lease(this.id)
    // Even if this fails, the lease will expire.
    await this.#commands.run(lease, ['UNLINK', lease, this.#inbox]).catch(() => {})
  }

  get #inbox(): string {
    return this.#keys.inbox(this.id)
  }

  async #renew(): Promise<void> {
    this.#read = 0
    const position = this.#reader.positionOf(this.#inbox)
    const keys = [this.#keys.lease(this.id), this.#inbox, this.#keys.bus] as const
    await this.#commands.script(RENEW_LEASE, keys, [LEASE_MS, INBOX_MS, position])
  }

  #receive(text: string): void {
    const message = JSON.parse(text) as JsonObject
    for (const listener of this.#listeners) this.#reader.guard(() => listener(message))
    // Messages that have been read remain in the inbox until the lease is renewed.
    if (++this.#read >= MAX_INBOX / 20) this.#renew().catch(() => {})
  }
}
