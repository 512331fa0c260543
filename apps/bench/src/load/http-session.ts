import { HttpConnection } from './http-connection.ts'
import { headerOf } from './reply-reader.ts'
import { FIRST_ID, INITIALIZE, INITIALIZED, messageWith, PROTOCOL_VERSION } from './requests.ts'

/** Returns a POST request as Node's `fetch` would send it, because the official client uses `fetch`. */
export function post(port: number, headers: Readonly<Record<string, string>>, body: string): string {
  const lines = Object.entries({
    host: `127.0.0.1:${port}`,
    connection: 'keep-alive',
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    ...headers,
    'accept-language': '*',
    'sec-fetch-mode': 'cors',
    'user-agent': 'node',
    'accept-encoding': 'gzip, deflate',
    'content-length': String(Buffer.byteLength(body)),
  })
  return `POST /mcp HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n${body}`
}

/** The session headers in a client's later requests. */
export type SessionHeaders = Readonly<Record<string, string>>

/** Opens one client's session. */
async function openSession(
  port: number,
  connection: HttpConnection,
  own: SessionHeaders,
): Promise<SessionHeaders> {
  const reply = await connection.exchange(post(port, own, messageWith(INITIALIZE, FIRST_ID)))
  const id = headerOf(reply.head, 'mcp-session-id')
  if (reply.status !== 200 || id === undefined) {
    throw new Error(`initialize was answered ${reply.status}: ${reply.body().slice(0, 300)}`)
  }
  const headers = { ...own, 'mcp-session-id': id, 'mcp-protocol-version': PROTOCOL_VERSION }
  await connection.exchange(post(port, headers, INITIALIZED))
  return headers
}

/**
 * Opens sessions one after another on a single connection.
 *
 * @param own - additional headers for every request
 */
export async function openSessions(
  port: number,
  count: number,
  own: SessionHeaders = {},
): Promise<SessionHeaders[]> {
  const connection = await HttpConnection.open(port)
  const sessions: SessionHeaders[] = []
  while (sessions.length < count) sessions.push(await openSession(port, connection, own))
  connection.close()
  return sessions
}
