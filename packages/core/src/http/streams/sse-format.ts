import type { Cursor } from '../../stores/event-store.ts'

/** A stream of a session, and a position in it. */
export interface EventId extends Cursor {
  readonly stream: string
}

const TOKEN = /^[A-Za-z0-9_-]{1,64}$/
const EVENT_ID = /^([A-Za-z0-9_-]{1,64})\.([A-Za-z0-9_-]{1,64})\.(0|[1-9][0-9]{0,14})$/

/**
 * Formats an event id in three parts of a fixed alphabet.
 *
 * @throws for a part outside the alphabet, which could otherwise forge fields of the stream
 */
export function formatEventId({ stream, epoch, seq }: EventId): string {
  if (!TOKEN.test(stream) || !TOKEN.test(epoch))
    throw new TypeError('An event id has parts of A-Z, a-z, 0-9, - and _ only')
  return `${stream}.${epoch}.${seq}`
}

/** Parses a Last-Event-ID. Returns undefined if this server cannot have sent it. */
export function parseEventId(text: string): EventId | undefined {
  const [, stream, epoch, seq] = EVENT_ID.exec(text) ?? []
  return stream === undefined || epoch === undefined ? undefined : { stream, epoch, seq: Number(seq) }
}

const FIELD_BREAK = /[\r\n\0]/

/** Formats a single-line field. A CR or LF in the value would end the field and forge another one. */
function field(name: string, value: string): string {
  if (FIELD_BREAK.test(value)) throw new TypeError(`The ${name} of an event must not hold CR, LF or NUL`)
  return `${name}: ${value}\n`
}

interface SseEvent {
  readonly data: string
  readonly id?: string | undefined
  /** Omitted for the default, `message`. */
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
  // JSON.stringify writes no line breaks, and a regular expression would take longer to find none.
  if (!data.includes('\n') && !data.includes('\r')) return `${text}data: ${data}\n\n`
  for (const line of data.split(/\r\n|\r|\n/)) text += `data: ${line}\n`
  return `${text}\n`
}

/** The maximum length of data whose text is kept, in characters. */
const MAX_KEPT = 1_024
/** The last short data, because one notification goes to many streams. */
const kept = { data: '', text: 'data: \n\n' }

/** Formats one event with an id that begins as {@link formatEventId} formats it. */
export function formatNumbered(id: string, data: string): string {
  if (data === kept.data) return `id: ${id}\n${kept.text}`
  const text = formatEvent({ data })
  if (data.length <= MAX_KEPT) {
    kept.data = data
    kept.text = text
  }
  return `id: ${id}\n${text}`
}

/** Formats an event for HTTP+SSE. Its type `message` is the default, but some clients require it. */
export const messageEvent = (frame: string): string => formatEvent({ event: 'message', data: frame })

/** A comment, which clients skip, but which shows proxies that the connection is in use. */
export const KEEP_ALIVE = ': keep-alive\n\n'

export const SSE_HEADERS: Readonly<Record<string, string>> = Object.freeze({
  'content-type': 'text/event-stream',
  'cache-control': 'no-cache, no-transform',
  'x-accel-buffering': 'no',
})
