// #region metrics
import { metrics } from '@opentelemetry/api'
import { PrometheusExporter } from '@opentelemetry/exporter-prometheus'
import { MeterProvider } from '@opentelemetry/sdk-metrics'

/** Serves `/metrics` on port 9464, or on `OTEL_EXPORTER_PROMETHEUS_PORT`. */
export const measuring = new MeterProvider({ readers: [new PrometheusExporter()] })
metrics.setGlobalMeterProvider(measuring)
// #endregion
