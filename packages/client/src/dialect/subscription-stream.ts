import {
  ErrorCode,
  isObject,
  isRequestId,
  type JsonObject,
  type JsonRpcNotification,
  McpError,
  Notification,
  type RequestId,
  type ServerCapabilities,
  SUBSCRIPTION_ID,
} from '@jetway/core/protocol'
import type { RequestSettings } from '../connection/connection.ts'
import { ClientError } from '../errors.ts'
import { isSameId } from '../util/ids.ts'
import { jittered } from '../util/jitter.ts'
import { toError } from '../util/promises.ts'
import type { DialectOptions, ListKind, Subscriptions } from './dialect.ts'

type SendRequest = (params: JsonObject, settings: RequestSettings) => Promise<JsonObject>

interface Stream {
  readonly filter: JsonObject
  readonly end: AbortController
  id: RequestId | undefined
  /** The filter that the server has acknowledged. */
  agreed: JsonObject | undefined
  onAgreed: ((agreed: JsonObject) => void) | undefined
}

const MAX_URIS = 1024
const FIRST_RETRY_MS = 1_000
const LAST_RETRY_MS = 30_000

/**
 * Keeps one subscription open for all notifications that the host wants. A changed filter opens a new stream
 * before the old one ends, so no notification is lost. If the server ends the stream, it is opened again.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/subscriptions
 */
export class SubscriptionStream implements Subscriptions {
  readonly #options: DialectOptions
  readonly #capabilities: ServerCapabilities
  readonly #request: SendRequest
  readonly #uris = new Set<string>()
  readonly #extensions = new Set<string>()
  #lists: ReadonlySet<ListKind> = new Set()
  #current: Stream | undefined
  #opening: Stream | undefined
  #lastUpdate: Promise<void> = Promise.resolve()
  /** The number of updates that are still running. */
  #updates = 0
  #retryTimer: unknown
  /**
   * The number of failed attempts since the last stream that delivered a notification or stayed open for at
   * least {@link
   * LAST_RETRY_MS}.
   */
  #failures = 0
  /** Whether a stream has failed since the last `changesMissed`. */
  #missed = false
  #closed = false

  constructor(options: DialectOptions, capabilities: ServerCapabilities, request: SendRequest) {
    this.#options = options
    this.#capabilities = capabilities
    this.#request = request
  }

  async subscribe(uri: string): Promise<void> {
    if (this.#uris.has(uri)) return
    if (this.#uris.size >= MAX_URIS)
      throw new RangeError(`No more than ${MAX_URIS} resource subscriptions: unsubscribe from some`)
    this.#uris.add(uri)
    try {
      await this.#update()
      const agreed: unknown = this.#current?.agreed?.['resourceSubscriptions']
      if (Array.isArray(agreed) && agreed.includes(uri)) return
      throw new ClientError('not-supported', `The server does not allow subscriptions to ${uri}`)
    } catch (error) {
      this.#uris.delete(uri)
      this.#update().catch((failed: unknown) => this.#report(failed))
      throw error
    }
  }

  async subscribeExtension(id: string): Promise<void> {
    if (this.#extensions.has(id)) return
    this.#extensions.add(id)
    try {
      await this.#update()
      if (this.#current?.agreed?.[id] === true) return
      throw new ClientError('not-supported', `The server sends this client no notifications of ${id}`)
    } catch (error) {
      this.#extensions.delete(id)
      throw error
    }
  }

  async unsubscribe(uri: string): Promise<void> {
    if (this.#uris.delete(uri)) await this.#update()
  }

  watchLists(kinds: ReadonlySet<ListKind>): void {
    const same = kinds.size === this.#lists.size && [...kinds].every((kind) => this.#lists.has(kind))
    if (same) return
    this.#lists = kinds
    this.#update().then(
      // A list that was fetched before the server acknowledged the subscription may be out of date.
      () => kinds.size > 0 && this.#current !== undefined && this.#options.onChangesMissed(),
      (error: unknown) => this.#report(error),
    )
  }

  missesChanges(kind: ListKind): boolean {
    // `changesMissed` is emitted at the end of a running update.
    if (this.#capabilities[kind]?.listChanged !== true || this.#updates > 0) return false
    return this.#current?.agreed?.[`${kind}ListChanged`] !== true
  }

  /** Returns true for acknowledgements, and for notifications on a stream that has been replaced. */
  handleNotification({ method, params = {} }: JsonRpcNotification): boolean {
    const { _meta: meta, notifications } = params
    const id: unknown = isObject(meta) ? meta[SUBSCRIPTION_ID] : undefined
    const isOf = (stream: Stream | undefined): boolean => stream?.id !== undefined && isSameId(id, stream.id)
    const stream = [this.#opening, this.#current].find(isOf)
    if (method !== Notification.Acknowledged) {
      if (stream !== undefined) this.#failures = 0
      return isRequestId(id) && stream === undefined
    }
    stream?.onAgreed?.(isObject(notifications) ? notifications : {})
    return true
  }

  close(): void {
    this.#closed = true
    this.#options.options.clock.clearTimeout(this.#retryTimer)
    for (const stream of [this.#current, this.#opening]) stream?.end.abort(new Error('The client is closed'))
  }

  /** Waits for running updates to end, and then updates the subscription with the current filter. */
  #update(): Promise<void> {
    this.#updates++
    const update = this.#lastUpdate
      .then(() => this.#replace())
      .finally(() => {
        this.#updates--
      })
    this.#lastUpdate = update.catch(() => {})
    return update
  }

  async #replace(): Promise<void> {
    if (this.#closed) return
    const filter = this.#filter()
    const old = this.#current
    if (filter !== undefined && JSON.stringify(filter) === JSON.stringify(old?.filter)) return
    this.#current = filter === undefined ? undefined : await this.#open(filter)
    old?.end.abort(new Error('The subscription has been replaced'))
    if (!this.#missed || this.#current === undefined) return
    this.#missed = false
    this.#options.onChangesMissed()
  }

  #filter(): JsonObject | undefined {
    const lists = [...this.#lists].filter((kind) => this.#capabilities[kind]?.listChanged === true).toSorted()
    const filter = {
      ...Object.fromEntries(lists.map((kind) => [`${kind}ListChanged`, true])),
      ...Object.fromEntries([...this.#extensions].map((id) => [id, true])),
      ...(this.#uris.size > 0 && { resourceSubscriptions: [...this.#uris] }),
    }
    return Object.keys(filter).length === 0 ? undefined : filter
  }

  async #open(filter: JsonObject): Promise<Stream> {
    const { clock, timeoutMs } = this.#options.options
    const end = new AbortController()
    const stream: Stream = { filter, end, id: undefined, agreed: undefined, onAgreed: undefined }
    this.#opening = stream
    const timer = clock.setTimeout(
      () => end.abort(new ClientError('timeout', `No acknowledgement within ${timeoutMs} ms`)),
      timeoutMs,
    )
    try {
      await new Promise<void>((resolve, reject) => {
        stream.onAgreed = (agreed) => {
          stream.agreed ??= agreed
          resolve()
        }
        this.#options.connection
          .apart(() => this.#run(stream))
          .then(
            () => reject(new ClientError('not-supported', 'The server ended the subscription at once')),
            reject,
          )
      })
      return stream
    } finally {
      clock.clearTimeout(timer)
      this.#opening = undefined
    }
  }

  /** Runs a stream. Rejects if it fails before the acknowledgement. After a later failure, the stream is reopened. */
  async #run(stream: Stream): Promise<void> {
    const { signal } = stream.end
    const { clock } = this.#options.options
    const openedAt = clock.now()
    try {
      await this.#request(
        { notifications: stream.filter },
        { longLived: true, signal, onId: (id) => (stream.id = id) },
      )
    } catch (error) {
      if (stream.agreed === undefined) throw error
    }
    if (this.#current !== stream || signal.aborted) return
    if (clock.now() - openedAt >= LAST_RETRY_MS) this.#failures = 0
    this.#retry()
  }

  #retry(): void {
    if (this.#closed) return
    const { clock } = this.#options.options
    this.#current = undefined
    this.#missed = true
    const wait = jittered(Math.min(FIRST_RETRY_MS * 2 ** this.#failures++, LAST_RETRY_MS))
    clock.clearTimeout(this.#retryTimer)
    this.#retryTimer = clock.setTimeout(() => {
      this.#update().catch((error: unknown) => {
        this.#report(error)
        // A server that responds with an error would send the same error again.
        if (!(error instanceof McpError)) this.#retry()
      })
    }, wait)
  }

  #report(error: unknown): void {
    if (this.#closed) return
    // Some servers declare list changes but do not support subscriptions. Their lists are fetched again whenever
    // they are used.
    if (error instanceof McpError && error.code === ErrorCode.MethodNotFound)
      this.#options.onLog('The server has no subscriptions/listen, so it does not tell when a list changes')
    else this.#options.onError(toError(error))
  }
}
