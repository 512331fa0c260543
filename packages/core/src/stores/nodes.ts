import type { JsonObject } from '../protocol/jsonrpc.ts'
import type { Awaitable } from '../util/promises.ts'
import { type Random, randomToken, secureRandom } from '../util/random.ts'

/** Gets the messages that other nodes send to this one. Must not throw. */
export type NodeListener = (message: JsonObject) => void

/** The processes of one deployment, which send each other small messages. */
export interface Nodes {
  /**
   * This process, in this life: letters, digits, `-` and `_`, at most 32. A process that
   * starts again has another id.
   */
  readonly id: string
  /**
   * Takes part, for as long as one listener is left. Each listener gets every message, in the order of its
   * sender. Resolves when the other nodes see this one as alive.
   *
   * @returns the function that removes the listener; afterwards no message arrives there
   */
  join(listener: NodeListener): Awaitable<() => Awaitable<void>>
  /**
   * Sends a message to a node, this one included. Resolves to false if that node is
   * gone. Delivers at most once.
   */
  send(node: string, message: JsonObject): Awaitable<boolean>
  /**
   * Which of some nodes run. A node that stops without a word counts as running for a few seconds more.
   * Says true where it does not know, such as shortly after a reconnect: work that another node does must
   * not be taken over by mistake.
   */
  alive(nodes: readonly string[]): Awaitable<readonly boolean[]>
}

/** Options of {@link MemoryNodes}. */
export interface MemoryNodesOptions {
  /**
   * The nodes that this one reaches, by id. Nodes with the same map reach each other.
   *
   * @default this one alone
   */
  readonly network?: Map<string, NodeListener>
  readonly random?: Random
}

/** Characters, of six random bits each. */
const ID_LENGTH = 10

/** A node that reaches others of the same process, for tests, or none. */
export class MemoryNodes implements Nodes {
  readonly #network: Map<string, NodeListener>
  readonly #listeners = new Set<NodeListener>()
  readonly #random: Random
  #id: string | undefined

  constructor({ network = new Map(), random = secureRandom }: MemoryNodesOptions = {}) {
    this.#network = network
    this.#random = random
  }

  /** Made on first use: Workers have no random numbers before their first request. */
  get id(): string {
    return (this.#id ??= randomToken(ID_LENGTH, this.#random))
  }

  join(listener: NodeListener): () => void {
    // Wrapped, so that a listener that joins twice is called and removed twice.
    const entry: NodeListener = (message) => listener(message)
    this.#listeners.add(entry)
    this.#network.set(this.id, (message) => this.#receive(message))
    return () => {
      if (this.#listeners.delete(entry) && this.#listeners.size === 0) this.#network.delete(this.id)
    }
  }

  send(node: string, message: JsonObject): boolean {
    const receive = this.#network.get(node)
    if (receive === undefined) return false
    // Later, as from another process: the sender must not run the receiver's code.
    // A copy, for the same reason.
    const copy = structuredClone(message)
    queueMicrotask(() => receive(copy))
    return true
  }

  alive(nodes: readonly string[]): readonly boolean[] {
    return nodes.map((node) => this.#network.has(node))
  }

  #receive(message: JsonObject): void {
    for (const listener of this.#listeners) listener(message)
  }
}
