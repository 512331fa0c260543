import type { JsonRpcMessage, RequestId, Revision } from '@jetway/core/protocol'
import type { TransportClose } from '@jetway/core/transport'
import type { ServerNetwork } from '@jetway/core/telemetry'

export type { TransportClose }

/** The context of a message, for transports. */
export interface SendContext {
  /** The negotiated revision, undefined during the handshake. */
  readonly revision: Revision | undefined
  /**
   * The signal of a request, which aborts when nobody is waiting for the response any more, even after `send`
   * has resolved. A transport with `streamPerRequest` then ends the stream; others drop the message if it has
   * not been written yet.
   */
  readonly signal?: AbortSignal | undefined
  /** The client's request on whose stream the server's request arrived. Set only for responses. */
  readonly relatedTo?: RequestId | undefined
  /** Encoded headers that repeat parts of the body. Used only with `streamPerRequest`. */
  readonly headers?: Readonly<Record<string, string>> | undefined
  /** Whether the request has no timeout, because it is answered only when the subscription ends. */
  readonly longLived?: boolean | undefined
}

/** Callbacks of a transport. They do not throw. */
export interface ClientTransportHandlers {
  /**
   * Handles one parsed message, or an array if the server sends batches. Wait for the promise before reading on.
   *
   * @param relatedTo - the client's request on whose stream, or in whose reply, the message arrived
   */
  message(value: unknown, relatedTo?: RequestId): void | Promise<void>
  /**
   * Called if the server has sent something that is not a message. `request` is the request that it responds
   * to, if known.
   */
  malformed(reason: string, request?: RequestId): void
  /** Called if a request's stream has ended for good without the response. */
  requestFailed(request: RequestId, error: Error): void
  /** Called once, when the transport has closed. */
  close(reason: TransportClose): void
}

/**
 * The client's side of a connection, for JSON-RPC messages. It handles framing, authentication, and the
 * sessions and streams of HTTP. It does not match responses or repeat requests, and does not depend on
 * methods.
 */
export interface ClientTransport {
  /**
   * Whether each request has its own stream, as over HTTP. In revisions without sessions, ending the stream
   * cancels the request, and the request repeats parts of its body in headers.
   */
  readonly streamPerRequest: boolean
  /** Identifies the server in the era cache, such as a URL or a command line. */
  readonly key?: string
  /** The network address for telemetry. Undefined for transports in memory. */
  readonly network?: ServerNetwork
  /** Opens the transport. Called once. Rejects if there is no server. */
  start(handlers: ClientTransportHandlers): void | Promise<void>
  /**
   * Sends one message. Does not wait for the response.
   *
   * @throws TransportError (or a subclass) if it cannot be delivered; `SessionLostError` if the server has
   *   lost the session. An HTTP error whose body is a JSON-RPC message is passed to `message` instead
   */
  send(message: JsonRpcMessage, context: SendContext): void | Promise<void>
  /**
   * Called when a revision has been negotiated and, if the revision requires it, `notifications/initialized`
   * has been sent.
   */
  negotiated?(revision: Revision): void
  /** The id of the HTTP session. */
  readonly sessionId?: string | undefined
  /** Resumes a session. Called after `start`, instead of `initialize`. */
  resume?(sessionId: string): void
  /**
   * Whether the connection is open, as far as is known. Over HTTP, the end of a connection may not be noticed
   * until the next message.
   */
  readonly alive?: boolean
  /** Closes everything. Can be called again. */
  close(): Promise<void>
}

/** The command of a server and its environment. */
export interface ServerProcess {
  /** The program's path, or its name on PATH. It runs without a shell. */
  readonly command: string
  readonly args?: readonly string[]
  /** Variables to add to the inherited ones. */
  readonly env?: Readonly<Record<string, string>>
  /** Which variables to inherit. `safe` means PATH, HOME and the like, without secrets. @default 'safe' */
  readonly inheritEnv?: 'safe' | 'all' | 'none'
  /** The working directory. @default the current directory */
  readonly cwd?: string
}

/** Creates a transport. It may be called twice, if the server closed the first connection. */
export interface TransportFactory {
  (): ClientTransport | Promise<ClientTransport>
  /** The process that the transport starts. A manager asks for approval before starting it. */
  readonly process?: ServerProcess
}

/** The target of a connection. */
export type ConnectTarget = ClientTransport | TransportFactory
