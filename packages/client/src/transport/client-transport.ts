import type { JsonRpcMessage, RequestId, Revision } from '@jetway/core/protocol'
import type { TransportClose } from '@jetway/core/transport'
import type { ServerNetwork } from '@jetway/core/telemetry'

export type { TransportClose }

/** The context of a message, as passed to transports. */
export interface SendContext {
  /** The negotiated revision; undefined during the handshake. */
  readonly revision: Revision | undefined
  /**
   * The signal of a request. It aborts when the response is no longer needed, possibly after `send` has
   * resolved. When it aborts, a transport with `streamPerRequest` ends the stream. Other transports drop the
   * message if it has not been written yet.
   */
  readonly signal?: AbortSignal | undefined
  /** The client request on whose stream the server's request arrived. Set only for responses. */
  readonly relatedTo?: RequestId | undefined
  /** Encoded headers that repeat parts of the body. Used only with `streamPerRequest`. */
  readonly headers?: Readonly<Record<string, string>> | undefined
  /** Whether the request has no timeout, because the response is sent only when the subscription ends. */
  readonly longLived?: boolean | undefined
}

/** Callbacks of a transport. They do not throw. */
export interface ClientTransportHandlers {
  /**
   * Handles one parsed message, or an array if the server sends batches. Wait for the promise before reading
   * further.
   *
   * @param relatedTo - the client request on whose stream, or in whose reply, the message arrived
   */
  message(value: unknown, relatedTo?: RequestId): void | Promise<void>
  /**
   * Called if the server has sent something that is not a message. `request` is the request to which it
   * belongs, if known.
   */
  malformed(reason: string, request?: RequestId): void
  /** Called if a request's stream has permanently ended without the response. */
  requestFailed(request: RequestId, error: Error): void
  /** Called once, when the transport has closed. */
  close(reason: TransportClose): void
}

/**
 * The client's side of a connection, for JSON-RPC messages. It handles framing, authentication, and HTTP
 * sessions and streams. It does not match responses, does not repeat requests, and does not depend on methods.
 */
export interface ClientTransport {
  /**
   * Whether each request has its own stream, as over HTTP. In revisions without sessions, ending the stream
   * cancels the request, and each request repeats parts of its body in headers.
   */
  readonly streamPerRequest: boolean
  /** Identifies the server in the era cache, for example by its URL or command line. */
  readonly key?: string
  /** The network address, for telemetry. Undefined for in-memory transports. */
  readonly network?: ServerNetwork
  /** Opens the transport. Called once. Rejects if there is no server. */
  start(handlers: ClientTransportHandlers): void | Promise<void>
  /**
   * Sends one message. Does not wait for the response.
   *
   * @throws TransportError (or a subclass) if the message cannot be delivered; `SessionLostError` if the server
   * has lost the session. An HTTP error whose body is a JSON-RPC message is passed to `message` instead
   */
  send(message: JsonRpcMessage, context: SendContext): void | Promise<void>
  /**
   * Called when a revision has been negotiated and `notifications/initialized` has been sent, if the revision
   * requires it.
   */
  negotiated?(revision: Revision): void
  /** The id of the HTTP session. */
  readonly sessionId?: string | undefined
  /** Resumes a session. Called after `start`, instead of `initialize`. */
  resume?(sessionId: string): void
  /**
   * Whether the connection is open, as far as the transport knows. Over HTTP, the end of a connection may not
   * be detected until the next message.
   */
  readonly alive?: boolean
  /** Closes all streams and connections. Can be called repeatedly. */
  close(): Promise<void>
}

/** The command that starts a server, and its environment. */
export interface ServerProcess {
  /** The program's path, or its name on PATH. It runs without a shell. */
  readonly command: string
  readonly args?: readonly string[]
  /** Variables to add to the inherited variables. */
  readonly env?: Readonly<Record<string, string>>
  /**
   * Which variables to inherit. `safe` means PATH, HOME and similar variables that contain no secrets. @default
   * 'safe'
   */
  readonly inheritEnv?: 'safe' | 'all' | 'none'
  /** The working directory. @default the current directory */
  readonly cwd?: string
}

/** Creates a transport. It may be called twice if the server closed the first connection. */
export interface TransportFactory {
  (): ClientTransport | Promise<ClientTransport>
  /** The process that the transport starts. A manager asks for approval before starting it. */
  readonly process?: ServerProcess
}

/** The target of a connection. */
export type ConnectTarget = ClientTransport | TransportFactory
