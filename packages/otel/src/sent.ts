import type { JsonObject } from '@jetway/core/protocol'
import type { SentObservation, SentRequest, SentResponse } from '@jetway/core/telemetry'
import { type Attributes, context, type Span, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api'
import { Name, networkAttributesOf, requestAttributesOf, sessionIdOf } from './attributes.ts'
import type { Recording } from './call.ts'
import { captured, setText } from './capture.ts'
import { metaOf } from './trace-context.ts'

const MAX_MESSAGE = 256

/** Records a span for a request to the peer, and the request's duration. The request carries the span's context. */
export function observeSent(request: SentRequest, recording: Recording): SentObservation {
  const { options, tracer, instruments, names } = recording
  const { method, params } = request
  const target = names.check(namedBy(method, params))
  const attributes = boundedAttributesOf(request, target)
  const parent = context.active()
  const span = tracer?.startSpan(
    target === undefined ? method : `${method} ${target}`,
    { kind: SpanKind.CLIENT, attributes: { ...attributes, ...requestAttributesOf(request, options) } },
    parent,
  )
  const within = span === undefined ? parent : trace.setSpan(parent, span)
  const start = performance.now()
  const { capture = {} } = options
  const tool = span?.isRecording() === true && method === 'tools/call' ? target : undefined
  if (tool !== undefined && capture.arguments === true) {
    const value = params?.['arguments'] as JsonObject | undefined
    setText(span, Name.arguments, captured(capture, { kind: 'arguments', tool, value }))
  }
  return {
    ...carriedBy(metaOf(within), params?.['_meta'] as JsonObject | undefined, options.headers),
    run: (step) => context.with(within, step),
    end: (response) => {
      const ended = endAttributesOf(method, response)
      instruments?.sent.record((performance.now() - start) / 1_000, { ...attributes, ...ended })
      if (span === undefined) return
      const { result, opened } = response
      if (tool !== undefined && capture.results === true)
        setText(span, Name.result, captured(capture, { kind: 'result', tool, value: result }))
      const session = sessionIdOf(opened?.sessionId, options)
      if (session !== undefined) span.setAttribute(Name.session, session)
      endSpan(span, ended, response)
    },
  }
}

const METHODS_WITH_NAME: Readonly<Record<string, string>> = {
  'tools/call': Name.tool,
  'prompts/get': Name.prompt,
}

function namedBy(method: string, params: JsonObject | undefined): string | undefined {
  const name = Object.hasOwn(METHODS_WITH_NAME, method) ? params?.['name'] : undefined
  return typeof name === 'string' ? name : undefined
}

function boundedAttributesOf(
  { method, revision, network }: SentRequest,
  target: string | undefined,
): Attributes {
  const name = METHODS_WITH_NAME[method]
  return {
    [Name.method]: method,
    ...(revision !== undefined && { [Name.revision]: revision }),
    ...(method === 'tools/call' && { [Name.operation]: 'execute_tool' }),
    ...(name !== undefined && target !== undefined && { [name]: target }),
    ...networkAttributesOf(network),
  }
}

/** Sends a caller's `traceparent` without the `tracestate` of this program, because that belongs to another span. */
function carriedBy(
  ours: Record<string, string> | undefined,
  own: JsonObject | undefined,
  headers: boolean | undefined,
): Pick<SentObservation, 'meta' | 'headers'> {
  const given = typeof own?.['traceparent'] === 'string'
  const sent = given ? textsOf(own) : ours
  return { meta: given ? undefined : ours, headers: headers === true ? sent : undefined }
}

const textsOf = (meta: JsonObject): Record<string, string> =>
  Object.fromEntries(
    ['traceparent', 'tracestate'].flatMap((name) => {
      const value = meta[name]
      return typeof value === 'string' ? [[name, value]] : []
    }),
  )

/**
 * Returns the attributes of a caller's span when it ends. There, every failure counts as an error, even the
 * caller's own mistakes.
 */
function endAttributesOf(method: string, { result, failure, opened }: SentResponse): Attributes {
  const failed = method === 'tools/call' && result?.['isError'] === true ? 'tool_error' : failure?.type
  return {
    ...(failed !== undefined && { [Name.error]: failed }),
    ...(failure?.code !== undefined && { [Name.status]: `${failure.code}` }),
    ...(opened !== undefined && { [Name.revision]: opened.revision }),
  }
}

function endSpan(span: Span, ended: Attributes, { failure }: SentResponse): void {
  span.setAttributes(ended)
  if (ended[Name.error] !== undefined) {
    const message = failure?.message?.slice(0, MAX_MESSAGE)
    span.setStatus({ code: SpanStatusCode.ERROR, ...(message !== undefined && { message }) })
  }
  span.end()
}
