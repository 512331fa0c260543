import type { EndpointContext } from '../mount.ts'
import { SseWriter, type SseWriterOptions } from './sse-writer.ts'

/** The connection of one stream of a server, kept alive with the others of the mount. */
export const createSseWriter = (
  { options, openStreams }: EndpointContext,
  stream: Omit<SseWriterOptions, 'limit' | 'openStreams'>,
): SseWriter => new SseWriter({ limit: options.outboundLimit, openStreams, ...stream })
