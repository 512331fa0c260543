import { isObject, type JsonObject, Method } from '@jetway/core/protocol'
import { exchange, type HttpReply, NoReplyError } from './exchange.ts'
import {
  INITIALIZED,
  initializeMessage,
  LEGACY,
  modernRequest,
  post,
  type RpcReply,
  type Site,
} from './site.ts'

/** A server that has responded. */
export interface Opened {
  /** The reply to `initialize`. */
  readonly reply: RpcReply
  /** The time until the reply to `initialize` arrived, in ms. */
  readonly replyMs: number
  /** The headers for later requests. Undefined if the server does not support revisions with sessions. */
  readonly session: Readonly<Record<string, string>> | undefined
  /** The session id. Undefined if the server did not send one. */
  readonly sessionId: string | undefined
  /** Whether the server supports revisions without sessions. */
  readonly isModern: boolean
}

/** Ignores a missing reply, because some servers do not reply to unknown methods or notifications. */
function unlessAnswered(error: unknown): undefined {
  if (!(error instanceof NoReplyError)) throw error
}

/**
 * Detects the eras that the server supports. Resolves to undefined if it supports none. @param reply - the
 * reply to `initialize`
 */
export async function openServer(site: Site, reply: RpcReply, replyMs: number): Promise<Opened | undefined> {
  const [message, headers] = modernRequest(Method.Discover)
  const discovered = await post(site, message, headers).catch(unlessAnswered)
  const isModern = isObject(discovered?.response?.['result'])
  const version = versionOf(reply.response)
  if (version === undefined)
    return isModern ? { reply, replyMs, session: undefined, sessionId: undefined, isModern } : undefined
  const sessionId = sessionIdOf(reply)
  const session = {
    'mcp-protocol-version': version,
    ...(sessionId !== undefined && { 'mcp-session-id': sessionId }),
  }
  await post(site, INITIALIZED, session).catch(unlessAnswered)
  return { reply, replyMs, session, sessionId, isModern }
}

/** Returns the revision in the response to `initialize`. */
function versionOf(response: JsonObject | undefined): string | undefined {
  const { result } = response ?? {}
  if (!isObject(result)) return undefined
  const { protocolVersion: version } = result
  return typeof version === 'string' ? version : LEGACY.version
}

export function sessionIdOf({ headers }: HttpReply): string | undefined {
  const id = headers['mcp-session-id']
  return typeof id === 'string' && id !== '' ? id : undefined
}

/** Sends `initialize` with other headers, and ends the resulting session. @throws NoReplyError */
export async function tryInitialize(
  site: Site,
  headers: Readonly<Record<string, string>>,
): Promise<RpcReply> {
  const reply = await post(site, initializeMessage(), headers)
  const id = sessionIdOf(reply)
  const version = versionOf(reply.response)
  if (id !== undefined && version !== undefined)
    await endSession(site, { 'mcp-session-id': id, 'mcp-protocol-version': version }).catch(() => {})
  return reply
}

/** @throws NoReplyError */
export const endSession = (site: Site, session: Readonly<Record<string, string>>): Promise<HttpReply> =>
  exchange(
    { url: site.url, method: 'DELETE', headers: { ...site.headers, ...session } },
    { timeoutMs: site.replyMs },
  )
