import {
  isObject,
  isRequestId,
  type JsonObject,
  type JsonRpcResponse,
  type RequestId,
} from '../../protocol/jsonrpc.ts'
import type { SessionKey } from '../../stores/session-store.ts'

/** A message about one session, sent from one node to another. */
export type SessionMail =
  /** The session has ended. */
  | { readonly kind: 'ended' }
  /** The session's record has changed. */
  | { readonly kind: 'changed' }
  /** A frame for the GET stream, which the receiver writes. */
  | { readonly kind: 'frame'; readonly frame: string }
  | YieldMail
  /** New events of a stream that the receiver follows. */
  | { readonly kind: 'appended'; readonly stream: string }
  /** The client's response to a request that the receiver sent. */
  | { readonly kind: 'answer'; readonly response: JsonRpcResponse }
  /** The client has cancelled the call. */
  | { readonly kind: 'cancel'; readonly id: RequestId }
  /**
   * A message that an HTTP+SSE client has posted to the sender, as JSON. The receiver writes the client's
   * stream. `server` is the name of the server that the sender would have chosen, and `auth` is its
   * `AuthInfo` as JSON, omitted for an anonymous client.
   */
  | {
      readonly kind: 'message'
      readonly ref: string
      readonly server: string
      readonly message: string
      readonly auth?: string
    }
  /** The reply to the message with this `ref`. */
  | {
      readonly kind: 'reply'
      readonly ref: string
      readonly status: number
      readonly headers: Readonly<Record<string, string>>
      readonly body?: string
    }

/**
 * `yield`: the sender has a new GET stream that replaces the receiver's. `stream` is omitted if the receiver's
 * stream has no name. `seized`: the sender now writes this stream, with this fence.
 */
export interface YieldMail {
  readonly kind: 'yield' | 'seized'
  readonly stream?: string | undefined
  readonly fence?: number | undefined
}

export interface ReceivedMail {
  readonly key: SessionKey
  /** The node that sent the message. */
  readonly from: string
  readonly mail: SessionMail
}

const isText = (value: unknown): value is string => typeof value === 'string'
const isNumber = (value: unknown): value is number => typeof value === 'number'
const isOptionalText = (value: unknown): boolean => value === undefined || isText(value)

/** The fields of each kind of message. Nodes that run another version may send other kinds. */
const MEMBERS: {
  readonly [Kind in SessionMail['kind']]: Readonly<Record<string, (value: unknown) => boolean>>
} = {
  ended: {},
  changed: {},
  frame: { frame: isText },
  yield: { stream: isOptionalText },
  seized: { stream: isOptionalText, fence: (value) => value === undefined || isNumber(value) },
  appended: { stream: isText },
  answer: { response: (value) => isObject(value) && isRequestId(value['id']) },
  cancel: { id: isRequestId },
  message: { ref: isText, server: isText, message: isText, auth: isOptionalText },
  reply: {
    ref: isText,
    status: isNumber,
    headers: (value) => isObject(value) && Object.values(value).every(isText),
    body: isOptionalText,
  },
}

export const toMessage = ({ principal, id }: SessionKey, from: string, mail: SessionMail): JsonObject => ({
  principal,
  session: id,
  from,
  mail,
})

/** Returns undefined for a message that is not about a session. */
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
