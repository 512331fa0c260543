import { type IncomingMessage, request } from 'node:http'
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

/** A principal, and the name of its client. */
export interface Owner {
  readonly principal: string
  readonly client: string
}

const POST = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }

/** A reply that arrives. */
export class Reply {
  readonly status: number
  readonly headers: IncomingMessage['headers']
  /** The messages so far. */
  readonly messages: Message[] = []
  /** Resolves when no more comes, however the reply ends. */
  readonly ended: Promise<void>
  text = ''
  lastId: string | undefined
  /** Whether it ended as it should. */
  complete = false
  readonly #response: IncomingMessage
  readonly #parser = new SseParser()
  #woken: (() => void)[] = []
  #closed = false

  constructor(response: IncomingMessage) {
    this.#response = response
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

  /** Resolves when the condition holds or the reply has ended. */
  async until(holds: () => boolean): Promise<void> {
    while (!holds() && !this.#closed) await new Promise<void>((resolve) => this.#woken.push(resolve))
  }

  /** Disconnects. */
  leave(): Promise<void> {
    this.#response.destroy()
    return this.ended
  }

  #takeEvents(chunk: string): void {
    for (const { id, data } of this.#parser.push(chunk)) {
      this.lastId = id ?? this.lastId
      if (data !== '') this.messages.push(JSON.parse(data) as Message)
    }
    this.#wake()
  }

  #wake(): void {
    for (const resolve of this.#woken.splice(0)) resolve()
  }
}

/** A client that sends each request by a connection of its own, to whichever URL a test says. */
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
    return this.#request('POST', url, { ...POST, ...headers }, JSON.stringify(message))
  }

  /** Calls a tool. Resolves when the reply begins. */
  call(url: string, name: string, args: object = {}, more: object = {}): Promise<Reply> {
    const id = this.nextId()
    const _meta = { progressToken: `token ${id}` }
    return this.send(url, {
      jsonrpc: '2.0',
      id,
      method: 'tools/call',
      params: { name, arguments: args, _meta, ...more },
    })
  }

  /** Opens the GET stream of the session, or resumes a stream. */
  get(url: string, lastId?: string): Promise<Reply> {
    const resume = lastId === undefined ? {} : { 'last-event-id': lastId }
    return this.#request('GET', url, { accept: 'text/event-stream', ...resume })
  }

  async delete(url: string): Promise<Reply> {
    const reply = await this.#request('DELETE', url, {})
    await reply.ended
    return reply
  }

  nextId(): number {
    return this.#nextId++
  }

  #request(method: string, url: string, headers: object, body?: string): Promise<Reply> {
    return new Promise((resolve, reject) => {
      const authorization = `Bearer ${this.owner.principal}`
      const sent = request(url, {
        method,
        agent: false,
        headers: { authorization, ...this.#session, ...headers },
      })
      sent.on('response', (response) => resolve(new Reply(response)))
      sent.on('error', reject)
      sent.end(body)
    })
  }
}

/** What the progress notifications of a reply report. */
export const progressOf = (messages: readonly Message[]): unknown[] =>
  messages
    .filter(({ method }) => method === 'notifications/progress')
    .map(({ params }) => params?.['progress'])

/** The response among the messages of one call. */
export const responseOf = (messages: readonly Message[]): Message | undefined =>
  messages.find((message) => 'result' in message || 'error' in message)
