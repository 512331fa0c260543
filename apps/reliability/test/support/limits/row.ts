import {
  FakeClock,
  INITIALIZED,
  initialize,
  MODERN,
  request,
  requestMeta,
  silent,
} from '@jetway-apps/test-support'
import { McpServer, type ServerOptions } from '@jetway/core'
import { bearer, type FetchOptions, toFetch } from '@jetway/core/http'
import { createMemoryTransportPair } from '@jetway/core/transport'
import { connectPeer, type PeerOptions, type TestConnection } from '@jetway/testing'
import { onTestFinished } from 'vitest'

/** Describes a limit, with a function that uses a given amount of the limited resource. */
export interface Limit {
  /** The option, or the limited resource if there is no option. */
  readonly limit: string
  /** The largest number that is accepted. */
  readonly most: number
  /** Uses the given number. Returns the outcome. */
  readonly use: (count: number) => unknown
  /** The outcome at the limit, or part of it if it is an object. */
  readonly accepted: unknown
  /** The outcome when the limit is exceeded by one. */
  readonly refused: unknown
}

export type Params = Readonly<Record<string, unknown>>

/** The parts of a message that are tested. */
export interface Body {
  readonly id?: unknown
  readonly method?: string
  readonly params?: Params
  readonly result?: {
    readonly content?: readonly { readonly text?: string }[]
    readonly requestState?: string
  }
  readonly error?: { readonly code: number }
}

export const list = <T>(length: number, item: (index: number) => T): T[] =>
  Array.from({ length }, (_, index) => item(index))

/** Creates a server without features. It is closed after the test. */
export function createServer(options: ServerOptions = {}): McpServer {
  const server = new McpServer({ name: 'limits', version: '1.0.0' }, { logger: silent, ...options })
  onTestFinished(async () => {
    const closed = server.close({ deadline: 0 })
    if (options.clock instanceof FakeClock) await options.clock.advance(60_000)
    await closed
  })
  return server
}

export interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly body: Body
}

/** Sends requests to a server over HTTP, without a session unless the headers name one. */
export interface Web {
  post(message: object | string, headers?: Record<string, string>): Promise<Answer>
  send(method: string, headers: Record<string, string>, body?: string | ReadableStream): Promise<Response>
  /** Opens a session. Returns its headers, or the status of the refusal. */
  open(headers?: Record<string, string>, revision?: string): Promise<Record<string, string>>
  /** Posts a request in revision 2026-07-28. */
  modern(method: string, params?: object, headers?: Record<string, string>): Promise<Answer>
}

export const web = (server: McpServer = createServer(), options: FetchOptions = {}): Web =>
  webTo(toFetch(server, { allowedHosts: ['localhost'], ...options }))

/** Sends requests to a fetch handler. */
export function webTo(handle: (request: Request) => Response | Promise<Response>): Web {
  const send: Web['send'] = async (method, headers, body) => {
    const init = {
      method,
      headers: {
        host: 'localhost',
        accept: 'application/json, text/event-stream',
        'content-type': 'application/json',
        ...headers,
      },
      ...(body !== undefined && { body, duplex: 'half' }),
    }
    return handle(new Request('http://localhost/mcp', init))
  }
  const post: Web['post'] = async (message, headers = {}) => {
    const text = typeof message === 'string' ? message : JSON.stringify(message)
    const response = await send('POST', headers, text)
    const { status } = response
    const type = response.headers.get('content-type') ?? ''
    if (type.includes('event-stream')) {
      onTestFinished(() => response.body?.cancel())
      return { status, headers: response.headers, body: {} }
    }
    const answer = await response.text()
    return { status, headers: response.headers, body: answer === '' ? {} : (JSON.parse(answer) as Body) }
  }
  return {
    send,
    post,
    async open(headers = {}, revision) {
      const opened = await post(initialize(revision), headers)
      const id = opened.headers.get('mcp-session-id')
      if (id === null) return { status: String(opened.status) }
      const session = {
        ...headers,
        'mcp-session-id': id,
        ...(revision !== '2025-03-26' && { 'mcp-protocol-version': revision ?? '2025-11-25' }),
      }
      await post(INITIALIZED, session)
      return session
    },
    modern: (method, params = {}, headers = {}) => {
      const { name, uri } = params as Record<string, string>
      return post(request(method, { ...params, _meta: requestMeta({ elicitation: { form: {} } }) }), {
        'mcp-protocol-version': MODERN,
        'mcp-method': method,
        ...((name ?? uri) !== undefined && { 'mcp-name': (name ?? uri)! }),
        ...headers,
      })
    },
  }
}

/** Connects an in-memory client that can send valid and invalid messages. */
export function peer(server: McpServer, options: Partial<PeerOptions> = {}): Promise<TestConnection> {
  const [client, end] = createMemoryTransportPair()
  server.connect(end, { endGraceMs: 0 })
  return connectPeer(client, { revision: '2025-11-25', ...options })
}

/** Creates a server with a tool `wait` that never returns, and a tool `answer` that returns immediately. */
export function waiting(options: ServerOptions = {}): McpServer {
  const server = createServer(options)
  server.addTool({
    name: 'wait',
    handler: (_args, { signal }) =>
      new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
  })
  server.addTool({ name: 'answer', handler: () => 'yes' })
  return server
}

export const textOf = (answer: Body): unknown => answer.result?.content?.[0]?.text

/** Returns the thrown error as text, or undefined if none was thrown. */
export async function failureOf(run: () => unknown): Promise<unknown> {
  try {
    await run()
    return 'done'
  } catch (error) {
    return { ...(error as object), message: (error as Error).message }
  }
}

export { FakeClock }

/** Authenticates callers with {@link ALICE}. */
export const BY_TOKEN = { authenticate: bearer({ verify: (principal) => ({ principal }) }) }
export const ALICE = { authorization: 'Bearer alice' }
