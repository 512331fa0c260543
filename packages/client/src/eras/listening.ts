import {
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
import type { Clock } from '@jetway/core/stores'
import type { Ask } from '../conversation/conversation.ts'
import { ClientError } from '../errors.ts'
import type { ListKind } from './side.ts'

export interface ListeningOptions {
  readonly clock: Clock
  /** Ms in which the server says what it agrees to. */
  readonly timeoutMs: number
  readonly capabilities: ServerCapabilities
  request(params: JsonObject, how: Ask): Promise<JsonObject>
  onError(error: Error): void
  onGap(): void
}

/** One `subscriptions/listen` that runs. */
interface Stream {
  id: RequestId | undefined
  readonly end: AbortController
  agreed: JsonObject | undefined
  onAgreed: ((agreed: JsonObject) => void) | undefined
}

const MAX_URIS = 1024
const FIRST_RETRY_MS = 1_000
const LAST_RETRY_MS = 30_000

/**
 * Keeps one subscription open that covers all that is wanted. Where that changes, a new one is opened before the old one
 * is ended, so that nothing is missed; one that the server ends, or that breaks, is opened again.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/subscriptions
 */
export class Listening {
  readonly #options: ListeningOptions
  readonly #uris = new Set<string>()
  #lists: ReadonlySet<ListKind> = new Set()
  #current: Stream | undefined
  #opening: Stream | undefined
  #turn: Promise<void> = Promise.resolve()
  #retry: unknown
  #failures = 0
  #closed = false

  constructor(options: ListeningOptions) {
    this.#options = options
  }

  async addUri(uri: string): Promise<void> {
    if (this.#uris.has(uri)) return
    if (this.#uris.size >= MAX_URIS) throw new RangeError(`More than ${MAX_URIS} resources are subscribed to`)
    this.#uris.add(uri)
    try {
      await this.#renew()
      const agreed: unknown = this.#current?.agreed?.['resourceSubscriptions']
      if (Array.isArray(agreed) && agreed.includes(uri)) return
      throw new ClientError('not-offered', `The server does not tell of changes of ${uri}`)
    } catch (error) {
      this.#uris.delete(uri)
      this.#renew().catch((failed: unknown) => this.#report(failed))
      throw error
    }
  }

  async removeUri(uri: string): Promise<void> {
    if (this.#uris.delete(uri)) await this.#renew()
  }

  wantLists(kinds: ReadonlySet<ListKind>): void {
    const same = kinds.size === this.#lists.size && [...kinds].every((kind) => this.#lists.has(kind))
    if (same) return
    this.#lists = kinds
    this.#renew().then(
      // Whoever listed before this was agreed to may have missed a change since.
      () => kinds.size > 0 && this.#current !== undefined && this.#options.onGap(),
      (error: unknown) => this.#report(error),
    )
  }

  hears({ method, params = {} }: JsonRpcNotification): boolean {
    const meta = params['_meta']
    const id: unknown = isObject(meta) ? meta[SUBSCRIPTION_ID] : undefined
    if (method === Notification.Acknowledged) {
      const stream = [this.#opening, this.#current].find((each) => each?.id !== undefined && each.id === id)
      const agreed = params['notifications']
      if (stream !== undefined) stream.onAgreed?.(isObject(agreed) ? agreed : {})
      return true
    }
    // Of a subscription that has been replaced: the new one tells of it as well.
    return isRequestId(id) && id !== this.#current?.id && id !== this.#opening?.id
  }

  close(): void {
    this.#closed = true
    if (this.#retry !== undefined) this.#options.clock.clearTimeout(this.#retry)
    this.#retry = undefined
    this.#current?.end.abort(new Error('The client is closed'))
    this.#opening?.end.abort(new Error('The client is closed'))
  }

  /** One change at a time: each looks at what is wanted when its turn comes. */
  #renew(): Promise<void> {
    const turn = this.#turn.then(() => this.#replace())
    this.#turn = turn.catch(() => {})
    return turn
  }

  async #replace(): Promise<void> {
    if (this.#closed) return
    const filter = this.#filter()
    const old = this.#current
    if (filter === undefined) {
      this.#current = undefined
    } else if (JSON.stringify(filter) === JSON.stringify(old && this.#asked.get(old))) {
      return
    } else {
      this.#current = await this.#open(filter)
    }
    old?.end.abort(new Error('The subscription has been replaced'))
  }

  readonly #asked = new WeakMap<Stream, JsonObject>()

  #filter(): JsonObject | undefined {
    const { capabilities } = this.#options
    const lists = [...this.#lists].filter((kind) => capabilities[kind]?.listChanged === true).toSorted()
    const filter = {
      ...Object.fromEntries(lists.map((kind) => [`${kind}ListChanged`, true])),
      ...(this.#uris.size > 0 && { resourceSubscriptions: [...this.#uris] }),
    }
    return Object.keys(filter).length === 0 ? undefined : filter
  }

  async #open(filter: JsonObject): Promise<Stream> {
    const { clock, timeoutMs } = this.#options
    const stream: Stream = {
      id: undefined,
      end: new AbortController(),
      agreed: undefined,
      onAgreed: undefined,
    }
    this.#asked.set(stream, filter)
    this.#opening = stream
    const late = clock.setTimeout(
      () => stream.end.abort(new ClientError('timeout', 'The server does not say what it agrees to')),
      timeoutMs,
    )
    try {
      await new Promise<void>((resolve, reject) => {
        stream.onAgreed = (agreed) => {
          stream.agreed ??= agreed
          resolve()
        }
        this.#run(stream, filter).then(() => reject(new ClientError('not-offered', ENDED)), reject)
      })
      this.#failures = 0
      return stream
    } finally {
      clock.clearTimeout(late)
      this.#opening = undefined
    }
  }

  /** Rejects before the server has agreed; what comes after that only leads to another attempt. */
  async #run(stream: Stream, filter: JsonObject): Promise<void> {
    try {
      await this.#options.request(
        { notifications: filter },
        { stays: true, signal: stream.end.signal, onId: (id) => (stream.id = id) },
      )
    } catch (error) {
      if (stream.agreed === undefined) throw error
    }
    if (this.#current === stream && !stream.end.signal.aborted) this.#again()
  }

  #again(): void {
    this.#current = undefined
    const { clock } = this.#options
    const wait = Math.min(FIRST_RETRY_MS * 2 ** this.#failures++, LAST_RETRY_MS)
    this.#retry = clock.setTimeout(() => {
      this.#retry = undefined
      if (this.#current !== undefined || this.#closed) return
      this.#renew().then(
        () => this.#options.onGap(),
        (error: unknown) => this.#failed(error),
      )
    }, wait)
  }

  #failed(error: unknown): void {
    this.#report(error)
    // A server that refuses has heard the question; one that could not be reached may be back later.
    if (!this.#closed && !(error instanceof McpError)) this.#again()
  }

  #report(error: unknown): void {
    if (!this.#closed) this.#options.onError(error instanceof Error ? error : new Error(String(error)))
  }
}

const ENDED = 'The server has ended the subscription before it agreed to anything'
