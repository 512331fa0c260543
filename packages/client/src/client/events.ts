import {
  isObject,
  type JsonObject,
  type JsonRpcNotification,
  type LogLevel,
  Notification,
} from '@jetway/core/protocol'
import type { TransportClose } from '../transport/client-transport.ts'
import type { Emitter } from '../util/emitter.ts'

/** The events of a client, and the values that their listeners receive. */
export interface ClientEvents {
  /** Every notification except progress, which goes to `onProgress`. */
  readonly notification: JsonRpcNotification
  /** A log message from the server, or from this client itself, with the logger `@jetway/client`. */
  readonly log: { readonly level: LogLevel; readonly logger?: string; readonly data: unknown }
  readonly toolsChanged: undefined
  readonly promptsChanged: undefined
  readonly resourcesChanged: undefined
  /** A resource with a subscription, or a part of that resource, has changed. */
  readonly resourceUpdated: { readonly uri: string }
  readonly elicitationComplete: { readonly elicitationId: string }
  /** Notifications may have been missed: a session or a subscription was opened or reopened. */
  readonly changesMissed: undefined
  /** A failure that no call can report: an invalid message, a failed handler or an omitted tool. */
  readonly error: Error
  /** The connection has ended. Emitted once for each connection. */
  readonly close: TransportClose
}

/** An event listener. If it throws or rejects, the error is emitted as an `error` event. */
export type ClientListener<E extends keyof ClientEvents> = (event: ClientEvents[E]) => void | Promise<void>

/** Emits `notification`, and the event for its method. `isOpen` returns whether an elicitation is open. */
export function emitNotification(
  events: Emitter<ClientEvents>,
  message: JsonRpcNotification,
  isOpen: (elicitationId: string) => boolean,
): void {
  events.emit('notification', message)
  const { method, params = {} } = message
  const { uri, elicitationId } = params
  const list = LIST_CHANGES.get(method)
  if (list !== undefined) events.emit(list, undefined)
  else if (method === Notification.ResourceUpdated && typeof uri === 'string')
    events.emit('resourceUpdated', { uri })
  else if (method === Notification.ElicitationComplete && typeof elicitationId === 'string') {
    if (isOpen(elicitationId)) events.emit('elicitationComplete', { elicitationId })
  } else if (method === Notification.Message && isLog(params)) events.emit('log', params)
}

const LIST_CHANGES: ReadonlyMap<string, 'toolsChanged' | 'promptsChanged' | 'resourcesChanged'> = new Map([
  [Notification.ToolsListChanged, 'toolsChanged'],
  [Notification.PromptsListChanged, 'promptsChanged'],
  [Notification.ResourcesListChanged, 'resourcesChanged'],
])

const isLog = (params: JsonObject): params is JsonObject & ClientEvents['log'] =>
  isObject(params) && typeof params['level'] === 'string' && 'data' in params
