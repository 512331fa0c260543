import { FakeClock, initialize } from '@jetway-apps/test-support'
import { McpServer } from '../../../src/index.ts'
import { createEndpoint, type Endpoint } from '../../../src/http/endpoint.ts'
import type { ReadBody } from '../../../src/http/adapter/accept.ts'
import type { ServerSelector } from '../../../src/http/servers/served-servers.ts'
import type { EndpointOptions } from '../../../src/http/options.ts'
import {
  BodyError,
  type Route,
  type FrameSink,
  type HttpReply,
  type HttpRequest,
} from '../../../src/http/types.ts'
import type { AuthInfo } from '../../../src/stores/principal.ts'
import type { ServerOptions } from '../../../src/server/options.ts'

export interface Sent {
  readonly method?: string
  readonly route?: Route
  readonly path?: string
  readonly query?: Readonly<Record<string, string>>
  /** The headers. If a value is an array, the header is repeated. */
  readonly headers?: Readonly<Record<string, string | readonly string[] | undefined>>
  readonly body?: unknown
  readonly raw?: string | Uint8Array
  readonly bodyError?: BodyError
  /** If true, the body is passed as bytes rather than as a promise. */
  readonly atOnce?: boolean
  /** A body that the host has already parsed. */
  readonly parsed?: unknown
  readonly localAddress?: string
  readonly remoteAddress?: string
  readonly auth?: AuthInfo
  readonly mount?: unknown
  /** If true, earlier responses on the connection are still incomplete. */
  readonly isQueued?: boolean
}

const JSON_POST = { accept: 'application/json, text/event-stream', 'content-type': 'application/json' }

/** An HttpRequest without a network. It counts how often its body is read. */
export class FakeRequest implements HttpRequest {
  readonly method: string
  readonly route: Route
  readonly path: string | undefined
  readonly isQueued: boolean
  readonly peer?: NonNullable<HttpRequest['peer']>
  readonly auth?: AuthInfo
  readonly locals?: unknown
  bodyReads = 0
  readonly #sent: Sent
  readonly #headers: ReadonlyMap<string, readonly string[]>
  readonly #gone = new AbortController()

  constructor(sent: Sent) {
    this.#sent = sent
    this.method = sent.method ?? 'POST'
    this.route = sent.route ?? 'mcp'
    this.path = sent.path
    this.isQueued = sent.isQueued === true
    const { localAddress, remoteAddress } = sent
    if (localAddress ?? remoteAddress) this.peer = { localAddress, remoteAddress }
    if (sent.auth !== undefined) this.auth = sent.auth
    if (sent.mount !== undefined) this.locals = sent.mount
    const headers = {
      ...(this.method === 'POST' ? JSON_POST : { accept: 'text/event-stream' }),
      ...sent.headers,
    }
    this.#headers = new Map(
      Object.entries(headers).flatMap(([name, value]) =>
        value === undefined
          ? []
          : [[name.toLowerCase(), typeof value === 'string' ? [value] : value] as const],
      ),
    )
  }

  get signal(): AbortSignal {
    return this.#gone.signal
  }
  leave(): void {
    this.#gone.abort()
  }
  query(name: string): string | undefined {
    return this.#sent.query?.[name]
  }
  header(name: string): string | undefined {
    return this.#headers.get(name)?.[0]
  }
  get rawHeaders(): readonly string[] {
    return Array.from(this.#headers, ([name, values]) => values.flatMap((value) => [name, value])).flat()
  }
  readonly body: ReadBody = ({ bodyLimit }) => {
    this.bodyReads++
    if (this.#sent.bodyError !== undefined) return Promise.reject(this.#sent.bodyError)
    const { raw, body, atOnce, parsed } = this.#sent
    if (parsed !== undefined) return { parsed }
    const bytes = typeof raw === 'object' ? raw : new TextEncoder().encode(raw ?? JSON.stringify(body))
    if (bytes.byteLength > bodyLimit) return Promise.reject(new BodyError(413, 'too large'))
    return atOnce === true ? bytes : Promise.resolve(bytes)
  }
}

/** Reads a stream as a client would, chunk by chunk, unless it is stalled. */
export class TestSink implements FrameSink {
  text = ''
  closes = 0
  writes = 0
  #stalled: { readonly promise: Promise<void>; readonly resolve: () => void } | undefined
  #waiting: { readonly until: () => boolean; readonly resolve: () => void }[] = []

  stall(): void {
    let resolve = (): void => {}
    const promise = new Promise<void>((done) => {
      resolve = done
    })
    this.#stalled = { promise, resolve }
  }
  drain(): void {
    this.#stalled?.resolve()
    this.#stalled = undefined
  }
  write(chunk: string): void | Promise<void> {
    this.writes++
    this.text += chunk
    this.#check()
    return this.#stalled?.promise
  }
  close(): void {
    this.closes++
    this.#check()
  }
  get closed(): boolean {
    return this.closes > 0
  }
  get events(): SseEvent[] {
    return parseSse(this.text)
  }
  /** The parsed JSON of every event that has data. */
  get messages(): Message[] {
    return this.events.flatMap(({ data }) => (data === '' ? [] : [JSON.parse(data) as Message]))
  }
  async until(condition: () => boolean): Promise<void> {
    if (condition()) return
    await new Promise<void>((resolve) => this.#waiting.push({ until: condition, resolve }))
  }
  ended(): Promise<void> {
    return this.until(() => this.closed)
  }

  #check(): void {
    const ready = this.#waiting.filter(({ until }) => until())
    this.#waiting = this.#waiting.filter((item) => !ready.includes(item))
    for (const { resolve } of ready) resolve()
  }
}

export interface SseEvent {
  readonly id?: string
  readonly event?: string
  readonly retry?: string
  readonly data: string
}

/**
 * Parses events, without comments. See
 * https://html.spec.whatwg.org/multipage/server-sent-events.html#event-stream-interpretation.
 */
export function parseSse(text: string): SseEvent[] {
  return text
    .split('\n\n')
    .map((block) => block.split('\n').filter((line) => line !== '' && !line.startsWith(':')))
    .filter((lines) => lines.length > 0)
    .map((lines) => {
      const fields: Record<string, string> = {}
      for (const line of lines) {
        const colon = line.indexOf(':')
        const name = line.slice(0, colon)
        const value = line.slice(colon + 1).replace(/^ /, '')
        fields[name] = fields[name] === undefined ? value : `${fields[name]}\n${value}`
      }
      return { ...fields, data: fields['data'] ?? '' }
    })
}

export interface Message {
  readonly id?: string | number
  readonly method?: string
  readonly params?: Record<string, unknown>
  readonly result?: Record<string, unknown>
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown }
}

export interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly text: string
  readonly json: Message
  readonly list: Message[]
  readonly sink: TestSink
  readonly request: FakeRequest
  readonly reply: HttpReply
}

export interface OpenOptions {
  readonly version?: string
  readonly headers?: Sent['headers']
  readonly more?: Sent
}

export interface Harness {
  readonly server: McpServer
  readonly endpoint: Endpoint
  readonly clock: FakeClock
  readonly log: { readonly level: string; readonly fields: object; readonly message: string }[]
  readonly send: (sent: Sent) => Promise<Answer>
  readonly post: (body: unknown, headers?: Sent['headers'], more?: Sent) => Promise<Answer>
  /** Returns a client of a session that was opened through another harness. */
  readonly continue: (session: Pick<TestSession, 'id' | 'headers'>, more?: Sent) => TestSession
  /** Opens a session, and sends `notifications/initialized`. */
  readonly open: (options?: OpenOptions) => Promise<TestSession>
}

export interface TestSession {
  readonly id: string
  readonly headers: Record<string, string>
  post(body: unknown, headers?: Sent['headers']): Promise<Answer>
  call(
    name: string,
    args?: object,
    extra?: { readonly id?: string | number; readonly progressToken?: string | number },
  ): Promise<Answer>
  get(headers?: Sent['headers']): Promise<Answer>
  delete(): Promise<Answer>
}

export interface HarnessOptions {
  readonly endpoint?: EndpointOptions
  readonly server?: ServerOptions
  readonly info?: { readonly name: string; readonly version: string }
  readonly setUp?: (server: McpServer) => void
  /** The selector to mount instead of the server. */
  readonly select?: ServerSelector | undefined
}

export const initializeMessage = (version = '2025-06-18', id: string | number = 1): object =>
  initialize(version, { id })

export function createHarness({
  endpoint: endpointOptions,
  server: serverOptions,
  info = { name: 'test', version: '1.0.0' },
  setUp,
  select,
}: HarnessOptions = {}): Harness {
  const clock = new FakeClock()
  const log: Harness['log'][number][] = []
  const record = (level: string) => (fields: object, message: string) =>
    void log.push({ level, fields, message })
  const logger = {
    debug: record('debug'),
    info: record('info'),
    warn: record('warn'),
    error: record('error'),
  }
  const server = new McpServer(info, { clock, logger, ...serverOptions })
  setUp?.(server)
  const endpoint = createEndpoint(select ?? server, endpointOptions)
  const send = async (sent: Sent): Promise<Answer> => {
    const request = new FakeRequest(sent)
    const reply = await endpoint.handle(request, request.body)
    const sink = new TestSink()
    reply.open?.(sink)
    // A stream that is complete after its first write is sent as a normal body.
    if (reply.body !== undefined && reply.headers['content-type'] === 'text/event-stream') {
      void sink.write(String(Buffer.from(reply.body)))
      sink.close()
    }
    return new ReceivedAnswer(reply, sink, request)
  }
  const post: Harness['post'] = (body, headers, more) => send({ body, ...(headers && { headers }), ...more })
  const open: Harness['open'] = async ({ version = '2025-06-18', headers: given, more } = {}) => {
    const answer = await post(initializeMessage(version), given, more)
    const id = answer.headers['mcp-session-id']
    if (id === undefined) throw new Error(`No session: ${answer.status} ${answer.text}`)
    const headers: Record<string, string> = { ...(given as Record<string, string>), 'mcp-session-id': id }
    if (version >= '2025-06-18') headers['mcp-protocol-version'] = version
    const session = new OpenSession(id, headers, send, more)
    await session.post({ jsonrpc: '2.0', method: 'notifications/initialized' })
    return session
  }
  const resumed = ({ id, headers }: Pick<TestSession, 'id' | 'headers'>, more?: Sent): TestSession =>
    new OpenSession(id, headers, send, more)
  return { server, endpoint, clock, log, send, post, open, continue: resumed }
}

class ReceivedAnswer implements Answer {
  readonly reply: HttpReply
  readonly sink: TestSink
  readonly request: FakeRequest
  constructor(reply: HttpReply, sink: TestSink, request: FakeRequest) {
    this.reply = reply
    this.sink = sink
    this.request = request
  }
  get status(): number {
    return this.reply.status
  }
  get headers(): Readonly<Record<string, string>> {
    return this.reply.headers
  }
  get text(): string {
    const { body = '' } = this.reply
    return typeof body === 'string' ? body : new TextDecoder().decode(body)
  }
  get json(): Message {
    return JSON.parse(this.text) as Message
  }
  get list(): Message[] {
    return JSON.parse(this.text) as Message[]
  }
}

class OpenSession implements TestSession {
  readonly id: string
  readonly headers: Record<string, string>
  readonly #send: Harness['send']
  readonly #more: Sent | undefined
  constructor(id: string, headers: Record<string, string>, send: Harness['send'], more: Sent | undefined) {
    this.id = id
    this.headers = headers
    this.#send = send
    this.#more = more
  }
  post(body: unknown, headers?: Sent['headers']): Promise<Answer> {
    return this.#send({ ...this.#more, body, headers: { ...this.headers, ...headers } })
  }
  call(
    name: string,
    args: object = {},
    {
      id = 2,
      progressToken,
    }: { readonly id?: string | number; readonly progressToken?: string | number } = {},
  ): Promise<Answer> {
    const meta = progressToken === undefined ? {} : { _meta: { progressToken } }
    return this.post({ jsonrpc: '2.0', id, method: 'tools/call', params: { name, arguments: args, ...meta } })
  }
  get(headers?: Sent['headers']): Promise<Answer> {
    return this.#send({ ...this.#more, method: 'GET', headers: { ...this.headers, ...headers } })
  }
  delete(): Promise<Answer> {
    return this.#send({ ...this.#more, method: 'DELETE', headers: this.headers })
  }
}
