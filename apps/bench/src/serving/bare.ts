import { randomUUID } from 'node:crypto'
import { answers } from './control.ts'

/** The part of a request that bare servers read. */
export interface Body {
  readonly method: string
  readonly params?: { readonly name?: string }
}

/** Returns the prepared response to a request. */
export function answerTo({ method, params }: Body): string {
  return answers()[method === 'tools/call' ? (params?.name ?? '') : method] ?? ''
}

/** The media type of the responses. */
export const MEDIA_TYPE: string = process.argv.includes('--stream') ? 'text/event-stream' : 'application/json'

/** A placeholder for the event id that other servers send. */
const EVENT =
  'id: 000000000000.0000000000.1\ndata: {"jsonrpc":"2.0","method":"notifications/tools/list_changed"}\n\n'

export const STREAM_HEADERS: Readonly<Record<string, string>> = {
  'content-type': 'text/event-stream',
  'cache-control': 'no-cache, no-transform',
}

interface OpenStream {
  write(text: string): unknown
}

const streams = new Set<OpenStream>()

/** Keeps a stream open for {@link notify}. */
export function keepStream(stream: OpenStream): void {
  streams.add(stream)
}

export function notify(): void {
  for (const stream of streams) stream.write(EVENT)
}

/** The cheapest possible session: an id, and an entry in a map. */
const sessions = new Map<string, number>()

export function openSession(): string {
  const id = randomUUID()
  sessions.set(id, Date.now())
  return id
}
