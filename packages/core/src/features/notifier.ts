import { usageError } from '../errors.ts'
import { isObject, type JsonObject, type JsonValue } from '../protocol/jsonrpc.ts'
import type { ExtensionTable } from '../call/extension.ts'
import { createLogSender, type LogSender } from '../call/log.ts'
import { isJsonFaithful } from '../schema/validate/json-faithful.ts'
import { describeLoss } from '../schema/validate/json-losses.ts'
import type { ChangeEvent } from '../stores/bus.ts'

type Publish = (event: ChangeEvent) => void

/**
 * Notifies clients outside a call: either all clients of a server, on every node that shares its `bus`, or
 * one session's client. A client receives a notification only if its revision, capabilities and subscriptions
 * allow it.
 */
export class Notifier {
  readonly #publish: Publish
  readonly #added: ExtensionTable

  /** @internal */
  constructor(publish: Publish, added: ExtensionTable) {
    this.#publish = publish
    this.#added = added
  }

  /**
   * Reports that the list of tools has changed for a reason that the server cannot see, such as the state that
   * a `visible` rule reads. `addTool` and similar methods notify clients themselves.
   */
  toolsChanged(): void {
    this.#publish({ kind: 'tools' })
  }

  /**
   * Reports that the list of resources or templates has changed, for example because the `list` of a template
   * now returns other resources. See {@link toolsChanged}.
   */
  resourcesChanged(): void {
    this.#publish({ kind: 'resources' })
  }

  /** Reports that the list of prompts has changed. See {@link toolsChanged}. */
  promptsChanged(): void {
    this.#publish({ kind: 'prompts' })
  }

  /**
   * Tells the subscribed clients that a resource has changed. Clients that have subscribed to the containing resource
   * (`within`) are also notified.
   *
   * @see https://modelcontextprotocol.io/specification/2026-07-28/server/resources#subscriptions
   */
  resourceUpdated(uri: string, { within }: { readonly within?: string } = {}): void {
    this.#publish(within === undefined ? { kind: 'resource', uri } : { kind: 'resource', uri, within })
  }

  /**
   * Sends an extension's notification to the extension's clients. A session receives it if its client has
   * declared the extension, or if the extension serves all clients. A client that uses 2026-07-28 must also
   * request it, with the extension's id as a key in `subscriptions/listen`.
   *
   * @throws `ERR_MCP_OPTION` for a notification that the server's extension does not list, or params that
   * JSON does not reproduce
   */
  extension(id: string, method: string, params: JsonObject = {}): void {
    const fault = (problem: string): Error => usageError('ERR_MCP_OPTION', `notify.extension: ${problem}`)
    if (this.#added.notices.get(id)?.methods.has(method) !== true)
      throw fault(
        `this server has no extension ${JSON.stringify(id)} with the notification ${JSON.stringify(method)}; list it in the extension's notifications`,
      )
    if (!isObject(params) || !isJsonFaithful(params))
      throw fault(
        `the params of ${method} must be an object that JSON carries as it is${describeLoss(params)}`,
      )
    this.#publish({ kind: 'extension', id, method, params })
  }
}

/** Sends log messages to the sessions whose clients have set the same or a lower level. */
export const logTo = (publish: Publish): LogSender =>
  createLogSender((level, data, logger) =>
    publish({ kind: 'log', level, data: toJson(data), ...(typeof logger === 'string' && { logger }) }),
  )

/**
 * Converts data to JSON, or to a placeholder if the conversion fails, because a log call must not make its
 * caller fail.
 */
function toJson(data: unknown): JsonValue {
  try {
    return JSON.parse(JSON.stringify(data) ?? 'null') as JsonValue
  } catch {
    return '[data that cannot be serialised]'
  }
}
