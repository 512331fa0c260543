import { isolatedRequests } from '../../util/platform.ts'
import type { EndpointContext } from '../mount.ts'
import { SseWriter, type SseWriterOptions } from './sse-writer.ts'

/** One stream, without what the mount says of all. */
export interface StreamOptions extends Omit<SseWriterOptions, 'limit' | 'openStreams' | 'queued'> {
  readonly principal: string
}

/** The connection of one stream of a server, kept alive with the others of the mount. */
export const createSseWriter = (
  { options, openStreams, queued }: EndpointContext,
  stream: StreamOptions,
): SseWriter => {
  const limit = options.outboundLimit
  // Where requests are isolated some streams end unnoticed: they would count for ever.
  const counted = isolatedRequests() ? undefined : queued
  return new SseWriter({ limit, openStreams, queued: counted, ...stream })
}
