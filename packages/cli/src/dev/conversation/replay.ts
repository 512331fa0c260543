import { isObject, type JsonObject, Method } from '@jetway/core/protocol'

/** A method with its parameters, without an id. */
export interface Call {
  readonly method: string
  readonly params?: JsonObject
}

/** The lists for which a server may announce changes. */
export type ListKind = 'tools' | 'resources' | 'prompts'

/**
 * The maximum number of subscriptions that are repeated in the next process. Further subscriptions are relayed
 * but not repeated.
 */
const MAX_SUBSCRIPTIONS = 1_024

/**
 * The state that a client has set in its session. The relay uses it to open the same session in another
 * process. In revisions without sessions, it is not needed.
 */
export class SessionReplay {
  #initialize: JsonObject | undefined
  #result: JsonObject = {}
  #level: JsonObject | undefined
  readonly #subscriptions = new Map<string, JsonObject>()

  /** The parameters of the client's `initialize`; undefined before the server has responded to it. */
  get initialize(): JsonObject | undefined {
    return this.#initialize
  }

  /** The revision that the first process chose. */
  get revision(): unknown {
    return this.#result['protocolVersion']
  }

  /** Returns whether the server declared `listChanged` for a list. */
  promises(kind: ListKind): boolean {
    const capability = this.#capabilities[kind]
    return isObject(capability) && capability['listChanged'] === true
  }

  /** Returns the names of the given capabilities that are new to the client. */
  unknownCapabilities({ capabilities }: JsonObject): readonly string[] {
    return isObject(capabilities)
      ? Object.keys(capabilities).filter((name) => !(name in this.#capabilities))
      : []
  }

  /** Records the settings in a request to which the server has responded with a result. */
  succeeded({ method, params = {} }: Call, result: JsonObject): void {
    const { uri } = params
    if (method === Method.Initialize) {
      this.#initialize = params
      this.#result = result
    } else if (method === Method.SetLogLevel) this.#level = params
    else if (method === Method.Subscribe && typeof uri === 'string') {
      if (this.#subscriptions.size < MAX_SUBSCRIPTIONS) this.#subscriptions.set(uri, params)
    } else if (method === Method.Unsubscribe && typeof uri === 'string') this.#subscriptions.delete(uri)
  }

  /** Returns the requests that repeat this session's settings in a new session. */
  settings(): readonly Call[] {
    const subscriptions = [...this.#subscriptions.values()].map((params) => ({
      method: Method.Subscribe,
      params,
    }))
    return this.#level === undefined
      ? subscriptions
      : [{ method: Method.SetLogLevel, params: this.#level }, ...subscriptions]
  }

  /** Returns the requests that repeat the settings that have changed since `settings` returned `before`. */
  settingsSince(before: readonly Call[]): readonly Call[] {
    const now = this.settings()
    const gone = before
      .filter(
        ({ method, params }) =>
          method === Method.Subscribe && !this.#subscriptions.has(String(params?.['uri'])),
      )
      .map(({ params }) => ({ method: Method.Unsubscribe, params: { uri: params?.['uri'] } }))
    const known = new Set(before.map(({ params }) => params))
    return [...gone, ...now.filter(({ params }) => !known.has(params))]
  }

  get #capabilities(): JsonObject {
    const { capabilities } = this.#result
    return isObject(capabilities) ? capabilities : {}
  }
}

/**
 * Describes the changes that a client sees only after it reconnects, because it keeps the first response to
 * `initialize`. Returns undefined if there are none.
 */
export function sessionDifference(replay: SessionReplay, result: JsonObject): string | undefined {
  if (result['protocolVersion'] !== replay.revision)
    return `The server now speaks revision ${String(result['protocolVersion'])}: the client must reconnect`
  const added = replay.unknownCapabilities(result)
  return added.length === 0
    ? undefined
    : `The client must reconnect to use the new capabilities ${added.join(', ')}`
}
