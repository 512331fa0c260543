import type { JsonRpcMessage, RequestId, Revision } from '@jetway/core/protocol'
import type { TransportClose } from '@jetway/core/transport'

export type { TransportClose }

/** What goes beside a message. */
export interface SendContext {
  /** By which the message is written; undefined while the sides have not agreed on one. */
  readonly revision: Revision | undefined
  /**
   * For requests: aborts when nobody waits for the answer any more, also after `send` has resolved. A transport that is
   * `perRequest` then ends the request's stream; others give up on a message that is not written yet.
   */
  readonly signal?: AbortSignal
  /** For answers: the request of this client on whose stream the server's question came. */
  readonly relatedTo?: RequestId
  /** Headers that repeat parts of the body, values encoded. Given where the transport is `perRequest` alone. */
  readonly headers?: Readonly<Record<string, string>>
  /** The request is answered when what it asks for ends, however long that is: no time limit suits it. */
  readonly stays?: boolean
}

/** Where a message came from. */
export interface Origin {
  /** The request on whose own stream, or as whose direct reply, it came. */
  readonly request?: RequestId
}

/** What a transport calls, given once to {@link ClientTransport.start}. None of it throws. */
export interface ClientTransportHandlers {
  /** One message, parsed; arrays too, where a server batches. A promise is backpressure. */
  message(value: unknown, origin?: Origin): void | Promise<void>
  /** Something arrived that is no message: not JSON, too long, too deep. `request`: whose answer it would have been. */
  malformed(reason: string, request?: RequestId): void
  /** The answer to a request will not come any more, since its stream has ended for good. */
  ended(request: RequestId, error: Error): void
  /** Called once, however the transport ends. */
  close(reason: TransportClose): void
}

/**
 * A client's side of a connection to one server, at the level of JSON-RPC messages. It frames, and authenticates; it
 * knows HTTP's sessions and resumes streams. It does not correlate, retry requests or know methods.
 */
export interface ClientTransport {
  /**
   * Whether every request has a stream of its own, as over HTTP in revisions without sessions: such a request is
   * cancelled by ending its stream, and repeats parts of its body in headers.
   */
  readonly perRequest: boolean
  /** Names the server for what is remembered about it, such as an origin or a command line. Nothing is, without it. */
  readonly key?: string
  /** Opens what has to be open before the first message. Called once. Rejects where there is no server. */
  start(handlers: ClientTransportHandlers): void | Promise<void>
  /**
   * Hands one message over; does not wait for its answer. A promise only while that takes time.
   *
   * @throws TransportError (or a subclass) where it cannot be delivered; `SessionLostError` where the session is gone.
   *   An error of HTTP with a JSON-RPC body is no such failure: the body is a message
   */
  send(message: JsonRpcMessage, context: SendContext): void | Promise<void>
  /** The sides have agreed on a revision, and `notifications/initialized` was sent where there is one. */
  agreed?(revision: Revision): void
  /** The session that the server has opened, where the transport has such and there is one. */
  readonly sessionId?: string | undefined
  /** Goes on with a session that was opened before. Called after `start`, in place of what `initialize` would bring. */
  resume?(sessionId: string): void
  /** False once the other side is known to be gone; over HTTP that shows in the next message only. */
  readonly alive?: boolean
  /** Ends everything that is open. Safe to call again; resolves when nothing is left. */
  close(): Promise<void>
}

/** Opens a transport. May be called again where a server did not survive the first attempt to talk to it. */
export type Dial = () => ClientTransport | Promise<ClientTransport>
