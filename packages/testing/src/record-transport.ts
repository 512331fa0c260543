import type { Transport } from '@jetway/core/transport'

/** A message on the wire, as seen from the recorded side. */
export interface RecordedFrame {
  readonly direction: 'sent' | 'received'
  readonly text: string
  /** The parsed message. Undefined if the text is not JSON. */
  readonly message: unknown
}

/** The options of {@link recordTransport}. */
export interface RecordingOptions {
  /** The maximum number of messages. When it is exceeded, the oldest are dropped. @default 10_000 */
  readonly limit?: number
}

/** The result of {@link recordTransport}: a transport to use, and its messages. */
export interface TransportRecording {
  /** The transport to use instead of the given one. */
  readonly transport: Transport
  /** All messages so far. The list grows while the transport is used. */
  readonly frames: readonly RecordedFrame[]
}

const DEFAULT_LIMIT = 10_000

/** Records every message that a transport sends and receives. */
export function recordTransport(transport: Transport, options: RecordingOptions = {}): TransportRecording {
  const frames: RecordedFrame[] = []
  const record = (direction: RecordedFrame['direction'], text: string): void => {
    keep(frames, { direction, text, message: parse(text) }, options.limit ?? DEFAULT_LIMIT)
  }
  return {
    frames,
    transport: {
      start: (handlers) =>
        transport.start({
          message(text) {
            record('received', text)
            return handlers.message(text)
          },
          malformed: (reason) => handlers.malformed(reason),
          close: (reason) => handlers.close(reason),
        }),
      send(text, sendOptions) {
        record('sent', text)
        return transport.send(text, sendOptions)
      },
      close: () => transport.close(),
    },
  }
}

/** Appends an entry to a log, which keeps at most `limit` entries. */
export function keep<T>(log: T[], entry: T, limit: number): void {
  log.push(entry)
  if (log.length > limit) log.splice(0, log.length - limit)
}

export function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
