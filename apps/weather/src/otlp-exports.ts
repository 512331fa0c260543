import type { ServerOptions } from '@jetway/core'
import { telemetry } from '@jetway/otel'
import { OTLPMetricExporter } from '@opentelemetry/exporter-metrics-otlp-http'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { resourceFromAttributes } from '@opentelemetry/resources'
import { MeterProvider, PeriodicExportingMetricReader } from '@opentelemetry/sdk-metrics'
import { BatchSpanProcessor, NodeTracerProvider } from '@opentelemetry/sdk-trace-node'

/** The server options that export telemetry, and a function that stops the export. */
export interface Exports {
  readonly options: Pick<ServerOptions, 'telemetry'>
  /**
   * Sends everything that has not been sent yet. Call this after the server has closed, because calls may still
   * be running until then.
   */
  readonly stop: () => Promise<void>
}

/** The interval at which metrics are sent, in ms. It is short enough for watching a demo. */
const METRICS_MS = 10_000
/**
 * The time limit for an export, in ms. It ensures that a collector that hangs does not keep the process
 * running.
 */
const STOP_MS = 1_500

/**
 * Sends traces and metrics to an OTLP receiver, such as the OpenTelemetry Collector or Grafana's `otel-lgtm`.
 */
export function exportTo(url: string): Exports {
  const base = url.replace(/\/+$/, '')
  const resource = resourceFromAttributes({ 'service.name': 'weather' })
  const tracing = new NodeTracerProvider({
    resource,
    spanProcessors: [
      new BatchSpanProcessor(new OTLPTraceExporter({ url: `${base}/v1/traces`, timeoutMillis: STOP_MS })),
    ],
  })
  tracing.register()
  const meterProvider = new MeterProvider({
    resource,
    readers: [
      new PeriodicExportingMetricReader({
        exporter: new OTLPMetricExporter({ url: `${base}/v1/metrics`, timeoutMillis: STOP_MS }),
        exportIntervalMillis: METRICS_MS,
        exportTimeoutMillis: STOP_MS,
      }),
    ],
  })
  return {
    options: { telemetry: telemetry({ meterProvider }) },
    stop: async () => {
      await Promise.allSettled([tracing.shutdown(), meterProvider.shutdown()])
    },
  }
}
