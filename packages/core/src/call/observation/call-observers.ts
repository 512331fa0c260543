import { isErrorOf, type McpError, QuestionError } from '../../errors.ts'
import type { JsonObject, JsonRpcRequest } from '../../protocol/jsonrpc.ts'
import { readTraceContext } from '../../protocol/trace-context.ts'
import type { Clock } from '../../util/clock.ts'
import type { Logger } from '../../util/logger.ts'
import type { CallContext } from '../context.ts'
import type { RequestOrigin } from '../exchange.ts'
import type { InputRequest } from '../input/encode-question.ts'
import type { OpenRequest } from '../input/pending-requests.ts'
import type { MethodEntry } from '../method-table.ts'
import type { EncodedResponse } from '../response.ts'
import { outcomeOf } from '../server-events.ts'
import type {
  CallObservation,
  CallOutcome,
  CallReport,
  CallTelemetry,
  ReceivedCall,
  SentFailure,
  ServedCall,
} from './telemetry.ts'
import { ThrottledLog } from '../../util/throttled-log.ts'

/** The response to `initialize`. */
interface Opened {
  readonly error?: McpError | undefined
  readonly record?: { readonly id: string; readonly revision: string } | undefined
}

/** Passes a server's calls to its telemetry. An error thrown by the telemetry is logged, and the call continues. */
export class CallObservers {
  readonly #telemetry: CallTelemetry
  readonly #safe: SafeTelemetry

  constructor(
    telemetry: CallTelemetry,
    { clock, logger }: { readonly clock: Clock; readonly logger: Logger },
  ) {
    this.#telemetry = telemetry
    this.#safe = new SafeTelemetry(clock, (err, skipped) =>
      logger.error({ err, skipped }, 'The telemetry failed. The call continues without it'),
    )
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
      run: (step) => this.#safe.within(runWithin, step),
      ask: (question, send) => this.#ask(ctx, question, send),
    }
    const ended = (answer: EncodedResponse): EncodedResponse => {
      this.#safe.attempt(() => observation.end(servedCall(answer, report, observation)))
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
      revision: undefined,
      sessionId: undefined,
      known: true,
      target: undefined,
      queuedMs: 0,
      ...originOf(origin),
    }))
    if (observation === undefined) return run()
    const answer = await this.#safe.within((step) => observation.run(step), run)
    this.#safe.attempt(() => {
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
    return this.#safe.attempt(() => (this.#telemetry.active ? this.#telemetry.received(call()) : undefined))
  }

  #ask(ctx: CallContext, question: InputRequest, send: (question: InputRequest) => OpenRequest): OpenRequest {
    const { method, params } = question
    const { protocolVersion: revision, session, scope } = ctx
    const sent = this.#safe.attempt(() =>
      this.#telemetry.sent({
        method,
        params,
        id: undefined,
        revision,
        sessionId: session?.id,
        network: scope.exchange.network,
      }),
    )
    if (sent === undefined) return send(question)
    const meta = { ...sent.meta, ...(params['_meta'] as JsonObject | undefined) }
    const traced = sent.meta === undefined ? question : { method, params: { ...params, _meta: meta } }
    const open = this.#safe.within(
      (step) => sent.run(step),
      () => send(traced),
    )
    open.result.then(
      (result) => this.#safe.attempt(() => sent.end({ result })),
      (error: unknown) => this.#safe.attempt(() => sent.end({ failure: failureOf(error) })),
    )
    return open
  }
}

const failureOf = (error: unknown): SentFailure => ({
  type: isErrorOf(QuestionError, error) ? error.reason : '_OTHER',
})

function receivedCall(ctx: CallContext, entry: MethodEntry | undefined): ReceivedCall {
  const { message, trace, queuedMs, scope } = ctx
  return {
    message,
    trace,
    ctx,
    revision: ctx.protocolVersion,
    sessionId: ctx.session?.id,
    known: entry !== undefined,
    target: entry && ctx.target?.item?.name,
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
  // Called when a time limit ends the call with an error.
  if (detail === 'timeout' && outcome !== 'cancelled') return detail
  return outcome === 'ok' ? (detail ?? outcome) : outcome
}

/** Calls telemetry code. Errors that it throws are reported at most once every ten minutes, and are not rethrown. */
export class SafeTelemetry {
  readonly #failures: ThrottledLog
  readonly #report: (error: unknown, skipped: number) => void

  /** @param report - receives an error and the number of errors that were not reported since the last report */
  constructor(clock: Clock, report: (error: unknown, skipped: number) => void) {
    this.#failures = new ThrottledLog(clock)
    this.#report = report
  }

  /** Returns undefined if the step throws. */
  attempt<T>(step: () => T): T | undefined {
    try {
      return step()
    } catch (error) {
      this.#failures.log((skipped) => this.#report(error, skipped))
      return undefined
    }
  }

  /** Runs a step exactly once, regardless of what `run` does. */
  within<T>(run: (step: () => void) => void, step: () => T): T {
    let outcome: { readonly value: T } | { readonly error: unknown } | undefined
    const once = (): void => {
      if (outcome !== undefined) return
      try {
        outcome = { value: step() }
      } catch (error) {
        outcome = { error }
      }
    }
    this.attempt(() => run(once))
    once()
    return settled(outcome)
  }
}

function settled<T>(outcome: { readonly value: T } | { readonly error: unknown } | undefined): T {
  if (outcome !== undefined && 'value' in outcome) return outcome.value
  throw outcome?.error
}
