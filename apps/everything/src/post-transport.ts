import {
  type AuthFetch,
  type ClientTransport,
  type ClientTransportHandlers,
  type SendContext,
  TransportError,
} from '@jetway/client'
import type { JsonRpcMessage } from '@jetway/core/protocol'

/** How long a request may take, the authorization that it sets off included. */
const TIMEOUT_MS = 20_000

/**
 * One POST for each message, and no more: no stream of the server's own, no session, no resumption. It is enough for
 * the scenarios about authorization, whose servers answer every request at once.
 */
export class PostTransport implements ClientTransport {
  readonly perRequest = true
  readonly #url: string
  readonly #fetch: AuthFetch
  #handlers: ClientTransportHandlers | undefined

  constructor(url: string, fetch: AuthFetch) {
    this.#url = url
    this.#fetch = fetch
  }

  start(handlers: ClientTransportHandlers): void {
    this.#handlers = handlers
  }

  async send(message: JsonRpcMessage, context: SendContext): Promise<void> {
    const response = await this.#post(message, context)
    const answers = readAnswers(await response.text())
    for (const answer of answers) await this.#handlers?.message(answer, originOf(message))
    if (answers.length === 0 && !response.ok)
      throw new TransportError(`${this.#url} answered ${response.status}`, { status: response.status })
  }

  async #post(message: JsonRpcMessage, { revision, signal, headers }: SendContext): Promise<Response> {
    const timeout = AbortSignal.timeout(TIMEOUT_MS)
    try {
      return await this.#fetch(this.#url, {
        method: 'POST',
        body: JSON.stringify(message),
        headers: {
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
          ...(revision === undefined ? {} : { 'mcp-protocol-version': revision.version }),
          ...headers,
        },
        signal: signal === undefined ? timeout : AbortSignal.any([signal, timeout]),
      })
    } catch (cause) {
      // Nothing was refused for the era that it was asked in: another attempt would ask the user once more.
      throw new TransportError('No credentials, or no server', { cause, status: 401 })
    }
  }

  async close(): Promise<void> {
    await Promise.resolve()
  }
}

const originOf = (message: JsonRpcMessage): { request: string | number } | undefined =>
  'id' in message && 'method' in message && message.id !== null && message.id !== undefined
    ? { request: message.id }
    : undefined

/** The messages of an answer, which is JSON, or events with a message each, or something else. */
function readAnswers(text: string): readonly object[] {
  const lines = text.split('\n').map((line) => line.replace(/^data:/, ''))
  return [text, ...lines].flatMap((part) => {
    try {
      const value: unknown = JSON.parse(part)
      return typeof value === 'object' && value !== null && 'jsonrpc' in value ? [value] : []
    } catch {
      return []
    }
  })
}
