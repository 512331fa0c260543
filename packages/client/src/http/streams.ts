import { parseText, type RequestId } from '@jetway/core/protocol'
import { TransportError } from '../errors.ts'
import type { ClientTransportHandlers, Origin } from '../transport/client-transport.ts'
import type { ResolvedHttpOptions } from './options.ts'
import { type SseEvent, sseEvents } from './sse-parser.ts'

/** What a stream has told of how to go on with it. */
export interface StreamPosition {
  lastEventId?: string
  /** Ms that the server wants to be left in peace before it is asked for more. */
  retryMs?: number
}

export interface ReadOptions {
  readonly options: ResolvedHttpOptions
  readonly handlers: ClientTransportHandlers
  /** Ends the reading, as the end of the body does. */
  readonly signal: AbortSignal
  /** The request that the stream belongs to. */
  readonly request?: RequestId
  readonly position: StreamPosition
  /** The answer to the request has come: nothing is awaited but the end. */
  readonly onAnswered?: () => void
}

/** Hands one text on as the message that it is, or says that it is none. A promise is backpressure. */
export function deliver(
  text: string,
  { options, handlers, request }: Pick<ReadOptions, 'options' | 'handlers' | 'request'>,
): { readonly value: unknown; readonly taken: void | Promise<void> } {
  const parsed = parseText(text, options.parseLimits)
  const origin: Origin | undefined = request === undefined ? undefined : { request }
  if (parsed.ok) return { value: parsed.value, taken: handlers.message(parsed.value, origin) }
  handlers.malformed(parsed.error.message, request)
  return { value: undefined, taken: undefined }
}

/**
 * Reads a stream of events until it ends, is cut, or is no longer wanted. Whether the answer to the stream's request was
 * among what it brought.
 */
export async function readEvents(body: ReadableStream<Uint8Array>, reading: ReadOptions): Promise<boolean> {
  const { options, signal, request, position } = reading
  let answered = false
  try {
    for await (const event of sseEvents(body, signal, options.maxMessageBytes)) {
      note(event, position)
      if (event.data === '' || (event.event ?? 'message') !== 'message') continue
      const { value, taken } = deliver(event.data, reading)
      if (taken !== undefined) await taken
      if (answered || request === undefined || !answers(value, request)) continue
      answered = true
      reading.onAnswered?.()
    }
  } catch (error) {
    // A stream that is cut ends like any other; what it was cut by is told only where nothing can follow.
    if (!answered && !signal.aborted) throw new TransportError('A stream was cut', { cause: error })
  }
  return answered
}

function note({ id, retry }: SseEvent, position: StreamPosition): void {
  if (id === '') delete position.lastEventId
  else if (id !== undefined) position.lastEventId = id
  if (retry !== undefined) position.retryMs = retry
}

/** Batches hold answers too. */
function answers(value: unknown, request: RequestId): boolean {
  if (Array.isArray(value)) return value.some((each) => answers(each, request))
  if (typeof value !== 'object' || value === null) return false
  return 'id' in value && value.id === request && !('method' in value)
}

/** Waits, in ms, or until the signal is aborted. */
export function delay(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve()
    const timer = setTimeout(done, ms)
    function done(): void {
      clearTimeout(timer)
      signal.removeEventListener('abort', done)
      resolve()
    }
    signal.addEventListener('abort', done)
  })
}

/** How long to wait before the next attempt, in ms. A server's own wish stands, up to the longest wait. */
export function retryDelay(
  { firstMs, lastMs }: Pick<ResolvedHttpOptions, 'firstMs' | 'lastMs'>,
  position: StreamPosition,
  failures: number,
): number {
  return Math.min(
    (position.retryMs ?? firstMs) * 2 ** Math.min(failures, 30),
    Math.max(lastMs, position.retryMs ?? 0),
  )
}
