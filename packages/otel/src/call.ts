import type { CallObservation, ReceivedCall, ServedCall } from '@jetway/core/telemetry'
import type { JsonObject } from '@jetway/core/protocol'
import {
  type Attributes,
  context,
  type Span,
  SpanKind,
  SpanStatusCode,
  trace,
  type Tracer,
} from '@opentelemetry/api'
import {
  boundedAttributesOf,
  endAttributesOf,
  failureOf,
  methodOf,
  Name,
  sessionIdOf,
  spanNameOf,
  startAttributesOf,
} from './attributes.ts'
import type { BoundedNames } from './bounded-names.ts'
import { captured, setText } from './capture.ts'
import type { Instruments } from './instruments.ts'
import type { TelemetryOptions } from './options.ts'
import { parentageOf } from './trace-context.ts'

/** The current tracer and instruments. */
export interface Recording {
  readonly options: TelemetryOptions
  /** Undefined if no tracing SDK is registered. */
  readonly tracer: Tracer | undefined
  /** Undefined if no metrics SDK is registered. */
  readonly instruments: Instruments | undefined
  /** The names that sent requests may record. */
  readonly names: BoundedNames
}

const MAX_MESSAGE = 256

/** Records a span for one call, and its duration. */
export function observeCall(call: ReceivedCall, recording: Recording): CallObservation {
  const { options, tracer, instruments } = recording
  const { context: parent, links } = parentageOf(call, options)
  const bounded = boundedAttributesOf(call)
  const span = tracer?.startSpan(
    spanNameOf(call),
    { kind: SpanKind.SERVER, attributes: startAttributesOf(call, bounded, options), links: [...links] },
    parent,
  )
  const within = span === undefined ? parent : trace.setSpan(parent, span)
  const start = performance.now()
  const tool = call.message.method === 'tools/call' ? call.target : undefined
  const { capture = {} } = options
  const records = span?.isRecording() === true && tool !== undefined
  if (records && capture.arguments === true) {
    const value = call.message.params?.['arguments'] as JsonObject | undefined
    setText(span, Name.arguments, captured(capture, { kind: 'arguments', tool, value }))
  }
  // A cancelled call has no duration, because it has no response.
  return {
    wantsResult: records && capture.results === true,
    run: (step) => context.with(within, step),
    end: (served) => {
      const ended = endAttributesOf(served)
      if (served.outcome === 'cancelled') instruments?.cancelled.add(1, { [Name.method]: methodOf(call) })
      else instruments?.received.record((performance.now() - start) / 1_000, { ...bounded, ...ended })
      if (span === undefined) return
      if (tool !== undefined && served.result !== undefined)
        setText(span, Name.result, captured(capture, { kind: 'result', tool, value: served.result }))
      endSpan(span, ended, served, options)
    },
  }
}

function endSpan(span: Span, ended: Attributes, served: ServedCall, options: TelemetryOptions): void {
  const { outcome, hidden, opened } = served
  const failure = failureOf(served)
  const session = sessionIdOf(opened?.sessionId, options)
  span.setAttributes({
    ...ended,
    [Name.outcome]: outcome,
    ...(session !== undefined && { [Name.session]: session }),
    ...(hidden !== undefined && { [Name.reference]: hidden.reference }),
  })
  if (failure !== undefined) {
    const message = failure.message?.slice(0, MAX_MESSAGE)
    span.setStatus({ code: SpanStatusCode.ERROR, ...(message !== undefined && { message }) })
  }
  if (options.recordErrors === true && hidden !== undefined) span.recordException(asException(hidden.error))
  span.end()
}

const asException = (error: unknown): Error | string => (error instanceof Error ? error : String(error))
