import type { Cursor } from '../../stores/event-store.ts'

/** A session's stream, and a position in it. */
export interface EventId extends Cursor {
  readonly stream: string
}

const TOKEN = /^[A-Za-z0-9_-]{1,64}$/
const EVENT_ID = /^([A-Za-z0-9_-]{1,64})\.([A-Za-z0-9_-]{1,64})\.(0|[1-9][0-9]{0,14})$/

/**
 * Formats an event id from three parts, which may contain only a fixed set of characters.
 *
 * @throws for a part with other characters, because the part could otherwise forge fields of the stream
 */
export function formatEventId({ stream, epoch, seq }: EventId): string {
  if (!TOKEN.test(stream) || !TOKEN.test(epoch))
    throw new TypeError('An event id has parts of A-Z, a-z, 0-9, - and _ only')
  return `${stream}.${epoch}.${seq}`
}

/** Parses a `Last-Event-ID`. Returns undefined if this server cannot have sent the id. */
export function parseEventId(text: string): EventId | undefined {
  const [, stream, epoch, seq] = EVENT_ID.exec(text) ?? []
  return stream === undefined || epoch === undefined ? undefined : { stream, epoch, seq: Number(seq) }
}

const FIELD_BREAK = /[\r\n\0]/

/** Formats a single-line field. A CR or LF in the value would end the field, and could forge another one. */
function field(name: string, value: string): string {
  if (FIELD_BREAK.test(value)) throw new TypeError(`The ${name} of an event must not hold CR, LF or NUL`)
  return `${name}: ${value}\n`
}

interface SseEvent {
  readonly data: string
  readonly id?: string | undefined
  /** Omitted for the default event type, `message`. */
  readonly event?: string
  /** How long a client should wait before it reconnects, in ms. */
  readonly retry?: number | undefined
}

/**
 * Formats one event.
 *
 * @see https://html.spec.whatwg.org/multipage/server-sent-events.html#event-stream-interpretation
 */
export function formatEvent({ data, id, event, retry }: SseEvent): string {
  let text = event === undefined ? '' : field('event', event)
  if (id !== undefined) text += field('id', id)
  if (retry !== undefined) text += `retry: ${Math.trunc(retry)}\n`
  // `JSON.stringify` writes no line breaks, so JSON is not searched for them, which would take time.
  if (!data.includes('\n') && !data.includes('\r')) return `${text}data: ${data}\n\n`
  for (const line of data.split(/\r\n|\r|\n/)) text += `data: ${line}\n`
  return `${text}\n`
}

/** Formats an event for HTTP+SSE. Its type is `message`, which is the default, but which some clients require. */
export const messageEvent = (frame: string): string => formatEvent({ event: 'message', data: frame })

/** Creates a comment. Clients ignore it, but it shows proxies that the connection is in use. */
export const KEEP_ALIVE = ': keep-alive\n\n'

export const SSE_HEADERS: Readonly<Record<string, string>> = Object.freeze({
  'content-type': 'text/event-stream',
  'cache-control': 'no-cache, no-transform',
  'x-accel-buffering': 'no',
})
