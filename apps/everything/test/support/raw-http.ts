import { once } from 'node:events'
import { Agent, type IncomingMessage, request } from 'node:http'
import { text } from 'node:stream/consumers'

/** A JSON-RPC message on the wire. */
export interface Message {
  readonly jsonrpc?: unknown
  readonly id?: unknown
  readonly method?: string
  readonly params?: Readonly<Record<string, unknown>>
  readonly result?: Readonly<Record<string, unknown>>
  readonly error?: { readonly code?: unknown; readonly message?: unknown }
}

export interface Reply {
  readonly status: number
  readonly session: string | undefined
  /** Returns the messages in a JSON body or a stream, in order. */
  readonly messages: readonly Message[]
}

/** A client that works directly on the socket, so that no library corrects the replies. */
export class RawClient {
  readonly #url: string
  readonly #agent: Agent
  #session: string | undefined

  constructor(url: string, agent: Agent = new Agent({ keepAlive: true, maxSockets: 8 })) {
    this.#url = url
    this.#agent = agent
  }

  async initialize(name = 'raw'): Promise<void> {
    const clientInfo = { name, version: '1.0.0' }
    const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo }
    const { session } = await this.post({ jsonrpc: '2.0', id: 1, method: 'initialize', params })
    this.#session = session
    await this.post({ jsonrpc: '2.0', method: 'notifications/initialized' })
  }

  /** Opens the GET stream. `end` closes it and resolves to its messages. */
  async listen(): Promise<{ end(): Promise<readonly Message[]> }> {
    const headers = { accept: 'text/event-stream', ...this.#sessionHeaders() }
    // The request does not use an agent, because the stream would occupy one of its sockets.
    const sent = request(this.#url, { method: 'GET', agent: false, headers })
    sent.end()
    const [response] = (await once(sent, 'response')) as [IncomingMessage]
    if (response.statusCode !== 200) throw new Error(`GET was answered with ${response.statusCode}`)
    let body = ''
    response.setEncoding('utf8').on('data', (chunk: string) => void (body += chunk))
    response.on('error', () => {})
    const end = async (): Promise<readonly Message[]> => {
      const closed = once(response, 'close')
      response.destroy()
      await closed
      return readMessages('text/event-stream', body)
    }
    return { end }
  }

  async post(message: unknown): Promise<Reply> {
    const headers = {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...this.#sessionHeaders(),
    }
    const sent = request(this.#url, { method: 'POST', agent: this.#agent, headers })
    sent.end(JSON.stringify(message))
    const [response] = (await once(sent, 'response')) as [IncomingMessage]
    const body = await text(response)
    const session = response.headers['mcp-session-id']
    return {
      status: response.statusCode ?? 0,
      session: typeof session === 'string' ? session : undefined,
      messages: readMessages(response.headers['content-type'] ?? '', body),
    }
  }

  close(): void {
    this.#agent.destroy()
  }

  #sessionHeaders(): Record<string, string> {
    if (this.#session === undefined) return {}
    return { 'mcp-session-id': this.#session, 'mcp-protocol-version': '2025-11-25' }
  }
}

function readMessages(contentType: string, body: string): Message[] {
  if (!contentType.startsWith('text/event-stream')) return body === '' ? [] : [JSON.parse(body) as Message]
  return body
    .split('\n\n')
    .map((event) =>
      event
        .split('\n')
        .filter((line) => line.startsWith('data:'))
        .map((line) => line.slice('data:'.length).trimStart())
        .join('\n'),
    )
    .filter((data) => data !== '')
    .map((data) => JSON.parse(data) as Message)
}
