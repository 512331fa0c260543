import type { JsonValue } from '../../protocol/jsonrpc.ts'
import { sendSurely } from '../../stores/nodes.ts'
import type { SessionKey } from '../../stores/session-store.ts'
import type { SharedStores } from '../../stores/shared-stores.ts'
import type { Clock } from '../../util/clock.ts'
import type { Logger } from '../../util/logger.ts'
import { attempt, type Awaitable } from '../../util/promises.ts'
import type { Random } from '../../util/random.ts'
import { readMail, type ReceivedMail, type SessionMail, toMessage } from './session-mail.ts'

/** The topic of messages for all nodes. */
const TOPIC = 'sessions'

interface PeersOptions {
  readonly shared: SharedStores
  readonly clock: Clock
  readonly random: Random
  readonly logger: Logger
}

/**
 * Exchanges messages with the other nodes that serve a mount's sessions. Joins them when the first session is
 * opened.
 */
export class Peers {
  /** Handles messages about sessions, including sessions that this node does not have. */
  onMail: (received: ReceivedMail) => void = () => {}
  readonly clock: Clock
  readonly random: Random
  readonly #shared: SharedStores
  readonly #logger: Logger
  readonly #release: () => Awaitable<void>
  #joining: Promise<void> | undefined
  #joined = false
  #leave: (() => Awaitable<void>) | undefined
  #unsubscribe: (() => void) | undefined

  constructor({ shared, clock, random, logger }: PeersOptions) {
    this.#shared = shared
    this.clock = clock
    this.random = random
    this.#logger = logger
    this.#release = shared.acquire()
  }

  /** The id of this node. */
  get id(): string {
    return this.#shared.nodes.id
  }

  /** Announces this node to the others. Returns undefined if this node has already joined them. */
  ready(): Promise<void> | undefined {
    if (this.#joined) return undefined
    this.#joining ??= this.#join().finally(() => {
      this.#joining = undefined
    })
    return this.#joining
  }

  /** Sends a message to one node. Resolves to false if that node has stopped or cannot be reached. */
  send(node: string, key: SessionKey, mail: SessionMail): Awaitable<boolean> {
    return attempt(() => this.#shared.nodes.send(node, toMessage(key, this.id, mail)), this.#notSent(mail))
  }

  /** Like {@link sendSurely}, but resolves to false if the node may not have received the message. */
  sendSurely(node: string, key: SessionKey, mail: SessionMail): Awaitable<boolean> {
    const message = toMessage(key, this.id, mail)
    return attempt(() => sendSurely(this.#shared.nodes, this.clock, node, message), this.#notSent(mail))
  }

  /** Sends a message to all other nodes. Resolves to false if the message may not arrive. */
  async broadcast(key: SessionKey, mail: SessionMail): Promise<boolean> {
    const message = toMessage(key, this.id, mail) as JsonValue
    const sent = attempt(() => this.#shared.bus.publish(TOPIC, message), this.#notSent(mail))
    return (await sent) !== false
  }

  alive(nodes: readonly string[]): Awaitable<readonly boolean[]> {
    return this.#shared.nodes.alive(nodes)
  }

  /** Leaves the other nodes, and stops using the shared stores. */
  async close(): Promise<void> {
    try {
      await this.#joining
      this.#unsubscribe?.()
      await this.#leave?.()
      this.#joined = false
    } catch (error) {
      this.#logger.error({ err: error }, 'A node could not leave the others. Its lease expires')
    } finally {
      await this.#release()
    }
  }

  #notSent({ kind }: SessionMail): (error: unknown) => boolean {
    return (error) => {
      this.#logger.error({ err: error, kind }, 'Another node could not be reached')
      return false
    }
  }

  async #join(): Promise<void> {
    const receive = (message: unknown): void => {
      const received = readMail(message)
      if (received !== undefined && received.from !== this.id) this.onMail(received)
    }
    this.#unsubscribe ??= this.#shared.bus.subscribe(TOPIC, receive)
    // Joining is the last step, because it may also wait until the bus can deliver messages.
    this.#leave = await this.#shared.nodes.join(receive)
    this.#joined = true
  }
}
