import type { AddressInfo } from 'node:net'
import { parseArgs } from 'node:util'
import { mcp } from '@jetway/fastify'
import { telemetry } from '@jetway/otel'
import { context, metrics, trace } from '@opentelemetry/api'
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks'
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics'
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  BasicTracerProvider,
  BatchSpanProcessor,
  InMemorySpanExporter,
} from '@opentelemetry/sdk-trace-base'
import Fastify from 'fastify'
import { ready } from '../serving/control.ts'
import { createServer, mountOptions } from '../serving/jetway.ts'

const { values } = parseArgs({
  options: { metrics: { type: 'boolean', default: false }, traces: { type: 'string' } },
})

if (values.metrics) {
  const exporter = new InMemoryMetricExporter(AggregationTemporality.DELTA)
  metrics.setGlobalMeterProvider(
    new MeterProvider({ readers: [new PeriodicExportingMetricReader({ exporter })] }),
  )
}
if (values.traces !== undefined) {
  const exporter = new InMemorySpanExporter()
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable())
  trace.setGlobalTracerProvider(
    new BasicTracerProvider({
      sampler: values.traces === 'sampled' ? new AlwaysOnSampler() : new AlwaysOffSampler(),
      spanProcessors: [
        new BatchSpanProcessor({
          export: (spans, done) => {
            exporter.export(spans, done)
            exporter.reset()
          },
          shutdown: () => Promise.resolve(),
        }),
      ],
    }),
  )
}

const server = createServer(undefined, { telemetry: telemetry() })
const app = Fastify()
await app.register(mcp, { server, path: '/mcp', ...mountOptions() })
await app.listen({ port: 0, host: '127.0.0.1' })
ready((app.server.address() as AddressInfo).port, () => server.notify.toolsChanged())
