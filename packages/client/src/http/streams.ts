import { parseText, type RequestId } from '@jetway/core/protocol'
import { systemClock } from '@jetway/core/stores'
import { TransportError } from '../errors.ts'
import type { ClientTransportHandlers } from '../transport/client-transport.ts'
import { delay } from '../util/promises.ts'
import type { ResolvedHttpOptions } from './options.ts'
import { type SseEvent, sseEvents } from './sse-parser.ts'

/** Where to resume a stream. */
export interface StreamPosition {
  lastEventId?: string
  /** From the server, in ms. */
  retryMs?: number
}

export interface Reading {
  readonly options: ResolvedHttpOptions
  readonly handlers: ClientTransportHandlers
  readonly request?: RequestId | undefined
}

export interface StreamReading extends Reading {
  readonly signal: AbortSignal
  readonly position: StreamPosition
  /** The response to the request has arrived. */
  readonly onAnswered?: () => void
}

const PARSE_LIMITS = { maxDepth: 128, maxTokens: 1_000_000 }

/** Passes one message on. Wait for `taken` before reading on. */
export function deliver(
  text: string,
  { handlers, request }: Reading,
): { readonly value: unknown; readonly taken: void | Promise<void> } {
  const parsed = parseText(text, PARSE_LIMITS)
  if (parsed.ok) return { value: parsed.value, taken: handlers.message(parsed.value, request) }
  handlers.malformed(parsed.error.message, request)
  return { value: undefined, taken: undefined }
}

/** Reads a stream until it ends. Resolves to whether it had the response to its request. */
export async function readEvents(body: ReadableStream<Uint8Array>, reading: StreamReading): Promise<boolean> {
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
    // A stream that was cut after the response has ended well.
    if (!answered && !signal.aborted) throw new TransportError('The stream was cut', { cause: error })
  }
  return answered
}

function note({ id, retry }: SseEvent, position: StreamPosition): void {
  if (id === '') delete position.lastEventId
  else if (id !== undefined) position.lastEventId = id
  if (retry !== undefined) position.retryMs = retry
}

/** A response may be in a batch. */
function answers(value: unknown, request: RequestId): boolean {
  if (Array.isArray(value)) return value.some((each) => answers(each, request))
  if (typeof value !== 'object' || value === null) return false
  return 'id' in value && value.id === request && !('method' in value)
}

/** Resolves after the time, or when the signal aborts. */
export const wait = (ms: number, signal: AbortSignal): Promise<void> =>
  delay(ms, systemClock, signal).catch(() => {})

/** Ms before the next attempt. The server's `retry` counts even beyond the longest delay. */
export function retryDelay(
  { initialDelayMs, maxDelayMs }: Pick<ResolvedHttpOptions, 'initialDelayMs' | 'maxDelayMs'>,
  position: StreamPosition,
  failures: number,
): number {
  return Math.min(
    (position.retryMs ?? initialDelayMs) * 2 ** Math.min(failures, 30),
    Math.max(maxDelayMs, position.retryMs ?? 0),
  )
}
