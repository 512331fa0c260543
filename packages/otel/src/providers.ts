import {
  createNoopMeter,
  type Meter,
  type MeterProvider,
  metrics,
  ProxyTracerProvider,
  trace,
  type Tracer,
  type TracerProvider,
} from '@opentelemetry/api'
import type { TelemetryOptions } from './options.ts'

/** The name of the instrumentation in spans and metrics. */
const SCOPE = '@jetway/otel'

/** The tracer provider to which the global one delegates before an SDK is registered. */
const NO_TRACES: TracerProvider = new ProxyTracerProvider().getDelegate()
const NO_METER: Meter = createNoopMeter()

/** Looks up the providers for each use, because an SDK may be registered late or replaced. */
export class Providers {
  readonly #options: TelemetryOptions
  /** The tracer of the current provider, cached because every call needs it. */
  #traces: { readonly provider: TracerProvider; readonly tracer: Tracer } | undefined
  #metrics: { readonly provider: MeterProvider; readonly missing: boolean } | undefined

  constructor(options: TelemetryOptions) {
    this.#options = options
  }

  /** Undefined if no SDK is registered. */
  get tracer(): Tracer | undefined {
    const provider = this.#options.tracerProvider ?? globalTraces()
    if (provider === NO_TRACES) return undefined
    if (this.#traces?.provider !== provider) this.#traces = { provider, tracer: provider.getTracer(SCOPE) }
    return this.#traces.tracer
  }

  /** Undefined if no SDK is registered, or if `metrics` is false. */
  get meterProvider(): MeterProvider | undefined {
    if (this.#options.metrics === false) return undefined
    const given = this.#options.meterProvider
    if (given !== undefined) return given
    const provider = metrics.getMeterProvider()
    if (this.#metrics?.provider !== provider)
      this.#metrics = { provider, missing: provider.getMeter(SCOPE) === NO_METER }
    return this.#metrics.missing ? undefined : provider
  }
}

function globalTraces(): TracerProvider {
  const global = trace.getTracerProvider()
  // A project may contain several copies of the API, so `instanceof` does not work.
  return (global as Partial<ProxyTracerProvider>).getDelegate?.() ?? global
}

export const meterOf = (provider: MeterProvider): Meter => provider.getMeter(SCOPE)
