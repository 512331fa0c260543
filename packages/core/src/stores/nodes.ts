import type { JsonObject } from '../protocol/jsonrpc.ts'
import type { Awaitable } from '../util/promises.ts'
import { type Random, randomToken, secureRandom } from '../util/random.ts'
import type { Clock } from '../util/clock.ts'
import { retried } from '../util/timers.ts'

/** Receives the messages that other nodes send to this one. Must not throw. */
export type NodeListener = (message: JsonObject) => void

/** The processes of one deployment, which send small messages to each other. */
export interface Nodes {
  /**
   * The id of this process: at most 32 letters, digits, `-` and `_`. A restarted process has a new id.
   */
  readonly id: string
  /**
   * Joins the other nodes, and leaves them when the last listener is removed. Each listener gets every
   * message, in the sender's order. Resolves when the other nodes consider this one alive.
   *
   * @returns a function that removes the listener, so that it does not get further messages
   */
  join(listener: NodeListener): Awaitable<() => Awaitable<void>>
  /**
   * Sends a message to a node, which may be this one. Resolves to false if that node has stopped. The message is
   * delivered at most once.
   */
  send(node: string, message: JsonObject): Awaitable<boolean>
  /**
   * Returns which nodes are running. A node that stops without notice counts as running for a few more seconds.
   * Returns true for a node whose state is unknown, for example shortly after a reconnect, because another node's work
   * must not be taken over by mistake.
   */
  alive(nodes: readonly string[]): Awaitable<readonly boolean[]>
}

/**
 * Sends a message to a node, and retries for 3 s while that fails or the node's inbox is full. The node may receive the
 * message more than once.
 *
 * @returns false if the node has stopped
 * @throws an error if the message may not have arrived
 */
export function sendSurely(
  nodes: Nodes,
  clock: Clock,
  node: string,
  message: JsonObject,
): Awaitable<boolean> {
  const send = async (): Promise<boolean> => {
    if (await nodes.send(node, message)) return true
    if ((await nodes.alive([node]))[0] === false) return false
    throw new Error('The inbox of the node is full')
  }
  return retried(clock, send)
}

/** Options of {@link MemoryNodes}. */
export interface MemoryNodesOptions {
  /**
   * The nodes that this node can reach, by id. Nodes with the same map reach each other.
   *
   * @default only this node
   */
  readonly network?: Map<string, NodeListener>
  readonly random?: Random
}

/** The length of an id, in characters of six random bits each. */
const ID_LENGTH = 10

/** A node that reaches only other nodes in the same process (in tests), or no other node. */
export class MemoryNodes implements Nodes {
  readonly #network: Map<string, NodeListener>
  readonly #listeners = new Set<NodeListener>()
  readonly #random: Random
  #id: string | undefined

  constructor({ network = new Map(), random = secureRandom }: MemoryNodesOptions = {}) {
    this.#network = network
    this.#random = random
  }

  /** The id, created on first use because Workers have no random numbers before their first request. */
  get id(): string {
    return (this.#id ??= randomToken(ID_LENGTH, this.#random))
  }

  join(listener: NodeListener): () => void {
    // The listener is wrapped, so that a listener that joins twice is called and removed twice.
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
    // The message is copied and delivered later, as if from another process, because the sender must not run the
    // receiver's code.
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
