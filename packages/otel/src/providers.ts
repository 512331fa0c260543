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

/** The delegate of the global provider until an SDK registers another. */
const NO_TRACES: TracerProvider = new ProxyTracerProvider().getDelegate()
const NO_METER: Meter = createNoopMeter()

/** Finds the providers at each use: an SDK may be registered late, or replaced. */
export class Providers {
  readonly #options: TelemetryOptions

  constructor(options: TelemetryOptions) {
    this.#options = options
  }

  /** Undefined without an SDK. */
  get tracer(): Tracer | undefined {
    const given = this.#options.tracerProvider
    if (given !== undefined) return given.getTracer(SCOPE)
    const global = trace.getTracerProvider()
    // Not `instanceof`: another copy of the API may have registered it.
    const delegate = (global as Partial<ProxyTracerProvider>).getDelegate?.() ?? global
    return delegate === NO_TRACES ? undefined : delegate.getTracer(SCOPE)
  }

  /** Undefined without an SDK, and with `metrics: false`. */
  get meterProvider(): MeterProvider | undefined {
    if (this.#options.metrics === false) return undefined
    const given = this.#options.meterProvider
    if (given !== undefined) return given
    const global = metrics.getMeterProvider()
    return global.getMeter(SCOPE) === NO_METER ? undefined : global
  }
}

export const meterOf = (provider: MeterProvider): Meter => provider.getMeter(SCOPE)
