import { readTraceContext } from '@jetway/core/protocol'
import type { ReceivedCall } from '@jetway/core/telemetry'
import {
  context,
  type Context,
  createTraceState,
  isSpanContextValid,
  type Link,
  type SpanContext,
  trace,
  TraceFlags,
} from '@opentelemetry/api'
import type { TelemetryOptions } from './options.ts'

/** The parent and the links of a span. */
export interface Parentage {
  readonly context: Context
  readonly links: readonly Link[]
}

/**
 * Finds the parent of a call's span: the trace context in `_meta`, or else the active span, or else the
 * header. MCP requires the W3C format, so the global propagators, which may use another format, are ignored.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic#meta
 */
export function parentageOf(call: ReceivedCall, { remoteParent = 'parent' }: TelemetryOptions): Parentage {
  const active = context.active()
  const ambient = trace.getSpanContext(active)
  // A task may run for hours, so it has a separate trace, with a link to the call that started it.
  if (call.ctx?.task !== undefined) return { context: trace.deleteSpan(active), links: linkTo(ambient) }
  const choice = typeof remoteParent === 'function' ? remoteParent(call) : remoteParent
  if (choice === 'ignore') return { context: active, links: [] }
  const remote = remoteOf(call, ambient)
  if (remote === undefined) return { context: active, links: [] }
  if (choice === 'link') return { context: active, links: linkTo(remote) }
  return { context: trace.setSpanContext(active, remote), links: linkTo(ambient) }
}

const linkTo = (span: SpanContext | undefined): readonly Link[] =>
  span === undefined || !isSpanContextValid(span) ? [] : [{ context: span }]

function remoteOf(call: ReceivedCall, ambient: SpanContext | undefined): SpanContext | undefined {
  const found = call.trace ?? (ambient === undefined ? fromHeader(call) : undefined)
  if (found?.traceId === undefined || found.parentId === undefined) return undefined
  const { traceId, parentId, sampled, tracestate } = found
  return {
    traceId,
    spanId: parentId,
    traceFlags: sampled === true ? TraceFlags.SAMPLED : TraceFlags.NONE,
    isRemote: true,
    ...(tracestate !== undefined && { traceState: createTraceState(tracestate) }),
  }
}

/** Reads the context from the header. HTTP instrumentation, if there is any, has already created a span from it. */
function fromHeader(call: ReceivedCall): ReturnType<typeof readTraceContext> {
  const traceparent = call.header('traceparent')
  if (traceparent === undefined) return undefined
  return readTraceContext({ _meta: { traceparent, tracestate: call.header('tracestate') } })
}

/** Returns the `_meta` fields for a context, or undefined if the context has no span. */
export function metaOf(active: Context): Record<string, string> | undefined {
  const span = trace.getSpanContext(active)
  if (span === undefined || !isSpanContextValid(span)) return undefined
  const { traceId, spanId, traceFlags, traceState } = span
  const flags = (traceFlags & TraceFlags.SAMPLED).toString(16).padStart(2, '0')
  const state = traceState?.serialize()
  return {
    traceparent: `00-${traceId}-${spanId}-${flags}`,
    ...(state !== undefined && state !== '' && { tracestate: state }),
  }
}
