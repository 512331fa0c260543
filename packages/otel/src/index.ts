export { traceFields, type TraceFields } from './log-fields.ts'
export type { CaptureOptions, RemoteParent, TelemetryOptions } from './options.ts'
export { telemetry } from './telemetry.ts'
