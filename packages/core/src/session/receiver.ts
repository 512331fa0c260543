import { type BatchItem, readBatch } from '../call/batch.ts'
import { busy, ErrorCode, invalidRequest, McpError } from '../errors.ts'
import {
  classify,
  type Incoming,
  type JsonRpcNotification,
  type JsonRpcRequest,
  type RequestId,
} from '../protocol/jsonrpc.ts'
import { Method } from '../protocol/methods.ts'
import type { Revision } from '../protocol/revisions/revision.ts'
import { type Selection, selectRevision, isStateless } from '../protocol/revisions/select.ts'
import type { Awaitable } from '../util/promises.ts'
import type { Session } from './session.ts'

/** The revision in which a request is served. If the request has no session, also its own metadata. */
export type Served = Extract<Selection, { readonly kind: 'serve' }>

/** Describes why a message is refused. */
export interface Refusal {
  readonly reason:
    | Extract<Selection, { readonly kind: 'refuse' }>['reason']
    | 'batch'
    | 'busy'
    | 'draining'
    | 'initializedAlready'
    | 'unknownSession'
  /** The id of the refused request; undefined for a batch, and for a message whose id cannot be read. */
  readonly id?: RequestId | undefined
  readonly error: McpError
}

/**
 * The functions with which a transport passes one message or batch to the receiver.
 *
 * @typeParam R - the transport's reply
 */
export interface Carrier<R> {
  /** The served revisions, newest first. */
  readonly served: readonly Revision[]
  /** Whether calls are accepted without `initialize`. */
  readonly stateless: boolean
  /** The value of `MCP-Protocol-Version`; `null` if it is missing, and undefined on transports without headers. */
  readonly header?: string | null
  /** Finds the session of a message. Returns `unknown` if the client names a session that does not exist. */
  findSession(): Session | undefined | 'unknown' | Promise<Session | undefined | 'unknown'>
  /** The reason why requests cannot run at the moment. Responses and notifications are still delivered. */
  readonly unavailable: 'busy' | 'draining' | undefined
  refuse(refusal: Refusal): Awaitable<R>
  /** Responds to a ping before `initialize`, on transports that allow it. */
  pong?(id: RequestId): Awaitable<R>
  /** Delivers a message that requires no response. */
  deliver(incoming: NoRequest): Awaitable<R>
  initialize(message: JsonRpcRequest): Awaitable<R>
  call(message: JsonRpcRequest, served: Served): Awaitable<R>
  callAll(items: readonly BatchItem[], revision: Revision): Awaitable<R>
}

/** A notification or a response. */
export type NoRequest = Exclude<BatchItem, { readonly kind: 'request' }>

/**
 * Receives one parsed message from any transport. Classifies the message, selects its revision, and passes it
 * on or refuses it. `selectRevision` separates the eras: a message with its own metadata does not belong to a
 * session.
 */
export function receive<R>(value: unknown, carrier: Carrier<R>): Awaitable<R> {
  const incoming = Array.isArray(value) ? (value as readonly unknown[]) : classify(value)
  const message = 'message' in incoming && incoming.kind !== 'response' ? incoming.message : undefined
  if (message !== undefined && isStateless(message, carrier.header, carrier.served))
    return receiveIn(undefined, incoming, message, carrier)
  const session = carrier.findSession()
  return session instanceof Promise
    ? session.then((found) => receiveIn(found, incoming, message, carrier))
    : receiveIn(session, incoming, message, carrier)
}

/** Receives a message whose session is known. */
function receiveIn<R>(
  found: Session | undefined | 'unknown',
  incoming: Incoming | readonly unknown[],
  message: JsonRpcRequest | JsonRpcNotification | undefined,
  carrier: Carrier<R>,
): Awaitable<R> {
  const { header, served, stateless, unavailable } = carrier
  const id = message !== undefined && 'id' in message ? message.id : undefined
  if ('kind' in incoming) {
    if (incoming.kind === 'invalid')
      return carrier.refuse({
        reason: 'invalidMessage',
        id: incoming.id,
        error: invalidRequest(incoming.reason),
      })
    if (incoming.kind === 'request' && unavailable !== undefined)
      return carrier.refuse({ reason: unavailable, id, error: UNAVAILABLE[unavailable] })
    // On a transport without headers, there is nothing to check, and a notification must not receive a response.
    if (incoming.kind !== 'request' && header === undefined) return carrier.deliver(incoming)
  }
  if (found === 'unknown' && message?.method !== Method.Initialize)
    return carrier.refuse({ reason: 'unknownSession', error: UNKNOWN_SESSION })
  const session = found === 'unknown' ? undefined : found?.revision
  const selection = selectRevision({ message, header, session, served, stateless })
  if (selection.kind === 'refuse') {
    const { reason, error } = selection
    // https://modelcontextprotocol.io/specification/2025-11-25/basic/lifecycle#initialization
    const early = reason === 'missingSession' && message?.method === Method.Ping && id !== undefined
    if (early && carrier.pong !== undefined) return carrier.pong(id)
    return carrier.refuse({ reason, id, error })
  }
  if (!('kind' in incoming)) return receiveBatch(incoming, selection, carrier)
  if (incoming.kind !== 'request') return carrier.deliver(incoming)
  if (selection.kind === 'initialize') return carrier.initialize(incoming.message)
  if (incoming.message.method === Method.Initialize && selection.meta === undefined)
    return carrier.refuse({ reason: 'initializedAlready', id, error: INITIALIZED_ALREADY })
  return carrier.call(incoming.message, selection)
}

/** Receives a batch. Only one revision defines batches. */
function receiveBatch<R>(
  values: readonly unknown[],
  selection: Selection,
  carrier: Carrier<R>,
): Awaitable<R> {
  if (selection.kind !== 'serve' || !selection.revision.batching)
    return carrier.refuse({ reason: 'batch', error: NO_BATCHES })
  const items = readBatch(values)
  if (typeof items === 'string') return carrier.refuse({ reason: 'batch', error: invalidRequest(items) })
  const { unavailable } = carrier
  if (unavailable !== undefined && items.some(({ kind }) => kind === 'request'))
    return carrier.refuse({ reason: unavailable, error: UNAVAILABLE[unavailable] })
  return carrier.callAll(items, selection.revision)
}

const UNAVAILABLE = {
  busy: busy(),
  draining: new McpError(ErrorCode.InternalError, 'The server is shutting down', undefined, 'busy'),
}
const UNKNOWN_SESSION = invalidRequest('Session not found: send an initialize request')
const INITIALIZED_ALREADY = invalidRequest('The session is initialized already')
const NO_BATCHES = invalidRequest('Batches are not part of this protocol revision')

/**
 * Delivers a message that requires no response to its session. Returns false if the message is a response to an
 * unknown request. Rejects if the message belongs to another node but may not arrive there.
 */
export function deliver(session: Session | undefined, incoming: NoRequest): boolean | Promise<true> {
  if (incoming.kind === 'response') return session?.response(incoming.message) ?? false
  return session?.notification(incoming.message) ?? true
}
