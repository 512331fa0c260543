import { isObject, type JsonValue } from '../protocol/jsonrpc.ts'

/** Hears what is published on a topic, on this node and on others. */
export type BusListener = (message: JsonValue) => void

/**
 * Carries small messages between the parts of a server, and with another implementation between its nodes.
 * Delivery is at most once and in order per publisher; a listener that throws does not stop the others.
 */
export interface Bus {
  publish(topic: string, message: JsonValue): void | Promise<void>
  /** Returns the function that unsubscribes. */
  subscribe(topic: string, listener: BusListener): () => void
}

/** What a server says when something changed; sessions turn it into notifications. */
export type ChangeEvent =
  | { readonly kind: 'tools' | 'resources' | 'prompts' }
  /** Within another one, perhaps: whoever watches that hears of it too. */
  | { readonly kind: 'resource'; readonly uri: string; readonly within?: string }
  /** What happens at an address that somebody was sent to is done. */
  | { readonly kind: 'elicitation'; readonly id: string }
  /** A task of somebody has another state. What that is stands in the store, since results may be large. */
  | { readonly kind: 'task'; readonly owner: string; readonly taskId: string }

/** The topic on which a server tells of {@link ChangeEvent}s. */
export const CHANGES_TOPIC = 'changes'

/** A change event as it comes off the bus, or undefined for something else. */
export function toChangeEvent(message: unknown): ChangeEvent | undefined {
  if (!isObject(message)) return undefined
  const { kind, uri, id, within, owner, taskId } = message
  if (kind === 'tools' || kind === 'resources' || kind === 'prompts') return { kind }
  if (kind === 'elicitation' && typeof id === 'string') return { kind, id }
  if (kind === 'task' && typeof owner === 'string' && typeof taskId === 'string')
    return { kind, owner, taskId }
  if (kind !== 'resource' || typeof uri !== 'string') return undefined
  return typeof within === 'string' ? { kind, uri, within } : { kind, uri }
}
