import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import { isObject, type JsonObject, type JsonRpcMessage, Method, Notification } from '@jetway/core/protocol'
import { type Lists, ProcessEnded, readLists } from '../conversation/lists.ts'
import type { SessionReplay } from '../conversation/replay.ts'
import { endToEnd, type HttpProcess, readWhole } from './process-http.ts'
import { eventsOf } from './sse.ts'

/** The reply from a process that refuses to open a session, such as a 401 with its challenge. */
export interface Refusal {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly body: Buffer
}

/** The path and headers of a client's request. The relay repeats them in its own requests. */
export interface Caller {
  readonly path: string
  readonly headers: IncomingHttpHeaders
}

const MAX_REPLY = 64 * 1024 * 1024
const MAX_REFUSAL = 64 * 1024

/**
 * Opens a copy of a session in a new process, with the credentials of a request. Resolves to its id, or to the refusal.
 *
 * @throws ProcessEnded
 */
export async function openSession(
  process: HttpProcess,
  replay: SessionReplay,
  caller: Caller,
): Promise<string | Refusal> {
  const {
    'mcp-session-id': _id,
    'mcp-protocol-version': version,
    ...identity
  } = withoutStream(caller.headers)
  const { path } = caller
  const reply = await post(
    process,
    { path, headers: identity },
    {
      jsonrpc: '2.0',
      id: 'jetway-dev',
      method: Method.Initialize,
      params: replay.initialize ?? {},
    },
  )
  const id = reply.headers['mcp-session-id']
  if (reply.statusCode !== 200 || typeof id !== 'string') return refusal(reply)
  const result = await resultOf(reply)
  if (result === undefined) return { status: 404, headers: {}, body: Buffer.alloc(0) }
  const own = { path, headers: { ...identity, 'mcp-session-id': id, 'mcp-protocol-version': version } }
  const initialized = await post(process, own, { jsonrpc: '2.0', method: Notification.Initialized })
  initialized.resume()
  for (const { method, params } of replay.settings())
    await requestWith(process, own)(method, params ?? {}).catch(() => {})
  return id
}

/** Reads the lists that a client sees. For a client without a session, `common` is added to the parameters. */
export function sessionLists(
  process: HttpProcess,
  { path, headers }: Caller,
  common: JsonObject = {},
): Promise<Lists> {
  const request = requestWith(process, { path, headers: withoutStream(headers) })
  return readLists((method, params) => request(method, { ...params, ...common }))
}

/** Returns whether a process accepts a caller's requests in a session that the process has. */
export const isAccepted = (process: HttpProcess, { path, headers }: Caller): Promise<boolean> =>
  requestWith(process, { path, headers: withoutStream(headers) })(Method.Ping, {}).then(
    () => true,
    () => false,
  )

let nextId = 0

/** @returns a function that sends a request, and rejects if the process refuses it */
function requestWith(process: HttpProcess, { path, headers }: Caller) {
  return async (method: string, params: JsonObject): Promise<JsonObject> => {
    const own = 'mcp-method' in headers ? { ...headers, 'mcp-method': method } : headers
    const reply = await post(
      process,
      { path, headers: own },
      { jsonrpc: '2.0', id: `jetway-dev:${nextId++}`, method, params },
    )
    const result = await resultOf(reply)
    if (result === undefined) throw new Error(`${method} was answered with status ${reply.statusCode}`)
    return result
  }
}

function post(
  process: HttpProcess,
  { path, headers }: Caller,
  message: JsonRpcMessage,
): Promise<IncomingMessage> {
  return process.send({
    method: 'POST',
    path,
    headers: {
      ...headers,
      accept: 'application/json, text/event-stream',
      'content-type': 'application/json',
    },
    body: JSON.stringify(message),
  })
}

/** Reads the reply to a request: JSON, or the first response in a stream. */
async function resultOf(reply: IncomingMessage): Promise<JsonObject | undefined> {
  if (reply.headers['content-type']?.startsWith('text/event-stream') === true) {
    for await (const { data } of eventsOf(reply)) {
      const result = data === '' ? undefined : readResult(data)
      if (result !== undefined) return result
    }
    return undefined
  }
  const body = await readWhole(reply, MAX_REPLY).catch(() => {
    throw new ProcessEnded()
  })
  return body === undefined ? undefined : readResult(body.toString())
}

function readResult(text: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(text)
    const result = isObject(value) ? value['result'] : undefined
    return isObject(result) ? result : undefined
  } catch {
    return undefined
  }
}

async function refusal(reply: IncomingMessage): Promise<Refusal> {
  const body = (await readWhole(reply, MAX_REFUSAL).catch(() => undefined)) ?? Buffer.alloc(0)
  const status = reply.statusCode ?? 502
  const { 'content-length': _length, ...headers } = endToEnd(reply.headers)
  // 401 and 403 concern only the caller. After any other status, the client must open a new session.
  return status === 401 || status === 403
    ? { status, headers, body }
    : { status: 404, headers: {}, body: Buffer.alloc(0) }
}

function withoutStream(headers: IncomingHttpHeaders): IncomingHttpHeaders {
  const { 'last-event-id': _last, 'content-length': _length, 'mcp-name': _name, ...rest } = headers
  return Object.fromEntries(Object.entries(rest).filter(([name]) => !name.startsWith('mcp-param-')))
}
