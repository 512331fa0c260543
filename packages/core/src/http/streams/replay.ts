import type { StoredEvent, StreamKey } from '../../stores/event-store.ts'
import type { ServedServer } from '../servers/served-server.ts'
import type { HttpReply } from '../types.ts'
import { createSseWriter, type StreamContext, type StreamReader } from './sse-writer.ts'
import { type EventId, formatEvent, formatEventId } from './sse-format.ts'

interface Replay {
  readonly from: EventId
  readonly events: readonly StoredEvent[]
  readonly reader: StreamReader
  readonly key: StreamKey
}

/** Returns the reply with the remaining events of an ended stream, or undefined if there are none. */
export function replay(
  context: StreamContext,
  server: ServedServer,
  { from, events, reader, key }: Replay,
): HttpReply | undefined {
  if (events.length === 0) return undefined
  const writer = createSseWriter(context, { overflow: 'drop', server, sessionId: key.session })
  for (const event of events) writer.writeAlways(storedEventText(from, event))
  writer.end()
  return writer.reply(reader)
}

/** Returns the text of an event in the stream of `position`. */
export const storedEventText = ({ stream, epoch }: EventId, { seq, frame }: StoredEvent): string =>
  formatEvent({ id: formatEventId({ stream, epoch, seq }), data: frame })
