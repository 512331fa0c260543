import type { JsonObject } from '../protocol/jsonrpc.ts'
import { type Random, randomToken, secureRandom } from '../util/random.ts'
import type { NodeListener, Nodes } from './nodes.ts'

/** Options of {@link MemoryNodes}. */
export interface MemoryNodesOptions {
  /**
   * The nodes that this one can reach, by id. Nodes with the same map reach each other.
   *
   * @default this one alone
   */
  readonly network?: Map<string, NodeListener>
  readonly random?: Random
}

/** The length of an id, in characters of six random bits each. */
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

  /** Created on first use, because Workers have no random numbers before their first request. */
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
    // Delivered later, as from another process, because the sender must not run the receiver's code. Copied for
    // the same reason.
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
