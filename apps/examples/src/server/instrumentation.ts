// #region tracing
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { BatchSpanProcessor, NodeTracerProvider } from '@opentelemetry/sdk-trace-node'

/** Sends spans to `OTEL_EXPORTER_OTLP_ENDPOINT`, by default http://localhost:4318. */
export const tracing = new NodeTracerProvider({
  spanProcessors: [new BatchSpanProcessor(new OTLPTraceExporter())],
})
tracing.register()
// #endregion
