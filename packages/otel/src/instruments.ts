import type { Counter, Histogram, MeterProvider } from '@opentelemetry/api'
import { meterOf } from './providers.ts'

/** @see https://github.com/open-telemetry/semantic-conventions-genai/blob/main/docs/gen-ai/mcp.md#metrics */
const SECONDS = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60, 120, 300]

/** The instruments of one meter provider. */
export interface Instruments {
  readonly provider: MeterProvider
  /** The durations of received requests. */
  readonly received: Histogram
  /** The durations of requests to peers. */
  readonly sent: Histogram
  readonly sessions: Histogram
  /** The durations of client sessions. */
  readonly clientSessions: Histogram
  readonly refusals: Counter
  readonly cancelled: Counter
  readonly overflows: Counter
}

/**
 * Creates instruments for a provider that is already registered. Unlike tracers, instruments that were
 * created before registration never record anything.
 */
export function createInstruments(provider: MeterProvider): Instruments {
  const meter = meterOf(provider)
  const seconds = (name: string, description: string): Histogram =>
    meter.createHistogram(name, {
      unit: 's',
      description,
      advice: { explicitBucketBoundaries: SECONDS },
    })
  return {
    provider,
    received: seconds('mcp.server.operation.duration', 'Duration of requests that were received'),
    sent: seconds('mcp.client.operation.duration', 'Duration of requests that were sent'),
    sessions: seconds('mcp.server.session.duration', 'Duration of sessions of the server'),
    clientSessions: seconds('mcp.client.session.duration', 'Duration of sessions of the client'),
    refusals: meter.createCounter('jetway.server.refusals', {
      unit: '{request}',
      description: 'Requests that were refused before a handler ran',
    }),
    cancelled: meter.createCounter('jetway.server.cancelled', {
      unit: '{call}',
      description: 'Calls that ended without an answer',
    }),
    overflows: meter.createCounter('jetway.server.overflows', {
      unit: '{message}',
      description: 'Messages and calls for which a queue had no room',
    }),
  }
}
