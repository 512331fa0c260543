import { once } from 'node:events'
import { Agent, type IncomingMessage, request, type RequestOptions } from 'node:http'
import { connect, type Socket } from 'node:net'
import { REVISIONS } from '@jetway/core/protocol'

/** The headers to send. A header with a list of values is sent once per value. */
export type SentHeaders = Readonly<Record<string, string | readonly string[]>>

export interface Sent {
  /** @default 'POST' */
  readonly method?: string
  /** The path and query. @default the MCP endpoint's */
  readonly path?: string
  readonly headers?: SentHeaders
  readonly body?: string | Uint8Array
  /** If true, Content-Length is omitted. */
  readonly chunked?: boolean
}

/** A reply whose head has arrived. */
export interface OpenReply {
  readonly status: number
  readonly headers: IncomingMessage['headers']
  /** The text that has arrived so far, decoded as UTF-8. */
  readonly text: () => string
  /** Resolves once the text contains the given string. Rejects if the reply ends without it. */
  readonly until: (expected: string) => Promise<string>
  /** Resolves to the complete text at the end of the reply. Rejects if the connection breaks first. */
  readonly whole: () => Promise<string>
  /** Stops reading, so that the connection's buffers fill up. */
  readonly pause: () => void
  readonly resume: () => void
  /** Closes the connection immediately. */
  readonly leave: () => void
}

export interface WholeReply {
  readonly status: number
  readonly headers: IncomingMessage['headers']
  readonly body: string
}

/** A raw connection. */
interface RawConnection {
  readonly send: (bytes: string | Uint8Array) => Promise<void>
  /** Resolves to all received text once `done` accepts it, or once the peer has closed the connection. */
  readonly until: (done: (received: string) => boolean, what: string) => Promise<string>
  readonly leave: () => void
}

/** The newest revision with sessions and streams. */
export const REVISION: string = REVISIONS.find(({ era }) => era === 'legacy')?.version as string

const MCP_HEADERS: SentHeaders = {
  accept: 'application/json, text/event-stream',
  'content-type': 'application/json',
  'mcp-protocol-version': REVISION,
}

/** The time limit for a complete reply, as a multiple of the limit for each chunk. */
const PIECES = 3

/**
 * A client that works directly on the socket, so that no library hides errors in the received data. It never
 * waits without a time limit.
 */
export class AdapterClient {
  readonly url: URL
  readonly #patience: number
  readonly #agent = new Agent({ keepAlive: true })
  readonly #sockets = new Set<Socket>()

  /** @param patience - how long to wait for any data, in ms; a chunked reply may take three times as long */
  constructor(url: string, patience: number) {
    this.url = new URL(url)
    this.#patience = patience
  }

  /** Sends a request, and waits for the complete reply. */
  async send(sent: Sent): Promise<WholeReply> {
    const reply = await this.open(sent)
    return { status: reply.status, headers: reply.headers, body: await reply.whole() }
  }

  /** Sends a request, and waits for the head of the reply. */
  async open({ method = 'POST', path, headers, body, chunked }: Sent): Promise<OpenReply> {
    const length =
      body === undefined || chunked === true ? {} : { 'content-length': `${Buffer.byteLength(body)}` }
    const options = {
      method,
      agent: this.#agent,
      path: path ?? this.url.pathname,
      headers: { ...MCP_HEADERS, ...length, ...headers } as RequestOptions['headers'],
    }
    const asked = request(this.url, options as RequestOptions)
    // Errors are reported elsewhere: early ones by the wait for the head, and later ones by the reply.
    asked.on('error', () => {})
    if (body !== undefined) asked.write(body)
    asked.end()
    const [response] = (await this.within(once(asked, 'response'), `the head of the reply to ${method}`)) as [
      IncomingMessage,
    ]
    return this.#reading(response)
  }

  /** Calls a tool, and returns the text of its result. */
  async call(tool: string, args: object = {}, headers: SentHeaders = {}): Promise<string> {
    return textOf(await this.send({ headers, body: callFrame(tool, args) }))
  }

  /** Opens a session, and returns its headers. */
  async initialize(): Promise<{ readonly 'mcp-session-id': string }> {
    const { headers } = await this.send({ body: INITIALIZE })
    const id = headers['mcp-session-id']
    if (typeof id !== 'string') throw new Error('The reply to initialize has no mcp-session-id')
    await this.send({ body: INITIALIZED, headers: { 'mcp-session-id': id } })
    return { 'mcp-session-id': id }
  }

  /** Opens the GET stream of a session. By default, opens a new session. */
  async listen(session?: SentHeaders): Promise<OpenReply> {
    const headers = { accept: 'text/event-stream', ...(session ?? (await this.initialize())) }
    return this.open({ method: 'GET', headers })
  }

  async raw(): Promise<RawConnection> {
    const socket = connect(Number(this.url.port), this.url.hostname)
    this.#sockets.add(socket)
    const arriving = new Arriving()
    socket.setEncoding('utf8').on('data', (text: string) => arriving.push(text))
    socket.on('error', () => {})
    socket.on('close', () => arriving.end())
    await this.within(once(socket, 'connect'), 'a connection')
    return {
      send: (bytes) => new Promise((resolve) => socket.write(bytes, () => resolve())),
      until: (done, what) => this.#arrived(arriving, done, what),
      leave: () => void socket.destroy(),
    }
  }

  /**
   * Returns the bytes of a POST to the endpoint. The `content-length` header may announce more bytes than the
   * body has.
   */
  post(body: string, headers: Readonly<Record<string, string>> = {}): string {
    const all = {
      host: this.url.host,
      ...MCP_HEADERS,
      'content-length': `${Buffer.byteLength(body)}`,
      ...headers,
    }
    const lines = Object.entries(all).map(([name, value]) => `${name}: ${String(value)}\r\n`)
    return `POST ${this.url.pathname} HTTP/1.1\r\n${lines.join('')}\r\n${body}`
  }

  /** Rejects if the promise takes longer than the client's time limit. */
  async within<T>(wanted: Promise<T>, what: string): Promise<T> {
    let timer: ReturnType<typeof setTimeout> | undefined
    const limit = new Promise<never>((_resolve, reject) => {
      timer = setTimeout(() => reject(new Error(`Waited ${this.#patience} ms for ${what}`)), this.#patience)
    })
    try {
      return await Promise.race([wanted, limit])
    } finally {
      clearTimeout(timer)
    }
  }

  /** Polls until the condition is true. */
  async eventually(condition: () => boolean, what: string): Promise<void> {
    const limit = Date.now() + this.#patience
    while (!condition()) {
      if (Date.now() > limit) throw new Error(`Waited ${this.#patience} ms for ${what}`)
      await new Promise((resolve) => setTimeout(resolve, 5))
    }
  }

  close(): void {
    this.#agent.destroy()
    for (const socket of this.#sockets) socket.destroy()
  }

  /** Resolves to all received text once `enough` accepts it, or once no more can arrive. */
  async #arrived(arriving: Arriving, enough: (text: string) => boolean, what: string): Promise<string> {
    const limit = Date.now() + PIECES * this.#patience
    while (!arriving.over && !enough(arriving.text)) {
      // Keep-alive comments restart the time limit for each chunk, so a stream also needs a total limit.
      if (Date.now() > limit) throw new Error(`Waited ${PIECES * this.#patience} ms for ${what}`)
      await this.within(arriving.more(), what)
    }
    return arriving.text
  }

  #reading(response: IncomingMessage): OpenReply {
    const arriving = new Arriving()
    response.setEncoding('utf8').on('data', (text: string) => arriving.push(text))
    response.on('error', () => {})
    response.on('close', () => arriving.end())
    return {
      status: response.statusCode ?? 0,
      headers: response.headers,
      text: () => arriving.text,
      until: async (expected) => {
        const has = (text: string): boolean => text.includes(expected)
        const text = await this.#arrived(arriving, has, `${expected} in a reply`)
        if (!has(text)) throw new Error(`The reply ended before ${expected}: ${text}`)
        return text
      },
      whole: async () => {
        const text = await this.#arrived(arriving, () => false, 'the end of a reply')
        if (!response.complete) throw new Error('The connection broke before the end of the reply')
        return text
      },
      pause: () => void response.pause(),
      resume: () => void response.resume(),
      leave: () => void response.destroy(),
    }
  }
}

/** Text that is still arriving, and whether it has ended. */
class Arriving {
  text = ''
  over = false
  #waiting: (() => void)[] = []

  push(text: string): void {
    this.text += text
    this.#notify()
  }

  end(): void {
    this.over = true
    this.#notify()
  }

  /** Resolves when more data arrives, or when the text ends. */
  more(): Promise<void> {
    return new Promise((resolve) => this.#waiting.push(resolve))
  }

  #notify(): void {
    for (const resolve of this.#waiting.splice(0)) resolve()
  }
}

const CLIENT = { name: 'contract', version: '1.0.0' }

export const INITIALIZE: string = JSON.stringify({
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: REVISION, capabilities: {}, clientInfo: CLIENT },
})

export const INITIALIZED = '{"jsonrpc":"2.0","method":"notifications/initialized"}'

/** Returns a call that requests progress. */
export function callFrame(name: string, args: object = {}, id: number = 1): string {
  const params = { name, arguments: args, _meta: { progressToken: 'p' } }
  return JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params })
}

/** Returns the messages in a reply. The reply may be JSON or a stream. */
export function messagesOf({ headers, body }: Pick<WholeReply, 'headers' | 'body'>): Message[] {
  if (headers['content-type']?.startsWith('text/event-stream') !== true) return [JSON.parse(body) as Message]
  return body
    .split('\n\n')
    .flatMap((event) => /^data: (.+)$/m.exec(event)?.[1] ?? [])
    .map((data) => JSON.parse(data) as Message)
}

export interface Message {
  readonly id?: unknown
  readonly method?: string
  readonly params?: { readonly progress?: number; readonly message?: string }
  readonly result?: { readonly content: readonly { readonly text: string }[] }
  readonly error?: { readonly code: number; readonly message: string }
}

/** Returns the text of a tool result. */
export function textOf(reply: WholeReply): string {
  const text = messagesOf(reply).at(-1)?.result?.content[0]?.text
  if (text === undefined) throw new Error(`Status ${reply.status} and no result: ${reply.body.slice(0, 500)}`)
  return text
}
