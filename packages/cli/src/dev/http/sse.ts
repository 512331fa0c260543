import { once } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { type SseEvent, SseParser } from '@jetway/client/http'

const KEEP_ALIVE_MS = 15_000

/**
 * Yields the events of a reply until the reply ends or the connection breaks. Afterwards, `message.complete`
 * is true only if the reply has ended.
 */
export async function* eventsOf(message: IncomingMessage): AsyncGenerator<SseEvent> {
  const parser = new SseParser()
  message.setEncoding('utf8')
  try {
    for await (const text of message as AsyncIterable<string>) yield* parser.push(text)
  } catch {
    // The process has exited, or the client has disconnected.
  }
}

/** The event stream that the relay sends to a client. */
export class SseOutput {
  readonly #response: ServerResponse
  readonly #keepAlive: NodeJS.Timeout

  /** Sends the headers. The caller must already have set them and the status. */
  constructor(response: ServerResponse) {
    this.#response = response
    response.flushHeaders()
    this.#keepAlive = setInterval(() => response.write(': keep-alive\n\n'), KEEP_ALIVE_MS)
    response.once('close', () => clearInterval(this.#keepAlive))
  }

  /** Resolves when the connection accepts more data. */
  async write({ event, id, retry, data }: SseEvent): Promise<void> {
    let frame = ''
    if (event !== undefined) frame += `event: ${event}\n`
    if (id !== undefined) frame += `id: ${id}\n`
    if (retry !== undefined) frame += `retry: ${retry}\n`
    for (const line of data.split('\n')) frame += `data: ${line}\n`
    const response = this.#response
    if (response.write(`${frame}\n`) || response.closed) return
    await Promise.race([once(response, 'drain'), once(response, 'close')])
  }

  message(message: unknown): Promise<void> {
    return this.write({ event: 'message', data: JSON.stringify(message) })
  }

  end(): void {
    clearInterval(this.#keepAlive)
    this.#response.end()
  }
}

/** The kind of request to which the stream is the reply: GET or POST. */
export type StreamKind = 'get' | 'post'

export interface EventId {
  readonly generation: number
  readonly kind: StreamKind
  /** The event id that the process assigned. */
  readonly id: string
}

/** Adds the process's generation to an event id, because only the process that sent a stream can resume it. */
export const publicEventId = ({ generation, kind, id }: EventId): string => `${generation}.${kind}.${id}`

export function parseEventId(text: string | undefined): EventId | undefined {
  const [, generation, kind, id] = /^(\d{1,15})\.(get|post)\.(.*)$/s.exec(text ?? '') ?? []
  if (generation === undefined || kind === undefined || id === undefined) return undefined
  return { generation: Number(generation), kind: kind as StreamKind, id }
}
