import type { Overflowed } from '../../call/server-events.ts'
import type { EndpointContext } from '../mount.ts'
import type { ServedServer } from '../served-server.ts'
import { SseWriter, type SseWriterOptions } from './sse-writer.ts'

/** The connection of one stream of a server: kept alive with the others, its overflows emitted as events. */
export function createSseWriter(
  { options, openStreams }: EndpointContext,
  { overflow, server, sessionId, onExpired, onGone }: SseWriterParts,
): SseWriter {
  return new SseWriter({
    limit: options.outboundLimit,
    overflow,
    owner: server,
    onOverflow: (bytes) => emitOverflow(server, { action: overflow, bytes, sessionId }),
    onOpen: (writer) => openStreams.add(writer),
    ...(onExpired && { onExpired }),
    onGone: (writer) => {
      openStreams.remove(writer)
      onGone?.()
    },
  })
}

export interface SseWriterParts extends Pick<SseWriterOptions, 'overflow' | 'onExpired'> {
  readonly server: ServedServer
  readonly sessionId?: string | undefined
  readonly onGone?: () => void
}

export function emitOverflow({ runtime }: ServedServer, event: Omit<Overflowed, 'queue'>): void {
  runtime.events.emit('overflow', () => ({ queue: 'stream', ...event }))
}
