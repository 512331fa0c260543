import type { JsonObject } from '../protocol/jsonrpc.ts'
import type { Awaitable } from '../util/promises.ts'

/** Receives the messages that other nodes send to this one. Must not throw. */
export type NodeListener = (message: JsonObject) => void

/** The processes of one deployment, which send small messages to each other. */
export interface Nodes {
  /**
   * The id of this process until it stops: at most 32 letters, digits, `-` and `_`. A process that starts again
   * has another id.
   */
  readonly id: string
  /**
   * Joins the other nodes, until the last listener is removed. Each listener gets every message, in the order
   * of its sender. Resolves when the other nodes consider this one alive.
   *
   * @returns a function that removes the listener, which then gets no more messages
   */
  join(listener: NodeListener): Awaitable<() => Awaitable<void>>
  /**
   * Sends a message to a node, which may be this one. Resolves to false if that node has stopped. Delivers at
   * most once.
   */
  send(node: string, message: JsonObject): Awaitable<boolean>
  /**
   * Returns which nodes are running. A node that stops without notice counts as running for a few more seconds.
   * Returns true if it is unknown, such as shortly after a reconnect, because work of another node must not be
   * taken over by mistake.
   */
  alive(nodes: readonly string[]): Awaitable<readonly boolean[]>
}
