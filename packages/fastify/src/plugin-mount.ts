import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http'
import type { Endpoint, HttpReply, Route } from '@jetway/core/http'
import { sendNodeStream, serve, watchNodeReply } from '@jetway/node/adapter'
import type { FastifyInstance, FastifyReply, FastifyRequest, RouteHandlerMethod } from 'fastify'
import { JSON_TYPE } from './reply.ts'
import { isIncomplete, PluginRequest, type RequestReaders } from './request.ts'

type StreamReply = Extract<HttpReply, { readonly open: unknown }>
type Body = string | Uint8Array
type Payload = Body | Promise<Body | undefined>

/**
 * How long to wait for the last bytes after closing, in ms. The wait is limited because a stalled client
 * never reads them.
 */
const FLUSH_MS = 1000

/** Handles the requests of one mount, and ends unfinished requests and replies when the mount closes. */
export class PluginMount {
  /** The `open` handler, after @fastify/sse has wrapped it. */
  stream: RouteHandlerMethod
  readonly #app: FastifyInstance
  readonly #endpoint: Endpoint
  readonly #readers: RequestReaders
  /** The handlers from `handler`, keyed by the handlers from `answerAt` that they replace. */
  readonly #direct = new Map<RouteHandlerMethod, RouteHandlerMethod>()
  readonly #opening = new WeakMap<FastifyReply, StreamReply>()
  /**
   * Streams, and requests whose bodies are still being sent after the reply. Node's server waits for their
   * connections.
   */
  readonly #unfinished = new Set<IncomingMessage | ServerResponse>()

  constructor(app: FastifyInstance, endpoint: Endpoint, readers: RequestReaders) {
    this.#app = app
    this.#endpoint = endpoint
    this.#readers = readers
    this.stream = this.open
  }

  /** Returns a handler whose result Fastify sends, so that hooks can wrap the handler. */
  answerAt(route: Route): RouteHandlerMethod {
    const endpoint = this.#endpoint
    const answer = (request: FastifyRequest, reply: FastifyReply): Promise<Body | undefined> => {
      const httpRequest = new PluginRequest(route, request, reply, this.#readers)
      return new Promise<HttpReply>((resolve) =>
        serve(httpRequest, endpoint.accept(httpRequest), resolve),
      ).then((httpReply) => this.#payload(httpRequest, httpReply))
    }
    this.#direct.set(answer, (request, reply) => {
      const httpRequest = new PluginRequest(route, request, reply, this.#readers)
      serve(httpRequest, endpoint.accept(httpRequest), (httpReply) => {
        // A timeout in the app has already sent a reply.
        if (reply.raw.headersSent) return endpoint.discard(httpReply)
        try {
          const payload = this.#payload(httpRequest, httpReply)
          if (payload instanceof Promise) payload.catch((error: Error) => void reply.send(error))
          else reply.send(payload)
        } catch (error) {
          reply.send(error)
        }
      })
    })
    return answer
  }

  /**
   * Returns a handler that creates no promise unless the app has wrapped it, because a promise costs more
   * than most calls.
   */
  handler(handler: RouteHandlerMethod): RouteHandlerMethod {
    return this.#direct.get(handler) ?? handler
  }

  #payload(httpRequest: PluginRequest, answer: HttpReply): Payload | undefined {
    const { request, reply } = httpRequest
    if (isIncomplete(request.raw) && request.method !== 'GET') this.#track(request.raw)
    if (answer.open) return this.#stream(reply, answer)
    reply.code(answer.status)
    setHeaders(reply, answer.headers)
    watchNodeReply(this.#endpoint, { httpRequest, request: request.raw, response: reply.raw }, answer)
    return answer.body
  }

  /** Resolves when the stream is open. */
  #stream(reply: FastifyReply, answer: StreamReply): Promise<undefined> {
    const { request, raw } = reply
    return new Promise((resolve) => {
      let headed: Promise<undefined> | undefined
      sendNodeStream(
        request.raw,
        raw,
        () => {
          this.#opening.set(reply, answer)
          headed = this.stream.call(this.#app, request, reply) as Promise<undefined>
          return raw.headersSent
        },
        (sink) => {
          answer.open(sink)
          resolve(headed)
        },
      )
    })
  }

  /** Sends the head of a stream, including the headers that hooks have set. */
  readonly open = (request: FastifyRequest, reply: FastifyReply): void => {
    const answer = this.#opening.get(reply)
    if (answer === undefined || reply.sent) return
    setHeaders(reply, answer.headers)
    reply.sse.keepAlive()
    if (request.raw.httpVersionMajor === 2)
      reply.raw.writeHead(answer.status, reply.getHeaders() as OutgoingHttpHeaders)
    else {
      // `sendHeaders` always sets `keep-alive`, whatever the client has requested and Fastify has decided.
      if (!reply.hasHeader('connection'))
        reply.header(
          'connection',
          reply.raw.getHeader('connection') ?? (reply.raw.shouldKeepAlive ? 'keep-alive' : 'close'),
        )
      reply.sse.sendHeaders(answer.status)
    }
    this.#track(reply.raw)
  }

  #track(side: IncomingMessage | ServerResponse): void {
    this.#unfinished.add(side)
    side.once('close', () => this.#unfinished.delete(side))
  }

  async close(): Promise<void> {
    await this.#endpoint.close()
    // When a stream ends, Node processes the requests that the client has pipelined after it, so check again.
    while (this.#unfinished.size > 0)
      await Promise.all([...this.#unfinished].map((side) => this.#endOf(side)))
  }

  /** Resolves when a request or response has closed. Destroys it after `FLUSH_MS`. */
  #endOf(side: IncomingMessage | ServerResponse): Promise<void> {
    return new Promise((resolve) => {
      const ended = (): void => {
        clearTimeout(timer)
        this.#unfinished.delete(side)
        resolve()
      }
      const timer = setTimeout(() => side.destroy(), FLUSH_MS)
      if (side.destroyed) ended()
      else side.once('close', ended)
    })
  }
}

export function setHeaders(reply: FastifyReply, headers: HttpReply['headers']): void {
  for (const name in headers) {
    const value = headers[name]
    reply.header(name, value === 'application/json' ? JSON_TYPE : value)
  }
}
