import { type IncomingHttpHeaders, type IncomingMessage, request } from 'node:http'
import type { ServedProcess } from '../client-side.ts'
import { ProcessEnded } from '../conversation/lists.ts'

/** One request for a process. */
export interface Outgoing {
  readonly method: string
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body?: Uint8Array | string
  readonly signal?: AbortSignal
}

/** A process that serves HTTP. */
export class HttpProcess {
  readonly child: ServedProcess
  /**
   * The list changes that have already been printed for this process. Several clients see the same changes,
   * but not at the same time.
   */
  readonly printed: Set<string> = new Set()
  readonly #inFlight = new Set<object>()
  #onDrained = (): void => {}

  constructor(child: ServedProcess) {
    this.child = child
  }

  get generation(): number {
    return this.child.generation
  }

  /** Counts an exchange as running until the returned function is called. */
  begin(): () => void {
    const exchange = {}
    this.#inFlight.add(exchange)
    return () => {
      this.#inFlight.delete(exchange)
      if (this.#inFlight.size === 0) this.#onDrained()
    }
  }

  drained(): Promise<void> {
    return new Promise((resolve) => {
      this.#onDrained = resolve
      if (this.#inFlight.size === 0) resolve()
    })
  }

  /**
   * Sends a request. Resolves to the head of the reply.
   *
   * @throws NotDelivered if the process is not listening; ProcessEnded if it exits before the head has arrived
   */
  send({ method, path, headers, body, signal }: Outgoing): Promise<IncomingMessage> {
    return new Promise((resolve, reject) => {
      const outgoing = request({
        host: '127.0.0.1',
        port: this.child.port,
        method,
        path,
        headers: forwarded(headers, body),
        // A keep-alive connection may close while a request is being sent.
        agent: false,
        ...(signal === undefined ? {} : { signal }),
      })
      outgoing.once('response', resolve)
      outgoing.on('error', (error: NodeJS.ErrnoException) =>
        reject(error.code === 'ECONNREFUSED' ? new NotDelivered() : new ProcessEnded()),
      )
      outgoing.end(body)
    })
  }
}

/** Thrown if the process has not received the request, which can therefore be sent again. */
export class NotDelivered extends ProcessEnded {
  override name = 'NotDelivered'
}

/** https://www.rfc-editor.org/rfc/rfc9110#section-7.6.1 */
const HOP_BY_HOP: ReadonlySet<string> = new Set([
  'connection',
  'expect',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
])

function forwarded(headers: IncomingHttpHeaders, body: Outgoing['body']): IncomingHttpHeaders {
  const kept = endToEnd(headers)
  if (body === undefined) return kept
  return { ...kept, 'content-length': String(Buffer.byteLength(body)) }
}

/** Returns the end-to-end headers. A proxy must pass them on. */
export function endToEnd(headers: IncomingHttpHeaders): IncomingHttpHeaders {
  return Object.fromEntries(
    Object.entries(headers).filter(([name, value]) => !HOP_BY_HOP.has(name) && value !== undefined),
  )
}

/** Reads a whole body. Resolves to undefined if it is larger than the limit. */
export async function readWhole(message: IncomingMessage, limit: number): Promise<Buffer | undefined> {
  const chunks: Buffer[] = []
  let length = 0
  // The rest of the body is left unread, without closing the connection, so that the client receives the reply.
  for await (const chunk of message.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    length += chunk.length
    if (length > limit) return undefined
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}
