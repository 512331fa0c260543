import { sseEvents } from '@jetway/client/http'
import { deferred, initialize, INITIALIZED, REVISION } from '@jetway-apps/test-support'
import type { Message } from './client.ts'

/** The status of a POST, and the text of its body. */
export interface Posted {
  readonly status: number
  readonly text: string
}

/** An HTTP+SSE client that posts each message to a node chosen by the test. */
export class SseNodeClient {
  /** The received messages. */
  readonly messages: Message[] = []
  /** Whether the stream has ended. */
  ended = false
  readonly #token: string
  readonly #leaving = new AbortController()
  #path = ''
  #nextId = 1

  constructor(principal: string) {
    this.#token = principal
  }

  /** Opens the stream at this node. */
  async listen(url: string): Promise<this> {
    const { promise, resolve } = deferred()
    const { body } = await fetch(new URL('/sse', url), {
      headers: { ...this.#headers, accept: 'text/event-stream' },
      signal: this.#leaving.signal,
    })
    if (body === null) throw new Error('There is no stream')
    void this.#read(body, resolve)
    await promise
    return this
  }

  /** Initializes the session at this node. */
  async open(url: string, capabilities: object = { elicitation: {} }): Promise<this> {
    const message = initialize(REVISION, { capabilities })
    const { status, text } = await this.post(url, message)
    if (status !== 202) throw new Error(`initialize was answered ${status}: ${text}`)
    await this.post(url, INITIALIZED)
    return this
  }

  async post(url: string, message: object, token: string = this.#token): Promise<Posted> {
    const response = await fetch(new URL(this.#path, url), {
      method: 'POST',
      headers: { ...this.#headers, authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify(message),
    })
    return { status: response.status, text: await response.text() }
  }

  /** Calls a tool at this node. Once the call has been accepted, resolves to its id. */
  async call(url: string, name: string, args: object = {}): Promise<string> {
    const id = `call-${this.#nextId++}`
    const params = { name, arguments: args, _meta: { progressToken: id } }
    const { status, text } = await this.post(url, { jsonrpc: '2.0', id, method: 'tools/call', params })
    if (status !== 202) throw new Error(`A call was answered ${status}: ${text}`)
    return id
  }

  /** Returns the messages of a call: its progress and its response. */
  about(id: string): readonly Message[] {
    return this.messages.filter((message) => message.id === id || message.params?.['progressToken'] === id)
  }

  leave(): void {
    this.#leaving.abort()
  }

  get #headers(): Record<string, string> {
    return { authorization: `Bearer ${this.#token}` }
  }

  async #read(body: ReadableStream<Uint8Array>, opened: () => void): Promise<void> {
    try {
      for await (const { event, data } of sseEvents(body)) {
        if (event === 'endpoint') {
          this.#path = data
          opened()
        } else if (data !== '') this.messages.push(JSON.parse(data) as Message)
      }
    } catch {
      // The connection has broken.
    }
    this.ended = true
  }
}
