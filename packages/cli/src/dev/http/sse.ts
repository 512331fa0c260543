import { once } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { type SseEvent, SseParser } from '@jetway/client/http'

const KEEP_ALIVE_MS = 15_000

/**
 * Yields the events of a reply until the reply ends or the connection breaks. Afterwards, `complete` of the
 * message is true only if the reply has ended.
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

/** The event stream to a client. */
export class SseOutput {
  readonly #response: ServerResponse
  readonly #keepAlive: NodeJS.Timeout

  /** Sends the head. The caller must have set the status and headers. */
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

/** The kind of stream: the reply to a GET or to a POST request. */
export type StreamKind = 'get' | 'post'

export interface EventId {
  readonly generation: number
  readonly kind: StreamKind
  /** The event id that the process assigned. */
  readonly id: string
}

/** Adds the generation to an event id, because only the same process can resume its stream. */
export const publicEventId = ({ generation, kind, id }: EventId): string => `${generation}.${kind}.${id}`

export function parseEventId(text: string | undefined): EventId | undefined {
  const [, generation, kind, id] = /^(\d{1,15})\.(get|post)\.(.*)$/s.exec(text ?? '') ?? []
  if (generation === undefined || kind === undefined || id === undefined) return undefined
  return { generation: Number(generation), kind: kind as StreamKind, id }
}
