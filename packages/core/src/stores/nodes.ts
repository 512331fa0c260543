import type { JsonObject } from '../protocol/jsonrpc.ts'
import type { Awaitable } from '../util/promises.ts'

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
