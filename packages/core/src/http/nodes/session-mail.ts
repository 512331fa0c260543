import {
  isObject,
  isRequestId,
  type JsonObject,
  type JsonRpcResponse,
  type RequestId,
} from '../../protocol/jsonrpc.ts'
import type { SessionKey, SessionRecord } from '../../stores/session-store.ts'

/** A message about one session, from one node to another. */
export type SessionMail = LinkMail | SseMail

/** Mail about a session on either transport. */
export type LinkMail =
  /** The session is over. */
  | { readonly kind: 'ended' }
  /** The record has changed. */
  | { readonly kind: 'changed' }
  /** A frame for the stream of the session, which the receiver writes. */
  | { readonly kind: 'frame'; readonly frame: string }
  /**
   * The sender has a new stream for the session and replaces this one. Left out if it has no name.
   */
  | { readonly kind: 'yield'; readonly stream?: string }
  /** The sender writes this stream now. */
  | { readonly kind: 'seized'; readonly stream?: string }
  /** A stream that the receiver follows has new events. */
  | { readonly kind: 'poke'; readonly stream: string }
  /** The response to a request that the receiver has sent to the client. */
  | { readonly kind: 'answer'; readonly response: JsonRpcResponse }
  /** How many calls have this id? */
  | { readonly kind: 'count'; readonly id: RequestId; readonly round: string }
  | { readonly kind: 'counted'; readonly calls: number; readonly round: string }
  /** The client has cancelled the call. */
  | { readonly kind: 'cancel'; readonly id: RequestId }

/** Mail about the stream of an HTTP+SSE session. */
export type SseMail =
  /** The sender has initialized the session whose HTTP+SSE stream the receiver writes. */
  | { readonly kind: 'opened'; readonly record: SessionRecord; readonly version: string }
  /** Messages of the sender's calls for the HTTP+SSE stream that the receiver writes. */
  | SseFrames
  /** The client keeps up with the first so many UTF-16 units from this outlet of the receiver. */
  | { readonly kind: 'read'; readonly outlet: string; readonly units: number }
  /** The client has used new credentials. Left out if they do not expire. */
  | { readonly kind: 'renewed'; readonly expiresAt?: number }

/** A message of a call, for the client of an HTTP+SSE stream. */
export interface SseFrame {
  readonly frame: string
  /** It is dropped if the client reads too slowly. */
  readonly optional?: boolean
}

export interface SseFrames {
  readonly kind: 'frames'
  /** The id of the `RemoteSse` of the sender. */
  readonly outlet: string
  /** Counts the mail of an outlet, from 1. Mail that arrives twice is written once. */
  readonly seq: number
  /** In order. An empty list asks how far the client has read. */
  readonly frames: readonly SseFrame[]
}

export interface ReceivedMail {
  readonly key: SessionKey
  /** The node that sent it. */
  readonly from: string
  readonly mail: SessionMail
}

const isText = (value: unknown): value is string => typeof value === 'string'
const isNumber = (value: unknown): value is number => typeof value === 'number'
const isFrames = (value: unknown): boolean =>
  Array.isArray(value) && value.every((item) => isObject(item) && isText(item['frame']))
const isOptionalText = (value: unknown): boolean => value === undefined || isText(value)

/** The members of each kind. Nodes of another version may send others. */
const MEMBERS: {
  readonly [Kind in SessionMail['kind']]: Readonly<Record<string, (value: unknown) => boolean>>
} = {
  ended: {},
  changed: {},
  frame: { frame: isText },
  yield: { stream: isOptionalText },
  seized: { stream: isOptionalText },
  poke: { stream: isText },
  answer: { response: (value) => isObject(value) && isRequestId(value['id']) },
  count: { id: isRequestId, round: isText },
  counted: { calls: isNumber, round: isText },
  cancel: { id: isRequestId },
  opened: { record: isObject, version: isText },
  frames: { outlet: isText, seq: isNumber, frames: isFrames },
  read: { outlet: isText, units: isNumber },
  renewed: { expiresAt: (value) => value === undefined || isNumber(value) },
}

export const toMessage = ({ principal, id }: SessionKey, from: string, mail: SessionMail): JsonObject => ({
  principal,
  session: id,
  from,
  mail,
})

/** Undefined for a message that is not about a session. */
export function readMail(message: unknown): ReceivedMail | undefined {
  if (!isObject(message)) return undefined
  const { principal, session: id, from, mail } = message
  if (!isText(principal) || !isText(id) || !isText(from) || !isObject(mail)) return undefined
  const { kind } = mail
  if (!isText(kind) || !Object.hasOwn(MEMBERS, kind)) return undefined
  const members = Object.entries(MEMBERS[kind as SessionMail['kind']])
  if (!members.every(([name, isValid]) => isValid(mail[name]))) return undefined
  return { key: { principal, id }, from, mail: mail as unknown as SessionMail }
}

export const isSseMail = (mail: SessionMail): mail is SseMail =>
  mail.kind === 'opened' || mail.kind === 'frames' || mail.kind === 'read' || mail.kind === 'renewed'
