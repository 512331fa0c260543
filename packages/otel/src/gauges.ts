import type { ObservedServer } from '@jetway/core/telemetry'
import type { BatchObservableResult, Meter, Observable } from '@opentelemetry/api'

type Stats = ReturnType<ObservedServer['stats']>

/** Each gauge with its unit, its description and its value. */
const GAUGES: Readonly<Record<string, readonly [string, string, (stats: Stats) => number]>> = {
  'jetway.server.sessions': ['{session}', 'Open sessions', ({ sessions }) => sessions],
  'jetway.server.streams': ['{stream}', 'Open event streams', ({ openStreams }) => openStreams],
  'jetway.server.calls': ['{call}', 'Calls that run or wait', ({ callsInFlight }) => callsInFlight],
  'jetway.server.tasks': ['{task}', 'Running tasks', ({ tasks }) => tasks],
  'jetway.server.queued': ['By', 'Bytes that wait for slow clients', ({ queuedBytes }) => queuedBytes],
  'jetway.server.replay.events': [
    '{event}',
    'Events that are stored for replay',
    ({ replayEvents }) => replayEvents,
  ],
  'jetway.server.replay.size': ['By', 'Their size', ({ replayBytes }) => replayBytes],
}

/**
 * Observes the servers when metrics are collected, so that calls pay nothing for it.
 *
 * @returns the function that ends it
 */
export function observeGauges(meter: Meter, servers: () => Iterable<ObservedServer>): () => void {
  const gauges = Object.entries(GAUGES).map(([name, [unit, description, read]]) => {
    return { gauge: meter.createObservableUpDownCounter(name, { unit, description }), read }
  })
  const refusals = meter.createObservableCounter('jetway.server.refusals', {
    unit: '{request}',
    description: 'Requests that were refused before a handler ran',
  })
  const all: Observable[] = [...gauges.map(({ gauge }) => gauge), refusals]
  const collect = (result: BatchObservableResult): void => {
    const stats = Array.from(servers(), (server) => server.stats())
    for (const { gauge, read } of gauges)
      result.observe(
        gauge,
        stats.reduce((sum, each) => sum + read(each), 0),
      )
    for (const [reason, count] of countReasons(stats)) result.observe(refusals, count, { reason })
  }
  meter.addBatchObservableCallback(collect, all)
  return () => meter.removeBatchObservableCallback(collect, all)
}

function countReasons(stats: readonly Stats[]): Map<string, number> {
  const counts = new Map<string, number>()
  for (const { refusals } of stats)
    for (const [reason, count] of Object.entries(refusals))
      counts.set(reason, (counts.get(reason) ?? 0) + count)
  return counts
}
