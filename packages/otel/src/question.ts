import { QuestionError } from '@jetway/core'
import type { QuestionObservation, SentQuestion } from '@jetway/core/telemetry'
import { type Attributes, context, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api'
import { Name, sessionIdOf } from './attributes.ts'
import type { Recording } from './call.ts'
import { metaOf } from './trace-context.ts'

/** A request to the client during a call: a span below the call's, whose context the request carries. */
export function observeQuestion(
  { method, ctx }: SentQuestion,
  { options, tracer, instruments }: Recording,
): QuestionObservation {
  const attributes: Attributes = { [Name.method]: method, [Name.revision]: ctx.protocolVersion }
  const session = sessionIdOf(ctx.session?.id, options)
  const parent = context.active()
  const span = tracer?.startSpan(
    method,
    {
      kind: SpanKind.CLIENT,
      attributes: { ...attributes, ...(session !== undefined && { [Name.session]: session }) },
    },
    parent,
  )
  const within = span === undefined ? parent : trace.setSpan(parent, span)
  const start = performance.now()
  return {
    meta: metaOf(within),
    run: (step) => context.with(within, step),
    end: (failure) => {
      const failed = failure === undefined ? {} : { [Name.error]: reasonOf(failure.error) }
      instruments?.asked.record((performance.now() - start) / 1_000, { ...attributes, ...failed })
      span?.setAttributes(failed)
      if (failure !== undefined) span?.setStatus({ code: SpanStatusCode.ERROR })
      span?.end()
    },
  }
}

const reasonOf = (error: unknown): string => (error instanceof QuestionError ? error.reason : '_OTHER')
