import { initialize, INITIALIZED } from '@jetway-apps/test-support'
import { callTool } from '@jetway-apps/test-support'
import { once } from 'node:events'
import { Agent, type IncomingMessage, request } from 'node:http'
import { SseParser } from '@jetway/client/http'

const REVISION = '2025-11-25'

export interface Message {
  readonly id?: string | number
  readonly method?: string
  readonly params?: Record<string, unknown>
  readonly result?: { readonly content: readonly { readonly text: string }[]; readonly isError?: boolean }
  readonly error?: { readonly code: number; readonly message: string }
}

/** The part of a reply that arrived over one connection. */
export interface Piece {
  readonly status: number
  readonly headers: IncomingMessage['headers']
  /** All data received, even if the last event is incomplete. */
  readonly text: string
  readonly messages: readonly Message[]
  /** The id of the last complete event. */
  readonly lastId: string | undefined
  readonly retries: readonly number[]
}

export interface Outcome {
  /** The messages before the response, in order. */
  readonly notices: readonly Message[]
  readonly response: Message
  readonly pieces: readonly Piece[]
}

export interface CallOptions {
  readonly id?: string | number
  /** The number of events after which the client disconnects from the first reply. */
  readonly leaveAfter?: number
}

/** A reply that the client has stopped reading. */
export interface StalledReply {
  /** Reads the rest of the reply. */
  readOn(): Promise<Piece>
}

const JSON_POST = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }

/** The maximum number of connections for one call, which no test reaches. */
const MAX_PIECES = 1_000

/** A client that resumes with `Last-Event-ID` until it has received its response. It ignores incomplete events. */
export class ResumingClient {
  readonly #url: URL
  readonly #agent: Agent
  #headers: Record<string, string> = {}

  constructor(url: string, options: { readonly keepAlive?: boolean } = {}) {
    this.#url = new URL(url)
    this.#agent = new Agent({ keepAlive: options.keepAlive ?? false })
  }

  /** Returns a client for the same session at another URL. */
  through(url: string): ResumingClient {
    const client = new ResumingClient(url)
    client.#headers = this.#headers
    return client
  }

  async open(): Promise<this> {
    const { headers, status } = await this.post(initialize(REVISION, { id: 0 }))
    if (status !== 200) throw new Error(`initialize was answered with ${status}`)
    this.#headers = {
      'mcp-session-id': String(headers['mcp-session-id']),
      'mcp-protocol-version': REVISION,
    }
    await this.post(INITIALIZED)
    return this
  }

  async call(name: string, args: object, { id = 1, leaveAfter }: CallOptions = {}): Promise<Outcome> {
    const params = { name, arguments: args, _meta: { progressToken: 'p' } }
    const pieces: Piece[] = []
    let lastId: string | undefined
    while (pieces.length < MAX_PIECES) {
      const piece: Piece =
        lastId === undefined
          ? await this.post({ id, method: 'tools/call', params }, leaveAfter)
          : await this.resume(lastId)
      pieces.push(piece)
      lastId = piece.lastId ?? lastId
      const messages = pieces.flatMap((one) => one.messages)
      const response = messages.find((message) => 'result' in message || 'error' in message)
      if (response !== undefined) {
        return { notices: messages.filter((message) => message !== response), response, pieces }
      }
      if (piece.status !== 200 || lastId === undefined)
        throw new Error(`No way back: ${piece.status} ${piece.text}`)
    }
    throw new Error('The call never ended')
  }

  post(message: object, leaveAfter?: number): Promise<Piece> {
    return this.#send('POST', JSON_POST, JSON.stringify({ jsonrpc: '2.0', ...message }), leaveAfter)
  }

  resume(lastId: string): Promise<Piece> {
    return this.#send('GET', { accept: 'text/event-stream', 'last-event-id': lastId })
  }

  close(): void {
    this.#agent.destroy()
  }

  /**
   * Makes a call, and stops reading after the first bytes. The rest fills first the kernel's buffers, and
   * then the server's.
   */
  async stall(name: string, args: object): Promise<StalledReply> {
    const body = JSON.stringify(callTool(name, args, { id: 'stalled' }))
    const reply = await this.#reply('POST', JSON_POST, body)
    const received = new Received(reply)
    const closed = once(reply, 'close')
    reply.on('error', () => {})
    reply.on('data', (chunk: Buffer) => received.take(chunk))
    await once(reply, 'data')
    reply.pause()
    reply.socket.pause()
    return {
      readOn: async () => {
        reply.socket.resume()
        reply.resume()
        await closed
        return received.piece()
      },
    }
  }

  async #send(method: string, headers: object, body?: string, leaveAfter?: number): Promise<Piece> {
    const reply = await this.#reply(method, headers, body)
    const received = new Received(reply)
    reply.on('error', () => {})
    reply.on('data', (chunk: Buffer) => {
      received.take(chunk)
      if (leaveAfter !== undefined && received.events >= leaveAfter) reply.destroy()
    })
    await new Promise((resolve) => reply.on('close', resolve))
    return received.piece()
  }

  #reply(method: string, headers: object, body?: string): Promise<IncomingMessage> {
    return new Promise((resolve, reject) => {
      const options = { method, agent: this.#agent, headers: { ...headers, ...this.#headers } }
      const sent = request(this.#url, options, resolve)
      sent.on('error', reject)
      sent.end(body)
    })
  }
}

class Received {
  events = 0
  readonly #reply: IncomingMessage
  readonly #isStream: boolean
  readonly #parser = new SseParser()
  readonly #decoder = new TextDecoder()
  readonly #messages: Message[] = []
  readonly #retries: number[] = []
  #text = ''
  #lastId: string | undefined

  constructor(reply: IncomingMessage) {
    this.#reply = reply
    this.#isStream = reply.headers['content-type']?.startsWith('text/event-stream') === true
  }

  take(chunk: Buffer): void {
    const text = this.#decoder.decode(chunk, { stream: true })
    this.#text += text
    if (!this.#isStream) return
    for (const { id, data, retry } of this.#parser.push(text)) {
      this.events++
      this.#lastId = id ?? this.#lastId
      if (retry !== undefined) this.#retries.push(retry)
      if (data !== '') this.#messages.push(JSON.parse(data) as Message)
    }
  }

  piece(): Piece {
    const { statusCode = 0, headers } = this.#reply
    const isMessage = !this.#isStream && this.#reply.complete && this.#text !== ''
    return {
      status: statusCode,
      headers,
      text: this.#text,
      messages: isMessage ? [JSON.parse(this.#text) as Message] : this.#messages,
      lastId: this.#lastId,
      retries: this.#retries,
    }
  }
}
