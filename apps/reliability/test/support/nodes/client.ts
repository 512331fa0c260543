import { type IncomingMessage, request } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import { SseParser } from '@jetway/client/http'
import { initialize, INITIALIZED, REVISION } from '@jetway-apps/test-support'

/** A JSON-RPC message from the wire. */
export interface Message {
  readonly id?: string | number
  readonly method?: string
  readonly params?: Readonly<Record<string, unknown>>
  readonly result?: Readonly<Record<string, unknown>>
  readonly error?: { readonly code: number; readonly message: string }
}

/** The owner of some data: a principal, and the name of the principal's client. */
export interface Owner {
  readonly principal: string
  readonly client: string
}

interface Sent {
  readonly headers: object
  readonly body?: string
  readonly cutAfter?: number | undefined
}

/** The number of consecutive 503 replies after which the reply is passed to the test. */
const MOST_TRIES = 5

const POST = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }

/** A reply that is being received. */
export class Reply {
  readonly status: number
  readonly headers: IncomingMessage['headers']
  /** The received messages. */
  readonly messages: Message[] = []
  /** Resolves when the reply ends, even if the connection breaks. */
  readonly ended: Promise<void>
  text = ''
  lastId: string | undefined
  /** Whether the reply ended properly. */
  complete = false
  readonly #response: IncomingMessage
  readonly #parser = new SseParser()
  #woken: (() => void)[] = []
  #closed = false
  #left: number

  /**
   * @param cutAfter - the number of characters after the first event with an id at which the client disconnects
   */
  constructor(response: IncomingMessage, cutAfter = Infinity) {
    this.#response = response
    this.#left = cutAfter
    this.status = response.statusCode ?? 0
    this.headers = response.headers
    const isStream = response.headers['content-type']?.startsWith('text/event-stream') === true
    response.setEncoding('utf8')
    response.on('error', () => {})
    response.on('data', (chunk: string) => {
      this.text += chunk
      if (isStream) this.#takeEvents(chunk)
    })
    this.ended = new Promise((resolve) => {
      response.on('close', () => {
        this.complete = response.complete
        if (!isStream && this.complete && this.text.startsWith('{'))
          this.messages.push(JSON.parse(this.text) as Message)
        this.#closed = true
        this.#wake()
        resolve()
      })
    })
  }

  /** Resolves when the condition is true or the reply has ended. */
  async until(holds: () => boolean): Promise<void> {
    while (!holds() && !this.#closed) await new Promise<void>((resolve) => this.#woken.push(resolve))
  }

  /** Disconnects. */
  leave(): Promise<void> {
    this.#response.destroy()
    return this.ended
  }

  #takeEvents(chunk: string): void {
    const taken = this.lastId === undefined ? chunk : chunk.slice(0, this.#left)
    if (this.lastId !== undefined) this.#left -= taken.length
    if (this.#left === 0) this.#response.destroy()
    for (const { id, data } of this.#parser.push(taken)) {
      this.lastId = id ?? this.lastId
      if (data !== '') this.messages.push(JSON.parse(data) as Message)
    }
    this.#wake()
  }

  #wake(): void {
    for (const resolve of this.#woken.splice(0)) resolve()
  }
}

/** A client that opens a connection for each request, to a URL chosen by the test. */
export class NodeClient {
  readonly owner: Owner
  #session: Record<string, string> = {}
  #nextId = 1

  constructor(owner: Owner) {
    this.owner = owner
  }

  get session(): string {
    return this.#session['mcp-session-id'] ?? ''
  }

  /** Opens a session. */
  async open(url: string, capabilities: object = { elicitation: {} }): Promise<this> {
    this.#session = {}
    const message = initialize(REVISION, { capabilities })
    const params = { ...message.params, clientInfo: { name: this.owner.client, version: '1.0.0' } }
    const reply = await this.post(url, { ...message, params })
    if (reply.status !== 200) throw new Error(`initialize was answered ${reply.status}: ${reply.text}`)
    this.#session = {
      'mcp-session-id': String(reply.headers['mcp-session-id']),
      'mcp-protocol-version': REVISION,
    }
    await this.post(url, INITIALIZED)
    return this
  }

  /** Sends a message. Resolves when the reply has ended. */
  async post(url: string, message: object, headers: object = {}): Promise<Reply> {
    const reply = await this.send(url, message, headers)
    await reply.ended
    return reply
  }

  /** Sends a message. Resolves when the reply begins. */
  send(url: string, message: object, headers: object = {}): Promise<Reply> {
    return this.#request('POST', url, { headers: { ...POST, ...headers }, body: JSON.stringify(message) })
  }

  /** Sends a message, without repeating it after a 503. Resolves when the reply has ended. */
  async once(url: string, message: object): Promise<Reply> {
    const reply = new Reply(
      await this.#exchange('POST', url, { headers: POST, body: JSON.stringify(message) }),
    )
    await reply.ended
    return reply
  }

  /** Calls a tool. Resolves when the reply begins. */
  call(url: string, name: string, args: object = {}, more: object = {}, cutAfter?: number): Promise<Reply> {
    const id = this.nextId()
    const _meta = { progressToken: `token ${id}` }
    const params = { name, arguments: args, _meta, ...more }
    const body = JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params })
    return this.#request('POST', url, { headers: POST, body, cutAfter })
  }

  /** Opens the GET stream of the session, or resumes a stream. */
  get(url: string, lastId?: string, cutAfter?: number): Promise<Reply> {
    const resume = lastId === undefined ? {} : { 'last-event-id': lastId }
    return this.#request('GET', url, { headers: { accept: 'text/event-stream', ...resume }, cutAfter })
  }

  async delete(url: string): Promise<Reply> {
    const reply = await this.#request('DELETE', url, { headers: {} })
    await reply.ended
    return reply
  }

  nextId(): number {
    return this.#nextId++
  }

  /** Repeats a request after a 503 reply, when the time in `Retry-After` has passed. */
  async #request(method: string, url: string, sent: Sent): Promise<Reply> {
    for (let tries = 1; ; tries++) {
      const response = await this.#exchange(method, url, sent)
      if (response.statusCode !== 503 || tries === MOST_TRIES) return new Reply(response, sent.cutAfter)
      response.destroy()
      await delay(Number(response.headers['retry-after'] ?? 1) * 1_000)
    }
  }

  #exchange(method: string, url: string, { headers, body }: Sent): Promise<IncomingMessage> {
    return new Promise((resolve, reject) => {
      const authorization = `Bearer ${this.owner.principal}`
      const sent = request(url, {
        method,
        agent: false,
        headers: { authorization, ...this.#session, ...headers },
      })
      sent.on('response', resolve)
      sent.on('error', reject)
      sent.end(body)
    })
  }
}

/** Returns the values of the progress notifications in a reply. */
export const progressOf = (messages: readonly Message[]): unknown[] =>
  messages
    .filter(({ method }) => method === 'notifications/progress')
    .map(({ params }) => params?.['progress'])

/** Returns the response from among the messages of one call. */
export const responseOf = (messages: readonly Message[]): Message | undefined =>
  messages.find((message) => 'result' in message || 'error' in message)
