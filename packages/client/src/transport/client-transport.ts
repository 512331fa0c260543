import type { JsonRpcMessage, RequestId, Revision } from '@jetway/core/protocol'
import type { TransportClose } from '@jetway/core/transport'
import type { ServerNetwork } from '@jetway/core/telemetry'

export type { TransportClose }

/** The context of a message, for transports. */
export interface SendContext {
  /** Undefined during the handshake. */
  readonly revision: Revision | undefined
  /**
   * For requests. Aborts when nobody waits for the response, even after `send` has resolved. A transport with
   * `streamPerRequest` then ends the stream; others drop the message if it is not written yet.
   */
  readonly signal?: AbortSignal | undefined
  /** For responses: the client's request on whose stream the server's request came. */
  readonly relatedTo?: RequestId | undefined
  /** Encoded headers that repeat parts of the body. For `streamPerRequest` only. */
  readonly headers?: Readonly<Record<string, string>> | undefined
  /** The request has no time limit: it is answered when the subscription ends. */
  readonly longLived?: boolean | undefined
}

/** Callbacks of a transport. They do not throw. */
export interface ClientTransportHandlers {
  /**
   * One parsed message, or an array if the server sends batches. Wait for the promise before reading on.
   *
   * @param relatedTo - the client's request on whose stream, or as whose reply, the message came
   */
  message(value: unknown, relatedTo?: RequestId): void | Promise<void>
  /** The server sent something that is not a message. `request`: the request it was a response to. */
  malformed(reason: string, request?: RequestId): void
  /** The stream of a request has ended for good without the response. */
  requestFailed(request: RequestId, error: Error): void
  /** Called once. */
  close(reason: TransportClose): void
}

/**
 * The client's side of a connection, for JSON-RPC messages. It does the framing and the authentication, and
 * knows the sessions and streams of HTTP. It does not match responses, repeat requests or know methods.
 */
export interface ClientTransport {
  /**
   * Whether each request has its own stream, as over HTTP. In revisions without sessions, such a request is
   * cancelled by ending its stream, and repeats parts of its body in headers.
   */
  readonly streamPerRequest: boolean
  /** Identifies the server in the era cache, such as a URL or a command line. */
  readonly key?: string
  /** For telemetry. Undefined in memory. */
  readonly network?: ServerNetwork
  /** Opens the transport. Called once. Rejects if there is no server. */
  start(handlers: ClientTransportHandlers): void | Promise<void>
  /**
   * Sends one message. Does not wait for the response.
   *
   * @throws TransportError (or a subclass) if it cannot be delivered; `SessionLostError` if the server does
   *   not know the session. An HTTP error whose body is a JSON-RPC message is passed to `message` instead
   */
  send(message: JsonRpcMessage, context: SendContext): void | Promise<void>
  /** A revision has been negotiated, and `notifications/initialized` was sent if there is one. */
  negotiated?(revision: Revision): void
  /** The id of the HTTP session. */
  readonly sessionId?: string | undefined
  /** Resumes a session. Called after `start`, instead of `initialize`. */
  resume?(sessionId: string): void
  /** False once the connection is known to be closed. Over HTTP, only the next message may show it. */
  readonly alive?: boolean
  /** Closes everything. Can be called again. */
  close(): Promise<void>
}

/** The command of a server, and where it runs. */
export interface ServerProcess {
  /** A path, or a name on PATH. No shell is used. */
  readonly command: string
  readonly args?: readonly string[]
  /** Added to the inherited variables. */
  readonly env?: Readonly<Record<string, string>>
  /** `safe`: PATH, HOME and the like, so that the server gets no secrets. @default 'safe' */
  readonly inheritEnv?: 'safe' | 'all' | 'none'
  /** @default the current directory */
  readonly cwd?: string
}

/** Creates a transport. May be called a second time, for a server that closed the first connection. */
export interface TransportFactory {
  (): ClientTransport | Promise<ClientTransport>
  /** The process that it starts. A manager asks for approval first. */
  readonly process?: ServerProcess
}

/** The target of a connection. */
export type ConnectTarget = ClientTransport | TransportFactory
