import type { McpError } from '../../errors.ts'
import type { JsonObject, JsonRpcRequest } from '../../protocol/jsonrpc.ts'
import { readTraceContext } from '../../protocol/trace-context.ts'
import type { Clock } from '../../util/clock.ts'
import type { Logger } from '../../util/logger.ts'
import { RareLog } from '../../util/rare-log.ts'
import type { CallContext } from '../context.ts'
import type { RequestOrigin } from '../exchange.ts'
import type { InputRequest } from '../input/encode-question.ts'
import type { OpenRequest } from '../input/pending-requests.ts'
import { type MethodEntry, targetOf } from '../method-table.ts'
import type { CallReport } from './observer.ts'
import type { EncodedResponse } from '../response.ts'
import { outcomeOf } from '../server-events.ts'
import type { CallObservation, CallOutcome, CallTelemetry, ReceivedCall, ServedCall } from './telemetry.ts'

/** An answer to `initialize`. */
interface Opened {
  readonly error?: McpError | undefined
  readonly record?: { readonly id: string; readonly revision: string } | undefined
}

type Step = (step: () => void) => void

/** Observes the calls of a server. An error of the telemetry is logged, and the call continues. */
export class CallObservers {
  readonly #telemetry: CallTelemetry
  readonly #logger: Logger
  readonly #failures: RareLog

  constructor(
    telemetry: CallTelemetry,
    { clock, logger }: { readonly clock: Clock; readonly logger: Logger },
  ) {
    this.#telemetry = telemetry
    this.#logger = logger
    this.#failures = new RareLog(clock)
  }

  observe(
    ctx: CallContext,
    entry: MethodEntry | undefined,
    run: () => EncodedResponse | Promise<EncodedResponse>,
  ): EncodedResponse | Promise<EncodedResponse> {
    const observation = this.#begin(() => receivedCall(ctx, entry))
    if (observation === undefined) return run()
    const report = (ctx.report ??= { failed: false })
    const runWithin = (step: () => void): void => observation.run(step)
    ctx.observer = {
      run: (step) => this.#within(runWithin, step),
      ask: (question, send) => this.#ask(ctx, question, send),
    }
    const ended = (answer: EncodedResponse): EncodedResponse => {
      this.#attempt(() => observation.end(servedCall(answer, report, observation)))
      return answer
    }
    const answer = ctx.observer.run(run)
    return answer instanceof Promise ? answer.then(ended) : ended(answer)
  }

  async initialize<T extends Opened>(
    message: JsonRpcRequest,
    origin: RequestOrigin,
    run: () => Promise<T>,
  ): Promise<T> {
    const observation = this.#begin(() => ({
      message,
      trace: readTraceContext(message.params),
      ctx: undefined,
      known: true,
      target: undefined,
      queuedMs: 0,
      ...originOf(origin),
    }))
    if (observation === undefined) return run()
    const answer = await this.#within((step) => observation.run(step), run)
    this.#attempt(() => {
      const { error, record } = answer
      if (record === undefined) observation.end({ outcome: 'error', error })
      else {
        const { id, revision } = record
        observation.end({ outcome: 'ok', opened: { revision, sessionId: id === '' ? undefined : id } })
      }
    })
    return answer
  }

  #begin(call: () => ReceivedCall): CallObservation | undefined {
    return this.#attempt(() => (this.#telemetry.active ? this.#telemetry.request(call()) : undefined))
  }

  #ask(ctx: CallContext, question: InputRequest, send: (question: InputRequest) => OpenRequest): OpenRequest {
    const { method, params } = question
    const sent = this.#attempt(() => this.#telemetry.question({ method, ctx }))
    if (sent === undefined) return send(question)
    const meta = { ...sent.meta, ...(params['_meta'] as JsonObject | undefined) }
    const traced = sent.meta === undefined ? question : { method, params: { ...params, _meta: meta } }
    const open = this.#within(
      (step) => sent.run(step),
      () => send(traced),
    )
    open.result.then(
      () => this.#attempt(() => sent.end()),
      (error: unknown) => this.#attempt(() => sent.end({ error })),
    )
    return open
  }

  /** Runs a step exactly once, whatever the telemetry does. */
  #within<T>(run: Step, step: () => T): T {
    let outcome: { readonly value: T } | { readonly error: unknown } | undefined
    const once = (): void => {
      if (outcome !== undefined) return
      try {
        outcome = { value: step() }
      } catch (error) {
        outcome = { error }
      }
    }
    this.#attempt(() => run(once))
    once()
    return settled(outcome)
  }

  #attempt<T>(step: () => T): T | undefined {
    try {
      return step()
    } catch (err) {
      this.#failures.log((skipped) =>
        this.#logger.error({ err, skipped }, 'The telemetry failed. The call continues without it'),
      )
      return undefined
    }
  }
}

function settled<T>(outcome: { readonly value: T } | { readonly error: unknown } | undefined): T {
  if (outcome !== undefined && 'value' in outcome) return outcome.value
  throw outcome?.error
}

function receivedCall(ctx: CallContext, entry: MethodEntry | undefined): ReceivedCall {
  const { message, trace, queuedMs, scope } = ctx
  return {
    message,
    trace,
    ctx,
    known: entry !== undefined,
    target: entry && targetOf(entry, ctx)?.item?.name,
    queuedMs,
    ...originOf(scope.exchange),
  }
}

const originOf = (origin: RequestOrigin): Pick<ReceivedCall, 'network' | 'header'> => ({
  network: origin.network,
  header: (name) => {
    const values = origin.headers?.(name) ?? []
    return values.length === 1 ? values[0] : undefined
  },
})

function servedCall(
  answer: EncodedResponse,
  report: CallReport,
  { wantsResult }: CallObservation,
): ServedCall {
  const { hidden, result } = report
  return {
    outcome: callOutcome(answer, report),
    error: answer?.error,
    hidden,
    result: wantsResult ? result?.result : undefined,
  }
}

function callOutcome(answer: EncodedResponse, { failed, outcome: detail }: CallReport): CallOutcome {
  const outcome = outcomeOf(answer, failed)
  // A time limit ends the call with an error.
  if (detail === 'timeout' && outcome !== 'cancelled') return detail
  return outcome === 'ok' ? (detail ?? outcome) : outcome
}
