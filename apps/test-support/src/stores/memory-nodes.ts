import { randomBytes } from 'node:crypto'
import type { JsonObject } from '@jetway/core/protocol'
import type { NodeListener, Nodes } from '@jetway/core/stores'

/** Options of {@link MemoryNodes}. */
export interface MemoryNodesOptions {
  /**
   * The nodes that this node can reach, keyed by id. Nodes with the same map can reach each other.
   *
   * @default only this node
   */
  readonly network?: Map<string, NodeListener>
}

/** A node that reaches only other nodes in the same process, or no nodes at all. */
export class MemoryNodes implements Nodes {
  readonly id: string = randomBytes(8).toString('base64url')
  readonly #network: Map<string, NodeListener>
  readonly #listeners = new Set<NodeListener>()

  constructor({ network = new Map() }: MemoryNodesOptions = {}) {
    this.#network = network
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
