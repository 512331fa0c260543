import { busy, ErrorCode, McpError } from '../../errors.ts'
import { principalOf } from '../../stores/principal.ts'
import type { EncodedAnswer, EncodedResponse } from '../../call/response.ts'
import type { Exchange } from '../../call/exchange.ts'
import { type SubscriptionChannel, SubscriptionSet } from '../../subscriptions/subscription.ts'
import { CoalescingQueue } from '../../subscriptions/coalescing-queue.ts'
import { MemoryBus } from '../../stores/bus.ts'
import { type StatelessCall, statelessContext } from '../../session/call-pool.ts'
import { isolatedRequests } from '../../util/platform.ts'
import { refuseScopes } from '../guard/authenticate.ts'
import { EMPTY_STREAM, errorReply, jsonAnswer } from './post-exchange.ts'
import { type HttpReply, type HttpRequest, onDisconnect, type Reply } from '../types.ts'
import type { EndpointContext } from '../context.ts'
import { formatEvent } from '../streams/sse-format.ts'
import { createSseWriter, readerOf, type SseWriter } from '../streams/sse-writer.ts'
import { refuse } from '../refusals.ts'
import type { ServedServer } from '../servers/served-server.ts'

/** A `subscriptions/listen` request that has not been assigned an exchange yet. */
interface ListenRequest extends Omit<StatelessCall, 'exchange'> {
  readonly request: HttpRequest
  readonly server: ServedServer
}

/**
 * Serves `subscriptions/listen` with a stream that stays open. When the mount closes, it first ends these
 * streams, without waiting for their clients.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/subscriptions
 */
export class SubscriptionHandler {
  readonly #context: EndpointContext
  readonly #subscriptions: SubscriptionSet

  constructor(context: EndpointContext) {
    this.#context = context
    this.#subscriptions = new SubscriptionSet(context.options.subscriptions)
  }

  /** Ends every stream with its response. */
  closeAll(): void {
    this.#subscriptions.closeAll()
  }

  answer(listen: ListenRequest): Reply {
    const { request, server, message, revision } = listen
    const { runtime } = server
    if (!this.#reachesStreams(server))
      return errorReply(message.id, new McpError(ErrorCode.MethodNotFound, OUT_OF_REACH), revision)
    const ctx = statelessContext(runtime, { ...listen, exchange: this.#exchange(request) })
    const answered = this.#context.calls.run(runtime, ctx)
    return answered instanceof Promise
      ? answered.then((answer) => this.#reply(answer, listen))
      : this.#reply(answered, listen)
  }

  /**
   * Whether the bus can deliver a change from one request to another request's stream. In Workers, an
   * in-memory bus cannot, because it would write to the stream directly.
   */
  #reachesStreams({ runtime }: ServedServer): boolean {
    return !this.#context.options.stateless || !isolatedRequests() || !(runtime.bus instanceof MemoryBus)
  }

  /**
   * Returns an exchange that sends nothing, because progress and log messages do not belong on the stream.
   */
  #exchange(request: HttpRequest): Exchange {
    return {
      duplex: false,
      subscribable: true,
      send: () => undefined,
      onDisconnect: (listener) => onDisconnect(request, listener),
      refused: (reason) => this.#context.rejections.add(request, reason),
    }
  }

  #reply(answer: EncodedResponse, listen: ListenRequest): Reply {
    if (answer === undefined) return EMPTY_STREAM
    const { subscription, error } = answer
    const { request, message, revision, server } = listen
    if (error?.reason === 'insufficient-scope')
      return refuseScopes(this.#context.authenticate, request, error, message.id)
    if (subscription === undefined) return jsonAnswer(answer, revision)
    const open = (): HttpReply => this.#open(answer, subscription, listen)
    // A change after the acknowledgement must reach the client, regardless of which node makes the change.
    return server.listen()?.then(open) ?? open()
  }

  #open(
    { frame: answer }: EncodedAnswer,
    subscribed: NonNullable<EncodedAnswer['subscription']>,
    listen: ListenRequest,
  ): HttpReply {
    const { request, server, caller, message } = listen
    if (this.#context.work.closing || server.closing) return refuse('draining', { id: message.id })
    const principal = principalOf(caller)
    const writer = createSseWriter(this.#context, {
      overflow: 'cut',
      notices: new CoalescingQueue(this.#context.options.outboundLimit),
      server,
      onExpired: () => subscription?.close(),
      onDisconnect: () => subscription?.drop(),
    })
    const subscription = this.#subscriptions.open(
      { ...subscribed, answer, channel: channelOf(writer) },
      principal,
    )
    if (subscription === undefined) return this.#busy(listen)
    subscription.begin()
    server.addSubscription(subscription)
    // If the client has disconnected, the adapter may never open the reply.
    onDisconnect(request, () => writer.cut())
    return writer.reply(readerOf(request, caller))
  }

  #busy({ request, server, message, revision }: ListenRequest): HttpReply {
    server.runtime.events.emit('overflow', () => ({
      queue: 'subscriptions',
      action: 'refuse',
      bytes: 0,
      sessionId: undefined,
    }))
    this.#context.rejections.add(request, 'busy')
    return errorReply(message.id, busy(), revision)
  }
}

/**
 * Returns the channel of a stream. For a slow reader, identical notifications are queued only once. If the
 * queue exceeds the mount's `limits.outboundBytes`, the connection is closed. The client then knows that it
 * missed notifications, which are not stored.
 */
const channelOf = (writer: SseWriter): SubscriptionChannel => ({
  send: (frame) => writer.notify(formatEvent({ data: frame })),
  finish: (answer) => writer.finish(formatEvent({ data: answer })),
  overflow: () => writer.cut(),
  drop: () => writer.cut(),
})

const OUT_OF_REACH =
  'Subscriptions are not available: in Workers no request can write to the stream of another. Give the server a bus across requests, or serve it from a Durable Object'
