import type { JsonObject } from '@jetway/core/protocol'
import type { Connected } from './connecting.ts'
import type { Ask } from './conversation/conversation.ts'
import type { Side } from './eras/side.ts'
import { ClientError } from './errors.ts'
import { checkType } from './features/results.ts'
import type { RequiredUrls } from './features/required-urls.ts'
import { inRounds } from './features/rounds.ts'
import { type ClientOptions, DEFAULTS, type RequestOptions } from './options.ts'

export interface RequestsOptions {
  readonly options: ClientOptions
  /** @throws ClientError where there is no connection */
  readonly connected: () => Connected
  readonly answer: (method: string, params: JsonObject, signal: AbortSignal) => Promise<JsonObject>
  readonly urls: RequiredUrls
}

/** Requests with the limits of the client, as features send them. */
export class Requests {
  readonly #options: RequestsOptions

  constructor(options: RequestsOptions) {
    this.#options = options
  }

  get side(): Side {
    return this.#options.connected().side
  }

  /** Whether what is sent repeats parts of itself in headers. */
  get hasHeaders(): boolean {
    const { conversation, side } = this.#options.connected()
    return conversation.transport.perRequest && side.revision.parameterHeaders
  }

  /**
   * @throws ClientError `not-offered`
   * @see https://modelcontextprotocol.io/specification/2025-06-18/basic/lifecycle#operation
   */
  offered(capability: 'tools' | 'prompts' | 'resources' | 'logging'): void {
    this.#require(this.side.server.capabilities[capability] !== undefined, capability)
  }

  offeredSubscriptions(): void {
    const { resources } = this.side.server.capabilities
    this.#require(resources?.subscribe === true, 'subscriptions to resources')
  }

  #require(offered: boolean, what: string): void {
    if (offered || this.#options.options.strictCapabilities === false) return
    throw new ClientError('not-offered', `The server does not say that it has ${what}`)
  }

  /** The result as it came, of whatever type. */
  send(
    method: string,
    params: JsonObject,
    { _meta, ...how }: RequestOptions & Pick<Ask, 'headers'> = {},
  ): Promise<JsonObject> {
    const { timeoutMs = DEFAULTS.timeoutMs, maxTotalMs = DEFAULTS.maxTotalMs } = this.#options.options
    const said = _meta === undefined ? params : { ...params, _meta }
    return this.side.request(method, Object.keys(said).length === 0 ? undefined : said, {
      timeoutMs,
      maxTotalMs,
      ...how,
    })
  }

  /** A complete result. */
  async ask(method: string, params: JsonObject, options?: RequestOptions): Promise<JsonObject> {
    return this.#known(method, await this.send(method, params, options))
  }

  /** A complete result, or a task, after as many rounds of questions as it takes. */
  async inRounds(
    method: string,
    params: JsonObject,
    options: RequestOptions = {},
    headers?: Readonly<Record<string, string>>,
  ): Promise<JsonObject> {
    const { answer, urls, options: client } = this.#options
    const { signal } = options
    const { revision } = this.side
    const result = await inRounds({
      method,
      revision,
      maxRounds: client.maxRounds ?? DEFAULTS.maxRounds,
      send: (extra) =>
        urls.around(() => this.send(method, { ...params, ...extra }, { ...options, headers }), {
          method,
          revision,
          signal,
        }),
      answer,
      signal,
    })
    return this.#known(method, result, 'task')
  }

  /** Servers of sessions may use the member for what they like. */
  #known(method: string, result: JsonObject, also?: string): JsonObject {
    return this.side.revision.rounds === undefined ? result : checkType(method, result, also)
  }
}
