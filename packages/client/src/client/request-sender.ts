import type { JsonObject } from '@jetway/core/protocol'
import type { RequestSettings } from '../connection/connection.ts'
import type { Dialect } from '../dialect/dialect.ts'
import { ClientError } from '../errors.ts'
import type { ClientInput } from '../input/client-input.ts'
import { inRounds } from '../input/rounds.ts'
import type { RequestOptions, ResolvedOptions } from '../options/options.ts'
import { checkType } from './results.ts'

export class RequestSender {
  readonly options: ResolvedOptions
  readonly input: ClientInput
  readonly onError: (error: Error) => void
  readonly #dialect: () => Dialect

  /** @param dialect - returns the dialect, or throws if the client is not connected */
  constructor(input: ClientInput, dialect: () => Dialect) {
    this.input = input
    this.options = input.options
    this.onError = input.onError
    this.#dialect = dialect
  }

  get dialect(): Dialect {
    return this.#dialect()
  }

  /** Whether some parameters are copied to headers. */
  get hasHeaders(): boolean {
    const { connection, revision } = this.dialect
    return connection.transport.streamPerRequest && revision.parameterHeaders
  }

  /**
   * Throws unless the server has declared the capability.
   *
   * @throws ClientError `not-supported`
   * @see https://modelcontextprotocol.io/specification/2025-06-18/basic/lifecycle#operation
   */
  require(capability: 'tools' | 'prompts' | 'resources' | 'logging' | 'resources.subscribe'): void {
    const { capabilities } = this.dialect.server
    const declared =
      capability === 'resources.subscribe'
        ? capabilities.resources?.subscribe === true
        : capabilities[capability] !== undefined
    if (!declared && this.options.strictCapabilities)
      throw new ClientError('not-supported', `The server has not declared the capability ${capability}`)
  }

  /** Sends a request, and resolves to its unchecked result. */
  send(
    method: string,
    params: JsonObject,
    { _meta, ...settings }: RequestOptions & Pick<RequestSettings, 'headers'> = {},
  ): Promise<JsonObject> {
    const { timeoutMs, maxTotalMs } = this.options
    const sent = _meta === undefined ? params : { ...params, _meta }
    return this.dialect.request(method, Object.keys(sent).length === 0 ? undefined : sent, {
      timeoutMs,
      maxTotalMs,
      ...settings,
    })
  }

  /** Sends a request, and resolves to a result with the `resultType` `complete`. */
  async complete(method: string, params: JsonObject, options?: RequestOptions): Promise<JsonObject> {
    return this.#checked(method, await this.send(method, params, options))
  }

  /**
   * Sends a request and answers its input requests. Resolves to a result with the `resultType` `complete` or
   * `task`.
   */
  async inRounds(
    method: string,
    params: JsonObject,
    options: RequestOptions = {},
    headers?: Readonly<Record<string, string>>,
  ): Promise<JsonObject> {
    const { signal } = options
    const { revision } = this.dialect
    const result = await inRounds({
      method,
      revision,
      signal,
      maxRounds: this.options.maxRounds,
      answer: this.input.answerForCall,
      send: (extra) =>
        this.input.urls.retry(() => this.send(method, { ...params, ...extra }, { ...options, headers }), {
          method,
          revision,
          signal,
        }),
    })
    return this.#checked(method, result, 'task')
  }

  /** Checks the `resultType` of a result. In legacy revisions, any `resultType` is accepted. */
  #checked(method: string, result: JsonObject, also?: string): JsonObject {
    return this.dialect.revision.rounds === undefined ? result : checkType(method, result, also)
  }
}
