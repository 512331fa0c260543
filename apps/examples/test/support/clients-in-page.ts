/** The script for the page in `browser.ts`: the official clients in a web app. */
import {
  Client as ClientV2,
  StreamableHTTPClientTransport as TransportV2,
} from '@modelcontextprotocol/client'
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport as TransportV1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js'

export type OfficialClient = 'v1' | 'v2' | 'v2, pinned to 2026-07-28'

export interface Visit {
  readonly client: OfficialClient
  readonly url: string
  readonly tool: string
  readonly headers: Readonly<Record<string, string>>
}

/** The part of a response that the page's script can read. */
export interface Readable {
  readonly method: string
  readonly status: number
  readonly type: string | null
  readonly sessionId: string | null
  readonly challenge: string | null
}

interface Seen {
  readonly revision: string | undefined
  readonly tools: readonly string[]
  readonly content: unknown
}

export interface SessionSeen extends Seen {
  readonly sessionId: string | undefined
  /** The status of a request to resume after an event that is unknown to the server. */
  readonly resumed: number
  /** The status of a request in the session after the session has ended. */
  readonly afterDelete: number
  readonly responses: readonly Readable[]
  /** The errors that `onerror` received before the session ended. */
  readonly errors: readonly string[]
}

export interface ListeningSeen extends Seen {
  readonly honoredFilter: unknown
}

const INFO = { name: 'page', version: '1.0.0' }

/** Returns the options for a transport, with its received messages and the outcome of its GET request. */
function recording({ headers }: Visit) {
  const responses: Readable[] = []
  let settle = (): void => {}
  const streamSettled = new Promise<void>((resolve) => (settle = resolve))
  const record: typeof fetch = async (input, init) => {
    try {
      const response = await fetch(input, init)
      responses.push({
        method: init?.method ?? 'GET',
        status: response.status,
        type: response.headers.get('content-type'),
        sessionId: response.headers.get('mcp-session-id'),
        challenge: response.headers.get('www-authenticate'),
      })
      return response
    } finally {
      if (init?.method === 'GET') settle()
    }
  }
  return { responses, streamSettled, options: { requestInit: { headers }, fetch: record } }
}

function clientOf({ client, url }: Visit, options: ReturnType<typeof recording>['options']) {
  if (client === 'v1')
    return { client: new ClientV1(INFO), transport: new TransportV1(new URL(url), options) }
  const versionNegotiation = client === 'v2' ? {} : { mode: { pin: '2026-07-28' } }
  return {
    client: new ClientV2(INFO, { versionNegotiation }),
    transport: new TransportV2(new URL(url), options),
  }
}

async function use(client: ClientV1 | ClientV2, visit: Visit) {
  const { tools } = await client.listTools()
  const { content } = await client.callTool({ name: visit.tool, arguments: {} })
  return { tools: tools.map(({ name }) => name), content }
}

/** Opens a session, uses it, and ends it. */
export async function visitInSession(visit: Visit): Promise<SessionSeen> {
  const { responses, streamSettled, options } = recording(visit)
  const { client, transport } = clientOf(visit, options)
  const errors: string[] = []
  // oxlint-disable-next-line unicorn/prefer-add-event-listener -- the clients of the SDK have no events
  client.onerror = ({ message }) => void errors.push(message)
  await client.connect(transport)
  const { sessionId, protocolVersion: revision } = transport
  await streamSettled
  const seen = { ...(await use(client, visit)), revision, sessionId, errors: [...errors] }
  const headers = {
    ...visit.headers,
    accept: 'application/json, text/event-stream',
    'content-type': 'application/json',
    'mcp-protocol-version': revision ?? '',
    'mcp-session-id': sessionId ?? '',
  }
  const resumed = await fetch(visit.url, { headers: { ...headers, 'last-event-id': 'unknown' } })
  await transport.terminateSession()
  await client.close()
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' })
  const afterDelete = await fetch(visit.url, { method: 'POST', headers, body })
  return { ...seen, resumed: resumed.status, afterDelete: afterDelete.status, responses }
}

/** Uses a server without a session, and subscribes to changes to its list of tools. */
export async function visitAndListen(visit: Visit): Promise<ListeningSeen> {
  const { options } = recording(visit)
  const { client, transport } = clientOf(visit, options)
  if (!(client instanceof ClientV2)) throw new Error('only v2 can listen')
  await client.connect(transport)
  const seen = await use(client, visit)
  const subscription = await client.listen({ toolsListChanged: true })
  const revision = client.getNegotiatedProtocolVersion()
  await subscription.close()
  await client.close()
  return { ...seen, revision, honoredFilter: subscription.honoredFilter }
}

/** Attempts to connect. Returns the response if the page can read it. */
export async function visitRefused(visit: Visit): Promise<Readable> {
  const { responses, options } = recording(visit)
  const { client, transport } = clientOf(visit, options)
  const outcome = await client.connect(transport).catch(String)
  await client.close()
  const [refusal] = responses
  if (refusal === undefined) throw new Error(`No response: ${outcome ?? ''}`)
  return refusal
}
