import {
  CLIENT_CAPABILITIES,
  CLIENT_INFO,
  isObject,
  type JsonObject,
  Method,
  Notification,
  PROTOCOL_VERSION,
  type Revision,
  REVISIONS,
} from '@jetway/core/protocol'
import { SseParser } from '@jetway/client/http'
import { ownVersion } from '../../version.ts'
import { EVENT_STREAM, exchange, type HttpReply, mediaType } from './exchange.ts'

/** The server being examined, with time limits in ms. */
export interface Site {
  readonly url: URL
  /** The user's headers. They may contain a token, and are sent only to this URL. */
  readonly headers: Readonly<Record<string, string>>
  /** The time limit for a reply. */
  readonly replyMs: number
  /** The time limit for a stream's first bytes, in addition to the time that the server needs to reply. */
  readonly firstBytesMs: number
  /** The time limit for the first data on a silent stream. */
  readonly keepAliveMs: number
  /** Informs the user about slow steps. */
  readonly progress: (text: string) => void
}

/** A reply, and the JSON-RPC response in it. */
export interface RpcReply extends HttpReply {
  readonly response: JsonObject | undefined
}

type Headers = Readonly<Record<string, string>>

const JSON_HEADERS = {
  accept: `application/json, ${EVENT_STREAM}`,
  'content-type': 'application/json',
  'accept-encoding': 'identity',
}

/**
 * Sends one message in a POST request, with the user's headers. `headers` overrides these. @throws NoReplyError
 */
export async function post(site: Site, message: JsonObject, headers: Headers = {}): Promise<RpcReply> {
  const reply = await exchange(
    {
      url: site.url,
      method: 'POST',
      headers: { ...site.headers, ...JSON_HEADERS, ...headers },
      body: JSON.stringify(message),
    },
    { timeoutMs: site.replyMs, isComplete: (text) => responseIn(text) !== undefined },
  )
  return { ...reply, response: responseIn(reply.text, mediaType(reply.headers)) }
}

/** Returns the same site without the token. */
export const withoutToken = (site: Site): Site => ({
  ...site,
  headers: Object.fromEntries(
    Object.entries(site.headers).filter(([name]) => name.toLowerCase() !== 'authorization'),
  ),
})

export const hasToken = ({ headers }: Site): boolean =>
  Object.keys(headers).some((name) => name.toLowerCase() === 'authorization')

/** Returns the first JSON-RPC response in a body that contains JSON or events. */
function responseIn(text: string, type: string = EVENT_STREAM): JsonObject | undefined {
  const candidates = type === EVENT_STREAM ? eventData(text) : [text]
  return candidates.map(parse).find((value) => isObject(value) && ('result' in value || 'error' in value))
}

function eventData(text: string): readonly string[] {
  return new SseParser().push(text).map(({ data }) => data)
}

function parse(text: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return isObject(value) ? value : undefined
  } catch {
    return undefined
  }
}

const ofEra = (era: Revision['era']): Revision => REVISIONS.find((each) => each.era === era) as Revision

/** The newest revision with sessions, and the newest one without. */
export const LEGACY: Revision = ofEra('legacy')
const MODERN: Revision = ofEra('modern')

const clientInfo = (): JsonObject => ({ name: 'jetway-doctor', version: ownVersion() })

export const initializeMessage = (): JsonObject => ({
  jsonrpc: '2.0',
  id: 1,
  method: Method.Initialize,
  params: { protocolVersion: LEGACY.version, capabilities: {}, clientInfo: clientInfo() },
})

export const INITIALIZED: JsonObject = { jsonrpc: '2.0', method: Notification.Initialized }
export const PING: JsonObject = { jsonrpc: '2.0', id: 2, method: Method.Ping }

/** Creates a request in the revision without sessions. Its headers repeat fields of the request. */
export function modernRequest(method: string, params: JsonObject = {}): readonly [JsonObject, Headers] {
  const _meta = {
    [PROTOCOL_VERSION]: MODERN.version,
    [CLIENT_CAPABILITIES]: {},
    [CLIENT_INFO]: clientInfo(),
  }
  return [
    { jsonrpc: '2.0', id: 1, method, params: { ...params, _meta } },
    { 'mcp-protocol-version': MODERN.version, 'mcp-method': method },
  ]
}

const LOOPBACK = /^(localhost|.*\.localhost|127(\.\d{1,3}){3}|\[::1\])$/

/** Returns whether a URL can be reached only from this machine. */
export const isLoopback = ({ hostname }: URL): boolean => LOOPBACK.test(hostname)
