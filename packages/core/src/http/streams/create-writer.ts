import { isolatedRequests } from '../../util/platform.ts'
import type { Clock } from '../../util/clock.ts'
import type { Logger } from '../../util/logger.ts'
import type { CallerBytes } from '../caller-bytes.ts'
import type { ResolvedOptions } from '../options.ts'
import type { OpenStreams } from './keep-alive.ts'
import { SseWriter, type SseWriterOptions } from './sse-writer.ts'

/** The members of a mount's context that its streams use. */
export interface StreamContext {
  readonly clock: Clock
  readonly options: ResolvedOptions
  readonly logger: Logger
  readonly openStreams: OpenStreams
  /** Replies that are queued for their clients. */
  readonly queued: CallerBytes
}

/** The options of one stream, without those that the mount sets for all. */
export interface StreamOptions extends Omit<SseWriterOptions, 'limit' | 'openStreams' | 'queued'> {
  readonly principal: string
}

/** Creates the connection of one stream of a server. It is kept alive with the others of the mount. */
export const createSseWriter = (
  { options, openStreams, queued }: StreamContext,
  stream: StreamOptions,
): SseWriter => {
  const limit = options.outboundLimit
  // If requests are isolated, some streams end without notice and would count forever.
  const counted = isolatedRequests() ? undefined : queued
  return new SseWriter({ limit, openStreams, queued: counted, ...stream })
}
