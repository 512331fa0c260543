/** An `HttpRelay` in front of HTTP servers in this process. The tests set the servers' replies. */
import { once } from 'node:events'
import {
  type IncomingHttpHeaders,
  request as send,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http'
import { text as readText } from 'node:stream/consumers'
import { listen } from '@jetway-apps/test-support/http'
import { onTestFinished, vi } from 'vitest'
import type { ServedProcess } from '../../../src/dev/client-side.ts'
import { HttpRelay } from '../../../src/dev/http/http-relay.ts'
import { eventsOf, type ReadEvent } from './raw-http.ts'

/** A request that a process has received. */
export interface Got {
  readonly method: string
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: string
  /** The method of the message, or the HTTP method, such as `GET`. */
  readonly asks: string
  readonly message: Message
}

// oxlint-disable-next-line typescript/no-explicit-any
type Message = any

/** Writes the reply itself, or returns the result. */
export type Reply = (got: Got, response: ServerResponse) => object | undefined | void

export interface Process {
  readonly generation: number
  readonly got: Got[]
  /** Returns the methods of the requests that the process has received, in order. */
  readonly asked: () => readonly string[]
  /** Makes the process serve from now on. */
  readonly use: () => void
  /** Ends the process. All its connections break. */
  readonly end: () => void
}

export interface Front {
  readonly relay: HttpRelay
  readonly url: string
  readonly printed: string[]
  /** Creates a process that is listening but not yet in use. */
  readonly prepare: (replies?: Readonly<Record<string, Reply>>) => Promise<Process>
  /** Creates a process that is serving. */
  readonly start: (replies?: Readonly<Record<string, Reply>>) => Promise<Process>
}

export const json = (response: ServerResponse, status: number, value: unknown, headers: object = {}): void =>
  void response
    .writeHead(status, { 'content-type': 'application/json', ...headers })
    .end(typeof value === 'string' ? value : JSON.stringify(value))

export const openStream = (response: ServerResponse, headers: object = {}): void =>
  response.writeHead(200, { 'content-type': 'text/event-stream', ...headers }).flushHeaders()

export const writeEvent = (response: ServerResponse, message: unknown, id?: string): void =>
  void response.write(
    `${id === undefined ? '' : `id: ${id}\n`}data: ${typeof message === 'string' ? message : JSON.stringify(message)}\n\n`,
  )

/** Starts a stream with these messages and ids, and keeps it open. */
export const streams =
  (...events: readonly (readonly [unknown, string?])[]): Reply =>
  (_, response) => {
    openStream(response)
    for (const [message, id] of events) writeEvent(response, message, id)
  }

/** Creates a process that refuses connections, with a spy that is called when the relay tries to connect. */
export function refusingProcess(): { readonly process: ServedProcess; readonly tried: () => number } {
  const tried = vi.fn(() => 1)
  const process = {
    generation: 9,
    lines: undefined,
    ended: false,
    get port() {
      return tried()
    },
  }
  return { process, tried }
}

/** The capabilities that a process declares. */
export const CAPABILITIES = { tools: { listChanged: true }, logging: {} }

/**
 * Returns the default replies. The ids of the process's sessions are `session-1`, `session-1b` and so on,
 * where 1 is the generation.
 */
function usual(generation: number): Readonly<Record<string, Reply>> {
  let sessions = 0
  const result = { protocolVersion: 'r', capabilities: CAPABILITIES }
  return {
    initialize({ message }, response) {
      const id = `session-${generation}${'b'.repeat(sessions++)}`
      json(response, 200, { jsonrpc: '2.0', id: message.id, result }, { 'mcp-session-id': id })
    },
    GET: (_, response) => openStream(response, { 'mcp-session-id': `session-${generation}` }),
    DELETE: (_, response) => void response.writeHead(200).end('deleted'),
  }
}

export async function relayHttp(): Promise<Front> {
  const printed: string[] = []
  const relay = new HttpRelay({ port: 0, host: '127.0.0.1', print: (text) => printed.push(text) })
  const port = await relay.listen()
  const running: Process[] = []
  onTestFinished(async () => {
    for (const process of running) process.end()
    await relay.close()
  })
  let generation = 0
  const prepare = async (replies: Readonly<Record<string, Reply>> = {}): Promise<Process> => {
    const process = await serve(relay, ++generation, { ...usual(generation), ...replies })
    running.push(process)
    return process
  }
  return {
    relay,
    url: `http://127.0.0.1:${port}/mcp`,
    printed,
    prepare,
    async start(replies) {
      const process = await prepare(replies)
      process.use()
      return process
    },
  }
}

async function serve(
  relay: HttpRelay,
  generation: number,
  replies: Readonly<Record<string, Reply>>,
): Promise<Process> {
  const got: Got[] = []
  const take = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const one = await read(request)
    got.push(one)
    const reply = replies[one.asks] ?? (() => (one.message?.id === undefined ? undefined : {}))
    const result = reply(one, response)
    if (response.headersSent || response.destroyed || response.writableEnded) return
    if (result !== undefined) json(response, 200, { jsonrpc: '2.0', id: one.message?.id, result })
    else if (replies[one.asks] === undefined) response.writeHead(202).end()
  }
  const { port, release } = await listen((request, response) => {
    // The client or the process may disconnect before the body is complete.
    take(request, response).catch(() => response.destroy())
  })
  let ended = false
  const child = {
    generation,
    port,
    lines: undefined,
    get ended() {
      return ended
    },
  }
  await relay.prepare(child)
  return {
    generation,
    got,
    asked: () => got.map(({ asks }) => asks),
    use: () => relay.use(child),
    end() {
      ended = true
      release()
      relay.lost(child)
    },
  }
}

async function read(request: IncomingMessage): Promise<Got> {
  const { method = '', url: path = '', headers } = request
  const body = await readText(request)
  const message = parse(body)
  return {
    method,
    path,
    headers,
    body,
    message,
    asks: message?.method ?? (message === undefined ? method : 'answer'),
  }
}

function parse(body: string): Message {
  try {
    return JSON.parse(body)
  } catch {
    return undefined
  }
}

export interface Answer {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

/** Sends any request with its headers unchanged. */
export async function ask(
  url: string,
  method: string,
  headers: Readonly<Record<string, string>> = {},
  body = '',
): Promise<Answer> {
  const sent = send(url, { method, headers, agent: false }).end(body)
  const [reply] = (await once(sent, 'response')) as [IncomingMessage]
  return { status: reply.statusCode ?? 0, headers: reply.headers, body: await readText(reply) }
}

/** A stream to the client that remains open until the end of the test. */
export interface OpenStream {
  readonly reply: Response
  /** Resolves to the next event that contains a message. */
  readonly next: () => Promise<ReadEvent | undefined>
  /** Resolves to all messages until the end of the stream. */
  readonly rest: () => Promise<readonly object[]>
  readonly close: () => void
}

export function readStream(reply: Response, abort: AbortController): OpenStream {
  const events = eventsOf(reply)
  return {
    reply,
    async next() {
      for (;;) {
        const { value, done } = await events.next()
        if (done === true) return undefined
        if (value.message !== undefined) return value
      }
    },
    async rest() {
      const messages: object[] = []
      for await (const { message } of events) if (message !== undefined) messages.push(message)
      return messages
    },
    close: () => abort.abort(),
  }
}

/** Opens a session's GET stream. */
export async function listenOn(url: string, headers: Readonly<Record<string, string>>): Promise<OpenStream> {
  const abort = new AbortController()
  onTestFinished(() => abort.abort())
  const reply = await fetch(url, {
    headers: { accept: 'text/event-stream', ...headers },
    signal: abort.signal,
  })
  return readStream(reply, abort)
}
