import type { ObservedServer } from '@jetway/core/telemetry'
import type { BatchObservableResult, Meter, MeterProvider, Observable } from '@opentelemetry/api'
import { meterOf } from './providers.ts'
import type { Servers } from './servers.ts'

type SharedStats = ReturnType<NonNullable<NonNullable<ObservedServer['runtime']['shared']>['stats']>>
type Stats = ReturnType<ObservedServer['stats']>

/** Every gauge, with its unit, its description, and a function that returns its value. */
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

const SHARED: Readonly<Record<string, readonly [unit: string, string, (stats: SharedStats) => number]>> = {
  'jetway.shared.available': ['', '1 if the shared stores reply', ({ available }) => Number(available)],
  'jetway.shared.in_flight': ['{command}', 'Commands without a reply', ({ inFlight }) => inFlight],
  'jetway.shared.unsent': ['{message}', 'Messages to other processes that wait', ({ unsent }) => unsent],
}

/**
 * The observed servers, keyed by provider. Each provider has a single callback, because a gauge has only one
 * value per collection, which covers all telemetry objects that use the provider. The callback remains after
 * the last server has closed. Otherwise, the SDK would continue to export the last values.
 */
const observed = new WeakMap<MeterProvider, Set<Servers>>()

/**
 * Observes the servers only while metrics are collected, so that calls have no extra cost.
 *
 * @returns a function that ends the observation
 */
export function observeGauges(provider: MeterProvider, servers: Servers): () => void {
  let sources = observed.get(provider)
  if (sources === undefined) {
    sources = new Set()
    observed.set(provider, sources)
    registerCallback(meterOf(provider), sources)
  }
  const added = sources.add(servers)
  return () => void added.delete(servers)
}

function registerCallback(meter: Meter, sources: ReadonlySet<Servers>): void {
  const gauges = Object.entries(GAUGES).map(([name, [unit, description, read]]) => {
    return { gauge: meter.createObservableUpDownCounter(name, { unit, description }), read }
  })
  const shared = Object.entries(SHARED).map(([name, [unit, description, read]]) => {
    return { gauge: meter.createObservableGauge(name, { unit, description }), read }
  })
  const all: Observable[] = [...gauges, ...shared].map(({ gauge }) => gauge)
  const collect = (result: BatchObservableResult): void => {
    const servers = [...sources].flatMap((source) => [...source])
    const stats = servers.map((server) => server.stats())
    const together = sharedStats(servers)
    for (const { gauge, read } of gauges)
      result.observe(
        gauge,
        stats.reduce((sum, each) => sum + read(each), 0),
      )
    for (const { gauge, read } of shared) if (together !== undefined) result.observe(gauge, read(together))
  }
  meter.addBatchObservableCallback(collect, all)
}

/**
 * Returns the sum over all distinct stores, because servers may share a store, or undefined if there are no
 * stores.
 */
function sharedStats(servers: readonly ObservedServer[]): SharedStats | undefined {
  const stores = new Set(servers.map(({ runtime }) => runtime.shared))
  const all = [...stores].flatMap((store) => store?.stats?.() ?? [])
  if (all.length === 0) return undefined
  return {
    available: all.every(({ available }) => available),
    inFlight: all.reduce((sum, { inFlight }) => sum + inFlight, 0),
    unsent: all.reduce((sum, { unsent }) => sum + unsent, 0),
  }
}
