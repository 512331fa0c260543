import type { IncomingMessage, ServerResponse } from 'node:http'
import type { AuthInfo } from '@jetway/core'
import { BodyError, type HttpRequest, type RequestBody, type Route } from '@jetway/core/http'
import { isQueued, nodeSignal } from './adapter/turn.ts'
import { bodyReader } from './body-reader.ts'
import { pathOf } from './paths.ts'

/** The properties in which body parsers store a body, on the request or on Koa's `ctx.request`. */
export interface ParsedBody {
  readonly body?: unknown
  /** The unparsed bytes, which the parsers of NestJS, Koa and some cloud platforms keep. */
  readonly rawBody?: unknown
}

/** The mount's options that read the request. */
interface RequestReaders {
  readonly locals: ((request: IncomingMessage, context?: unknown) => unknown) | undefined
  readonly auth: ((request: IncomingMessage, context?: unknown) => AuthInfo | undefined) | undefined
}

interface Surroundings {
  /** The path as the client sent it, including the prefix that the host has removed. */
  readonly path: string
  readonly body: ParsedBody
  readonly readers: RequestReaders
  readonly context: unknown
}

/** A Node request, in the form that the endpoint needs. */
export class MountRequest implements HttpRequest {
  readonly method: string
  readonly route: Route
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly #around: Surroundings
  #signal: AbortSignal | undefined

  constructor(route: Route, request: IncomingMessage, response: ServerResponse, around: Surroundings) {
    this.route = route
    this.method = request.method ?? ''
    this.request = request
    this.response = response
    this.#around = around
  }

  // #region request
  get path(): string {
    return pathOf(this.#around.path)
  }

  get peer(): HttpRequest['peer'] {
    return this.request.socket
  }

  get rawHeaders(): readonly string[] {
    return this.request.rawHeaders
  }

  get auth(): AuthInfo | undefined {
    return this.#around.readers.auth?.(this.request, this.context)
  }

  get locals(): unknown {
    return this.#around.readers.locals?.(this.request, this.context)
  }

  get isQueued(): boolean {
    return isQueued(this.response)
  }

  /** Koa's context. */
  get context(): unknown {
    return this.#around.context
  }

  /** The id set by pino-http and other middleware. */
  get id(): string | number | undefined {
    const { id } = this.request as { readonly id?: unknown }
    return typeof id === 'string' || typeof id === 'number' ? id : undefined
  }

  get signal(): AbortSignal {
    return (this.#signal ??= nodeSignal(this.request, this.response))
  }

  query(name: string): string | undefined {
    const { url = '' } = this.request
    return new URLSearchParams(url.slice(pathOf(url).length)).get(name) ?? undefined
  }

  header(name: string): string | undefined {
    const { headers } = this.request
    // In HTTP/2, the host is in a pseudo-header. See https://www.rfc-editor.org/rfc/rfc9113#section-8.3.1.
    const value = (name === 'host' ? headers[':authority'] : undefined) ?? headers[name]
    return Array.isArray(value) ? value[0] : value
  }

  // #region body
  /** The body, or the stream from which to read it if no parser has read it. */
  body(limit: number): RequestBody | Error | IncomingMessage {
    const { request } = this
    if (!request.readableDidRead && !request.readableEnded)
      return BodyError.encoded(this.header('content-encoding')) ?? request
    // Express 4 also sets `body` on requests without a body, so it is used only if the stream has been read.
    const { body, rawBody = body } = this.#around.body
    if (rawBody === undefined) return BodyError.lost(bodyReader(request, this.context), KEEP_BODY)
    const bytes = typeof rawBody === 'string' ? Buffer.from(rawBody) : rawBody
    if (!(bytes instanceof Uint8Array)) return { parsed: body }
    return bytes.byteLength > limit ? BodyError.tooLarge(limit) : bytes
  }
  // #endregion
}

const KEEP_BODY = 'Mount MCP before it, or let it set request.body.'
