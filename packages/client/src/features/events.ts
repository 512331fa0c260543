import {
  isObject,
  type JsonObject,
  type JsonRpcNotification,
  type LogLevel,
  Notification,
} from '@jetway/core/protocol'
import type { TransportClose } from '../transport/client-transport.ts'

/** What a client tells its host. */
export interface ClientEvents {
  /** Every notification of the server, but for progress, which has its own callback. */
  readonly notification: JsonRpcNotification
  readonly log: { readonly level: LogLevel; readonly logger?: string; readonly data: unknown }
  readonly toolsChanged: undefined
  readonly promptsChanged: undefined
  readonly resourcesChanged: undefined
  /** A resource that was subscribed to, or one inside it. */
  readonly resourceUpdated: { readonly uri: string }
  readonly elicitationComplete: { readonly elicitationId: string }
  /** Changes may have gone untold until now: a session was opened anew, or a subscription, the first one too. */
  readonly gap: undefined
  /** Something went wrong that no call can report: garbage, a handler's mistake, a tool that was left out. */
  readonly error: Error
  /** Once for each connection. */
  readonly close: TransportClose
}

/** Hears of one event. What it throws, or rejects with, becomes the event `error`. */
export type ClientListener<E extends keyof ClientEvents> = (event: ClientEvents[E]) => void | Promise<void>

/** What is heard as an event of its own, beside `notification`. */
export function eventOf({
  method,
  params = {},
}: JsonRpcNotification): { readonly [E in keyof ClientEvents]?: ClientEvents[E] } | undefined {
  switch (method) {
    case Notification.ToolsListChanged:
      return { toolsChanged: undefined }
    case Notification.PromptsListChanged:
      return { promptsChanged: undefined }
    case Notification.ResourcesListChanged:
      return { resourcesChanged: undefined }
    case Notification.ResourceUpdated:
      return typeof params['uri'] === 'string' ? { resourceUpdated: { uri: params['uri'] } } : undefined
    case Notification.ElicitationComplete:
      return typeof params['elicitationId'] === 'string'
        ? { elicitationComplete: { elicitationId: params['elicitationId'] } }
        : undefined
    case Notification.Message:
      return isLog(params) ? { log: params } : undefined
    default:
      return undefined
  }
}

const isLog = (params: JsonObject): params is JsonObject & ClientEvents['log'] =>
  isObject(params) && typeof params['level'] === 'string' && 'data' in params
