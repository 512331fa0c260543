import { isolatedRequests } from '../../util/platform.ts'
import type { Clock } from '../../util/clock.ts'
import type { Logger } from '../../util/logger.ts'
import type { CallerBytes } from '../caller-bytes.ts'
import type { ResolvedOptions } from '../options.ts'
import type { OpenStreams } from './keep-alive.ts'
import { SseWriter, type SseWriterOptions } from './sse-writer.ts'

/** The part of a mount's context that its streams need. */
export interface StreamContext {
  readonly clock: Clock
  readonly options: ResolvedOptions
  readonly logger: Logger
  readonly openStreams: OpenStreams
  /** Replies that wait for their clients. */
  readonly queued: CallerBytes
}

/** One stream, without what the mount says of all. */
export interface StreamOptions extends Omit<SseWriterOptions, 'limit' | 'openStreams' | 'queued'> {
  readonly principal: string
}

/** The connection of one stream of a server, kept alive with the others of the mount. */
export const createSseWriter = (
  { options, openStreams, queued }: StreamContext,
  stream: StreamOptions,
): SseWriter => {
  const limit = options.outboundLimit
  // Where requests are isolated some streams end unnoticed: they would count for ever.
  const counted = isolatedRequests() ? undefined : queued
  return new SseWriter({ limit, openStreams, queued: counted, ...stream })
}
