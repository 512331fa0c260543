import type { JsonObject } from '../protocol/jsonrpc.ts'
import type { Awaitable } from '../util/promises.ts'
import type { Clock } from '../util/clock.ts'
import { retried } from '../util/timers.ts'

/** Receives the messages that other nodes send to this one. Must not throw. */
export type NodeListener = (message: JsonObject) => void

/** The processes of one deployment, which send each other small messages. */
export interface Nodes {
  /**
   * The id of this process: at most 32 letters, digits, `-` and `_`. A restarted process has a new id.
   */
  readonly id: string
  /**
   * Joins the other nodes. This node leaves them again when the last listener is removed. Each listener
   * receives every message, in the order in which it was sent. Resolves when the other nodes consider this
   * node alive.
   *
   * @returns a function that removes the listener, so that it receives no further messages
   */
  join(listener: NodeListener): Awaitable<() => Awaitable<void>>
  /**
   * Sends a message to a node, which may also be this node. Resolves to false if that node has stopped. The
   * message is delivered at most once.
   */
  send(node: string, message: JsonObject): Awaitable<boolean>
  /**
   * Returns the nodes that are running. A node that stops without announcing it counts as running for a few
   * more seconds. A node whose state is unknown, for example shortly after a reconnect, also counts as
   * running, because another node's work must not be taken over by mistake.
   */
  alive(nodes: readonly string[]): Awaitable<readonly boolean[]>
}

/**
 * Sends a message to a node. Retries for 3 s while sending fails or the node's inbox is full. The node may
 * receive the message more than once.
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
