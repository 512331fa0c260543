import { isSpanContextValid, trace } from '@opentelemetry/api'

/** The trace and span ids of a log line, named as in the OpenTelemetry log format. */
export interface TraceFields {
  readonly trace_id?: string
  readonly span_id?: string
  readonly trace_flags?: string
}

/**
 * Returns the fields of the active span, or an empty object if there is none. For pino, use `pino({ mixin:
 * traceFields })`.
 *
 * @see https://opentelemetry.io/docs/specs/otel/compatibility/logging_trace_context/
 */
export function traceFields(): TraceFields {
  const context = trace.getActiveSpan()?.spanContext()
  if (context === undefined || !isSpanContextValid(context)) return {}
  return {
    trace_id: context.traceId,
    span_id: context.spanId,
    trace_flags: context.traceFlags.toString(16).padStart(2, '0'),
  }
}
