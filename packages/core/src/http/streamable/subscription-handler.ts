import { busy, ErrorCode, McpError } from '../../errors.ts'
import { errorFrame } from '../../protocol/jsonrpc.ts'
import { principalOf } from '../../stores/principal.ts'
import type { EncodedAnswer, EncodedResponse } from '../../call/dispatcher.ts'
import type { Exchange } from '../../call/exchange.ts'
import { SubscriptionSet } from '../../subscriptions/subscription-set.ts'
import { MemoryBus } from '../../stores/memory-bus.ts'
import type { CallPool } from '../../session/call-pool.ts'
import { type StatelessCall, statelessContext } from '../../session/stateless-call.ts'
import { isolatedRequests } from '../../util/platform.ts'
import { EMPTY_STREAM, jsonAnswer } from './post-exchange.ts'
import { onDisconnect } from '../on-disconnect.ts'
import { SubscriptionStream } from './subscription-stream.ts'
import type { EndpointContext } from '../mount.ts'
import { readerOf } from '../streams/sse-writer.ts'
import { refuse } from '../refusals.ts'
import type { ServedServer } from '../served-servers.ts'
import type { HttpReply, HttpRequest } from '../types.ts'

/** A request to be told of changes, before it has its way back. */
export type SubscriptionCall = Omit<StatelessCall, 'exchange'>

/**
 * Requests whose reply is a stream that stays open. They are no work: a close does not wait for them, and ends them first.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/subscriptions
 */
export class SubscriptionHandler {
  readonly #mount: EndpointContext
  readonly #calls: CallPool
  readonly #listens: SubscriptionSet
  #draining = false

  constructor(mount: EndpointContext, calls: CallPool) {
    this.#mount = mount
    this.#calls = calls
    this.#listens = new SubscriptionSet(mount.options.listens)
  }

  /** Ends every stream with its answer, and takes no more. */
  drain(): void {
    this.#draining = true
    this.#listens.closeAll()
  }

  answer(request: HttpRequest, tenant: ServedServer, call: SubscriptionCall): HttpReply | Promise<HttpReply> {
    if (!this.#reaches(tenant)) return refused(call, new McpError(ErrorCode.MethodNotFound, OUT_OF_REACH))
    const { runtime } = tenant
    const ctx = statelessContext(runtime, { ...call, exchange: this.#exchange(request) })
    const answered = this.#calls.run(runtime, ctx)
    return answered instanceof Promise
      ? answered.then((answer) => this.#reply(answer, { request, tenant, call }))
      : this.#reply(answered, { request, tenant, call })
  }

  /** Whether a change that one request makes comes to the stream of another. A bus in memory would call across. */
  #reaches({ runtime }: ServedServer): boolean {
    return !this.#mount.options.stateless || !isolatedRequests() || !(runtime.bus instanceof MemoryBus)
  }

  /** Carries nothing but the end of its client: progress and logs have no place on the stream that is to come. */
  #exchange(request: HttpRequest): Exchange {
    return {
      duplex: false,
      subscribable: true,
      send: () => undefined,
      onDisconnect: (listener) => onDisconnect(request, listener),
      refused: (reason) => this.#mount.rejections.tell(request, reason),
    }
  }

  #reply(answer: EncodedResponse, asked: Asked): HttpReply {
    if (answer === undefined) return EMPTY_STREAM
    const { id } = asked.call.message
    if (answer.subscription === undefined) return jsonAnswer(answer, asked.call.revision)
    if (this.#draining || asked.tenant.closing) return refuse('draining', { id })
    return this.#open(answer, answer.subscription, asked) ?? this.#busy(asked)
  }

  #open(
    { frame: answer }: EncodedAnswer,
    listening: NonNullable<EncodedAnswer['subscription']>,
    { request, tenant, call }: Asked,
  ): HttpReply | undefined {
    const stream = new SubscriptionStream({
      context: this.#mount,
      reader: readerOf(request, call.caller),
      server: tenant,
      onExpired: () => listen?.close(),
      onGone: () => listen?.drop(),
    })
    const listen = this.#listens.open({ ...listening, answer, channel: stream }, principalOf(call.caller))
    if (listen === undefined) return undefined
    listen.begin()
    tenant.tell(listen)
    stream.watch()
    return stream.reply
  }

  #busy({ request, tenant, call }: Asked): HttpReply {
    tenant.runtime.events.emit('overflow', () => ({
      queue: 'subscriptions',
      action: 'refuse',
      bytes: 0,
      sessionId: undefined,
    }))
    this.#mount.rejections.tell(request, 'busy')
    return refused(call, busy())
  }
}

const OUT_OF_REACH =
  'Changes are not told here: in Workers no request reaches the stream of another. Give the server a bus that does, or serve it from a Durable Object'

const refused = ({ message, revision }: SubscriptionCall, error: McpError): HttpReply =>
  jsonAnswer({ frame: errorFrame(message.id, revision.encodeError(error)), error }, revision)

interface Asked {
  readonly request: HttpRequest
  readonly tenant: ServedServer
  readonly call: SubscriptionCall
}
