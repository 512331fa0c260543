import type { ServerEvents, ServerListener } from '../call/server-events.ts'
import type { CallTelemetry } from '../call/observation/telemetry.ts'
import type { SharedStores } from '../stores/shared-stores.ts'
import type { ServerStats } from './stats.ts'

/** A server from its telemetry's point of view. */
export interface ObservedServer {
  on<Event extends keyof ServerEvents>(event: Event, listener: ServerListener<Event>): () => void
  stats(): ServerStats
  readonly runtime: { readonly shared: Pick<SharedStores, 'stats'> | undefined }
}

/** Observes a server, for traces and metrics. `@jetway/otel` has one for OpenTelemetry. */
export interface Telemetry extends CallTelemetry {
  /**
   * Called once for each server that has this telemetry.
   *
   * @returns a function that is called when the server has closed
   */
  attach(server: ObservedServer): () => void
}
