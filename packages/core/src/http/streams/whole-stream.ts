import type { EncodedAnswer } from '../../call/response.ts'
import type {
  EventStore,
  StoredEvent,
  StreamKey,
  StreamLease,
  StreamOrigin,
} from '../../stores/event-store.ts'
import type { Clock } from '../../util/clock.ts'
import type { Logger } from '../../util/logger.ts'
import { attempt, type Awaitable, chain } from '../../util/promises.ts'
import { retried } from '../../util/timers.ts'
import type { HttpReply } from '../types.ts'
import type { Deletions } from './deletions.ts'
import { formatEvent, formatEventId, SSE_HEADERS } from './sse-format.ts'

const DATA = 'data: '
const END = '\n\n'
/**
 * The client receives the stream's id only after the response has been stored, so nothing is ever pending.
 */
const NONE: StreamOrigin['pending'] = []

/**
 * Returns a reply whose stream is complete after its first write, because its only message is the response.
 * The stream is sent like an ordinary body.
 *
 * @param before - the text before the data, in ASCII
 */
export function wholeStream(answer: EncodedAnswer, before = ''): HttpReply {
  const body = answer.bytes?.(before + DATA, END) ?? before + formatEvent({ data: answer.frame })
  return { status: 200, headers: SSE_HEADERS, body }
}

/** The store for a response, and the fields that are sent with the response. */
interface StoredStream {
  readonly store: EventStore
  readonly key: StreamKey
  /** The id of this node. */
  readonly node: string
  /** Whether the client accepts events with an id and no data. */
  readonly primes: boolean
  /** How long a client should wait before it reconnects, in ms. */
  readonly retry: number | undefined
  readonly clock: Clock
  readonly logger: Logger
  readonly deletions: Deletions
}

/**
 * Returns a reply like {@link wholeStream}, but with event ids and a stored response, so that a client can
 * resume the stream if its connection breaks.
 */
export function storedStream(answer: EncodedAnswer, stream: StoredStream): Awaitable<HttpReply> {
  const { store, key, node, clock, logger, deletions } = stream
  const fail = (error: unknown): HttpReply => {
    logger.error({ err: error }, 'The event store failed. The stream is sent, but cannot be resumed')
    void deletions.run(() => store.delete(key))
    return wholeStream(answer)
  }
  return attempt(() => {
    const event = answer.bytes === undefined ? { seq: 1, frame: answer.frame } : lazyEvent(answer)
    const stored = retried(clock, () => store.complete(key, { node, kind: 'call', pending: NONE }, event))
    return chain(stored, (lease) => withIds(answer, stream, lease))
  }, fail)
}

function withIds(
  answer: EncodedAnswer,
  { key, primes, retry }: StoredStream,
  { epoch }: StreamLease,
): HttpReply {
  const start = formatEventId({ stream: key.stream, epoch, seq: 0 })
  const primed = primes ? formatEvent({ id: start, retry, data: '' }) : ''
  return wholeStream(answer, `${primed}id: ${start.slice(0, -1)}1\n`)
}

/** Refers to a large serialised response. Its text is created only when a client resumes. */
const lazyEvent = (answer: EncodedAnswer): StoredEvent => ({
  seq: 1,
  ...(answer.byteLength !== undefined && { bytes: answer.byteLength }),
  get frame() {
    return answer.frame
  },
})
