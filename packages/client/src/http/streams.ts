import { parseText, type RequestId } from '@jetway/core/protocol'
import { systemClock } from '@jetway/core/stores'
import { TransportError } from '../errors.ts'
import type { ClientTransportHandlers } from '../transport/client-transport.ts'
import { isSameId } from '../util/ids.ts'
import { jittered } from '../util/jitter.ts'
import { delay } from '../util/promises.ts'
import type { ResolvedHttpOptions } from './options.ts'
import { type SseEvent, sseEvents } from './sse-parser.ts'

/** The position from which to resume a stream, and the values that determine the delay before resuming. */
export interface StreamPosition {
  lastEventId?: string
  /** The server's `retry`, in ms. */
  retryMs?: number
  /** The number of failures since the last connection that delivered a message or stayed open for `maxDelayMs`. */
  failures: number
}

export interface Reading {
  readonly options: ResolvedHttpOptions
  readonly handlers: ClientTransportHandlers
  readonly request?: RequestId | undefined
}

export interface StreamReading extends Reading {
  readonly signal: AbortSignal
  readonly position: StreamPosition
  /** Called when the response to the request has arrived. */
  readonly onAnswered?: () => void
}

const PARSE_LIMITS = { maxDepth: 128, maxTokens: 400_000 }

/** Delivers one message. Callers must wait for `taken` before they read further. */
export function deliver(
  text: string,
  { handlers, request }: Reading,
): { readonly value: unknown; readonly taken: void | Promise<void> } {
  const parsed = parseText(text, PARSE_LIMITS)
  if (parsed.ok) return { value: parsed.value, taken: handlers.message(parsed.value, request) }
  handlers.malformed(parsed.error.message, request)
  return { value: undefined, taken: undefined }
}

/** Reads a stream until it ends. Resolves to whether it contained the response to its request. */
export async function readEvents(body: ReadableStream<Uint8Array>, reading: StreamReading): Promise<boolean> {
  const { options, signal, request, position } = reading
  const openedAt = systemClock.now()
  let answered = false
  try {
    for await (const event of sseEvents(body, signal, options.maxMessageBytes)) {
      note(event, position)
      if (event.data === '' || (event.event ?? 'message') !== 'message') continue
      position.failures = 0
      const { value, taken } = deliver(event.data, reading)
      if (taken !== undefined) await taken
      if (answered || request === undefined || !answers(value, request)) continue
      answered = true
      reading.onAnswered?.()
    }
  } catch (error) {
    // After the response, it does not matter how the stream ends.
    if (!answered && !signal.aborted) throw new TransportError('The stream was cut', { cause: error })
  } finally {
    // A proxy may close idle streams, which does not count as a failure.
    if (systemClock.now() - openedAt >= options.maxDelayMs) position.failures = 0
  }
  return answered
}

function note({ id, retry }: SseEvent, position: StreamPosition): void {
  if (id === '') delete position.lastEventId
  else if (id !== undefined) position.lastEventId = id
  if (retry !== undefined) position.retryMs = retry
}

/** Returns whether a message, alone or in a batch, is the response to the request. */
function answers(value: unknown, request: RequestId): boolean {
  if (Array.isArray(value)) return value.some((each) => answers(each, request))
  if (typeof value !== 'object' || value === null) return false
  return 'id' in value && isSameId(value.id, request) && !('method' in value)
}

/** Resolves after the given time, or when the signal aborts. */
export const wait = (ms: number, signal: AbortSignal): Promise<void> =>
  delay(ms, systemClock, signal).catch(() => {})

/** The minimum for the server's `retry`, so that `retry: 0` does not cause a tight loop. */
const MIN_RETRY_MS = 500
const MAX_RETRY_MS = 60 * 60 * 1_000

/**
 * Returns the delay before the next attempt, in ms. The attempt counts as a failure until it delivers a
 * message. The server's `retry` is used even if it exceeds the maximum delay.
 */
export function nextDelay(
  { initialDelayMs, maxDelayMs }: Pick<ResolvedHttpOptions, 'initialDelayMs' | 'maxDelayMs'>,
  position: StreamPosition,
): number {
  const { retryMs } = position
  const least = Math.min(MIN_RETRY_MS, initialDelayMs)
  const first = retryMs === undefined ? initialDelayMs : Math.min(Math.max(retryMs, least), MAX_RETRY_MS)
  const doubled = Math.max(first, 1) * 2 ** Math.min(position.failures++, 30)
  return jittered(Math.min(doubled, Math.max(maxDelayMs, first)))
}
