import type { IncomingMessage, ServerResponse } from 'node:http'
import type { HttpReply, HttpRequest, ReplyLimits, WebConnection } from '@jetway/core/http'
import { watchNodeReply } from './reply.ts'
import { StallLimit } from './stall-limit.ts'
import { isQueued, onTurn } from './turn.ts'

interface WithRuntime {
  readonly runtime?: { readonly node?: { readonly req?: IncomingMessage; readonly res?: ServerResponse } }
}

interface Bindings {
  readonly incoming?: IncomingMessage
  readonly outgoing?: ServerResponse
}

/**
 * Reads the connection of a web request that arrived through Node, for the `connection` option of `toFetch`.
 * It works on hosts that provide Node's request and response: `@hono/node-server` in the second argument of
 * `fetch`, and srvx (h3, Nitro) in the request. Returns undefined on other hosts.
 */
export function nodeConnection(
  request: Request,
  environment: readonly unknown[],
): NodeConnection | undefined {
  const { req, res } = (request as WithRuntime).runtime?.node ?? {}
  if (req !== undefined) return new NodeConnection(req, res)
  const { incoming, outgoing } = (environment[0] ?? {}) as Bindings
  // A Worker may have unrelated bindings with these names.
  return incoming?.socket === undefined ? undefined : new NodeConnection(incoming, outgoing)
}

/** The Node request and response behind a web request. */
export class NodeConnection implements WebConnection {
  readonly request: IncomingMessage
  readonly #response: ServerResponse | undefined

  constructor(request: IncomingMessage, response: ServerResponse | undefined) {
    this.request = request
    this.#response = response
  }

  get peer(): HttpRequest['peer'] {
    return this.request.socket
  }

  /** In HTTP/2, the host is in a pseudo-header. See https://www.rfc-editor.org/rfc/rfc9113#section-8.3.1. */
  get authority(): string | undefined {
    const value = this.request.headers?.[':authority']
    return typeof value === 'string' ? value : undefined
  }

  get isQueued(): boolean {
    return this.#response !== undefined && isQueued(this.#response)
  }

  onTurn(listener: (connected: boolean) => void): void {
    if (this.#response === undefined) listener(true)
    else onTurn(this.request, this.#response, listener)
  }

  stallLimit(): StallLimit | undefined {
    return this.#response && new StallLimit(this.#response)
  }

  watch(limits: ReplyLimits, httpRequest: HttpRequest, reply: HttpReply): void {
    const { request } = this
    const response = this.#response
    if (response !== undefined) watchNodeReply(limits, { httpRequest, request, response }, reply)
  }
}
