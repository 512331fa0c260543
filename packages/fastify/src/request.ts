import type { IncomingMessage } from 'node:http'
import type { Readable } from 'node:stream'
import type { AuthInfo, Logger } from '@jetway/core'
import { BodyError } from '@jetway/core/http'
import type { HttpRequest, RequestBody, Route } from '@jetway/core/http'
import { nodeSignal, type StreamedRequest } from '@jetway/node/adapter'
import type { FastifyReply, FastifyRequest } from 'fastify'

/** The plugin's options that read a Fastify request. */
export interface RequestReaders {
  readonly locals: ((request: FastifyRequest) => unknown) | undefined
  readonly auth: ((request: FastifyRequest) => AuthInfo | undefined) | undefined
  /** If true, calls log to the logger of their request. */
  readonly logs: boolean
}

const EMPTY = new Uint8Array()
const KEEP_BODY =
  'Assign the parsed value to request.body in that hook, return a stream of the same bytes from preParsing, or register the hook for other routes only.'

/** A Fastify request in the form that the endpoint requires. */
export class PluginRequest implements StreamedRequest {
  readonly method: string
  readonly route: Route
  readonly request: FastifyRequest
  readonly reply: FastifyReply
  readonly peer: HttpRequest['peer']
  readonly rawHeaders: readonly string[]
  readonly logger: Logger | undefined
  readonly id: string
  readonly isQueued: boolean
  readonly #readers: RequestReaders
  readonly #headers: FastifyRequest['headers']
  #signal: AbortSignal | undefined

  constructor(route: Route, request: FastifyRequest, reply: FastifyReply, readers: RequestReaders) {
    this.route = route
    this.method = request.method
    this.request = request
    this.reply = reply
    this.#readers = readers
    this.peer = request.socket
    // A new response has no socket while it is queued.
    this.isQueued = reply.raw.socket === null
    this.rawHeaders = request.raw.rawHeaders
    this.logger = readers.logs ? request.log : undefined
    this.id = request.id
    this.#headers = request.headers
  }

  /** The path as the client sent it. The app may have rewritten the URL. */
  get path(): string {
    return this.request.originalUrl.split('?', 1)[0] as string
  }

  get auth(): AuthInfo | undefined {
    return this.#readers.auth?.(this.request)
  }

  get locals(): unknown {
    return this.#readers.locals?.(this.request)
  }

  get signal(): AbortSignal {
    return (this.#signal ??= nodeSignal(this.request.raw, this.reply.raw))
  }

  query(name: string): string | undefined {
    const value = (this.request.query as Record<string, string | string[] | undefined>)[name]
    return Array.isArray(value) ? value[0] : value
  }

  header(name: string): string | undefined {
    // In HTTP/2, the host is in a pseudo-header. See https://www.rfc-editor.org/rfc/rfc9113#section-8.3.1.
    const value = (name === 'host' ? this.#headers[':authority'] : undefined) ?? this.#headers[name]
    return Array.isArray(value) ? value[0] : value
  }

  /**
   * The body, or the stream from which to read it. A hook may have parsed the body, replaced the stream, or
   * read it.
   */
  body(): RequestBody | BodyError | Readable {
    const { body } = this.request
    if (body === undefined) return EMPTY
    if (body instanceof Uint8Array) return body
    if (!isStream(body)) return { parsed: body }
    if (body.readableDidRead) return BodyError.lost('a hook', KEEP_BODY)
    if (body.destroyed) return BodyError.endedEarly()
    // A hook that decompresses the body replaces the stream, but leaves the header unchanged.
    return (
      (body === this.request.raw ? BodyError.encoded(this.header('content-encoding')) : undefined) ?? body
    )
  }
}

function isStream(body: unknown): body is Readable {
  return typeof (body as { pipe?: unknown } | null)?.pipe === 'function'
}

/** Returns whether some of the request's bytes have not arrived yet. If so, Node's server would wait for them. */
export const isIncomplete = ({ complete, readableEnded }: IncomingMessage): boolean =>
  !complete && !readableEnded
