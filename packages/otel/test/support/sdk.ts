import { context, metrics, trace } from '@opentelemetry/api'
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks'
import {
  AggregationTemporality,
  type DataPoint,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics'
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  type ReadableSpan,
  SimpleSpanProcessor,
} from '@opentelemetry/sdk-trace-base'
import { onTestFinished } from 'vitest'

/** The OpenTelemetry SDK, registered globally until the end of the test. It keeps everything in memory. */
export interface Sdk {
  readonly spans: () => readonly ReadableSpan[]
  readonly span: (name: string) => ReadableSpan
  /** The spans that have not ended. */
  readonly openSpans: () => number
  /** Returns the data points of all metrics, keyed by name. */
  readonly points: () => Promise<Readonly<Record<string, readonly DataPoint<unknown>[]>>>
}

export function registerSdk(): Sdk {
  const exporter = new InMemorySpanExporter()
  let open = 0
  const count = {
    onStart: () => void open++,
    onEnd: () => void open--,
    forceFlush: () => Promise.resolve(),
    shutdown: () => Promise.resolve(),
  }
  const tracerProvider = new BasicTracerProvider({
    spanProcessors: [new SimpleSpanProcessor(exporter), count],
  })
  const collected = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE)
  const reader = new PeriodicExportingMetricReader({ exporter: collected, exportIntervalMillis: 3_600_000 })
  const meterProvider = new MeterProvider({ readers: [reader] })
  trace.setGlobalTracerProvider(tracerProvider)
  metrics.setGlobalMeterProvider(meterProvider)
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable())
  onTestFinished(async () => {
    trace.disable()
    metrics.disable()
    context.disable()
    await Promise.all([tracerProvider.shutdown(), meterProvider.shutdown()])
  })
  const spans = (): readonly ReadableSpan[] => exporter.getFinishedSpans()
  return {
    spans,
    openSpans: () => open,
    span: (name) => {
      const found = spans().find((span) => span.name === name)
      if (found === undefined)
        throw new Error(
          `No span ${name} among ${spans()
            .map((span) => span.name)
            .join(', ')}`,
        )
      return found
    },
    points: async () => {
      collected.reset()
      await reader.forceFlush()
      const all = collected
        .getMetrics()
        .flatMap(({ scopeMetrics }) => scopeMetrics.flatMap(({ metrics: of }) => of))
      return Object.fromEntries(all.map(({ descriptor, dataPoints }) => [descriptor.name, dataPoints]))
    },
  }
}
