import { classify } from '../../protocol/jsonrpc.ts'
import { type AuthInfo, principalOf } from '../../stores/principal.ts'
import type { SessionKey } from '../../stores/session-store.ts'
import { attempt } from '../../util/promises.ts'
import { randomToken } from '../../util/random.ts'
import { CallerBytes } from '../caller-bytes.ts'
import type { EndpointContext } from '../context.ts'
import type { Peers } from '../nodes/peers.ts'
import type { ReceivedMail, SessionMail } from '../nodes/session-mail.ts'
import { refuse, refuseCalls } from '../refusals.ts'
import { fromStore } from '../streams/store-failure.ts'
import type { HttpReply, HttpRequest } from '../types.ts'
import type { SseConnection } from './sse-connection.ts'
import type { Posted } from './sse-conversation.ts'

/** How long the node that writes the stream may take to reply, in ms. */
const REPLY_MS = 5_000
/** The maximum number of full-size bodies in transit from this node. One caller may use half of them. */
const BODIES = 16
/** The minimum number of bytes counted for each message, so that small messages cannot fill a node's inbox. */
const MAIL_BYTES = 8_192
/** The length of a mount's mark, in characters of six random bits each. The mark identifies the mount. */
const MARK_LENGTH = 6
const REF_LENGTH = 16
/** Matches a connection's id, which ends with its mount's mark and its node's id. */
const ID = /^[\w.-]{1,160}\.[\w-]{6}\.([\w-]{1,32})$/

type MessageMail = Extract<SessionMail, { readonly kind: 'message' }>

interface SseForwardingParts {
  readonly context: EndpointContext
  readonly peers: Peers
  /** Returns the connection with the given id, if it belongs to this mount. */
  readonly connectionOf: (id: string) => SseConnection | undefined
}

/**
 * Forwards a client's messages to the node that writes the client's stream, and serves messages that other
 * nodes forward.
 */
export class SseForwarding {
  readonly #parts: SseForwardingParts
  readonly #onTheWay: CallerBytes
  /** The forwarded messages that are still waiting for a reply. */
  readonly #waiting = new Map<string, (reply: HttpReply) => void>()
  /**
   * The suffix of this mount's ids. All mounts in a process receive the messages of other nodes, but only the
   * mount that has the connection may reply.
   */
  #own: string | undefined

  constructor(parts: SseForwardingParts) {
    this.#parts = parts
    this.#onTheWay = new CallerBytes(BODIES * (MAIL_BYTES + parts.context.options.bodyLimit))
  }

  /**
   * Announces this node to the others. Resolves to the suffix of this mount's ids.
   *
   * @throws StoreFailure
   */
  async begin(): Promise<string> {
    await fromStore(() => this.#parts.peers.ready())
    return this.#ending
  }

  /**
   * Forwards a message to the node that writes its client's stream. Replies with 503 if the message may not
   * have arrived.
   *
   * @throws StoreFailure
   */
  async post(id: string, value: unknown, { request, caller }: Posted): Promise<HttpReply> {
    const { context, peers } = this.#parts
    const node = ID.exec(id)?.[1]
    if (node === undefined || node === peers.id) return refuse('noConnection')
    // Responses and cancellations are accepted while the mount is closing, because they end calls that it is
    // waiting for.
    const asks = Array.isArray(value) || classify(value).kind === 'request'
    if (asks && context.work.closing) return refuse('draining')
    await fromStore(() => peers.ready())
    return context.servers.find({ request, caller }, async ({ runtime }) => {
      const principal = principalOf(caller)
      if (this.#onTheWay.exceeded(principal)) return refuse('busy')
      const key = { principal, id }
      const ref = randomToken(REF_LENGTH, peers.random)
      const message = JSON.stringify(value)
      const auth = caller.auth && JSON.stringify(caller.auth)
      const mail = {
        kind: 'message',
        ref,
        server: runtime.info.name,
        message,
        ...(auth && { auth }),
      } as const
      const bytes = MAIL_BYTES + message.length + (auth?.length ?? 0)
      let timer: unknown
      this.#onTheWay.add(principal, bytes)
      try {
        const replied = new Promise<HttpReply>((resolve) => {
          this.#waiting.set(ref, resolve)
          timer = context.clock.setTimeout(() => resolve(refuse('unavailable')), REPLY_MS)
        })
        if (await peers.send(node, key, mail)) return await replied
        const [alive] = await fromStore(() => peers.alive([node]))
        return refuse(alive === true ? 'unavailable' : 'noConnection')
      } finally {
        this.#onTheWay.add(principal, -bytes)
        this.#waiting.delete(ref)
        context.clock.clearTimeout(timer)
      }
    })
  }

  /** Handles a message from another node. */
  receive({ key, from, mail }: ReceivedMail): void {
    if (mail.kind === 'message' && key.id.endsWith(this.#ending)) void this.#reply(key, from, mail)
    if (mail.kind !== 'reply') return
    const { status, headers, body } = mail
    this.#waiting.get(mail.ref)?.(
      status === 404 ? refuse('noConnection') : { status, headers, ...(body !== undefined && { body }) },
    )
  }

  /** Refuses the messages that are still waiting for a reply. */
  close(): void {
    for (const resolve of this.#waiting.values()) resolve(refuse('draining'))
  }

  get #ending(): string {
    const { peers } = this.#parts
    return (this.#own ??= `.${randomToken(MARK_LENGTH, peers.random)}.${peers.id}`)
  }

  async #reply(key: SessionKey, from: string, mail: MessageMail): Promise<void> {
    const { context, peers } = this.#parts
    context.work.begin()
    try {
      const reply = await attempt(
        () => this.#serve(key, mail),
        (error) => {
          context.logger.error({ err: error }, 'A message of another node could not be served')
          return refuse('internal')
        },
      )
      const { status, headers, body } = reply
      const text = typeof body === 'string' ? { body } : {}
      await peers.sendSurely(from, key, { kind: 'reply', ref: mail.ref, status, headers, ...text })
    } finally {
      context.work.end()
    }
  }

  /** Handles a message as if it had arrived on this node, with the `locals` of the request that opened the stream. */
  async #serve({ principal, id }: SessionKey, { server, message, auth }: MessageMail): Promise<HttpReply> {
    const { context, connectionOf } = this.#parts
    const connection = connectionOf(id)
    // A session belongs to one principal and to one server. The server is identified by its name.
    if (connection?.principal !== principal || connection.server.runtime.info.name !== server)
      return refuse('noConnection')
    const { request: opened, caller } = connection.opened
    const request: HttpRequest = {
      method: 'POST',
      route: 'message',
      path: opened.path,
      query: () => undefined,
      header: (name) => opened.header(name),
      signal: opened.signal,
    }
    const value: unknown = JSON.parse(message)
    const found = auth === undefined ? undefined : (JSON.parse(auth) as AuthInfo)
    connection.renew(found?.expiresAt)
    context.servers.assign(request, connection.server)
    const refused = context.queued.exceeded(caller.holder ?? principal) ? refuseCalls(value) : undefined
    const reply =
      refused ?? (await connection.receive(value, { request, caller: { ...caller, auth: found } }))
    if (reply.status >= 400) context.rejections.addReply(request, reply)
    return reply
  }
}
