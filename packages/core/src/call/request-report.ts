import type { Clock } from '../util/clock.ts'
import type { CallContext } from './context.ts'
import type { Events, RequestOutcome, RequestServed } from './server-events.ts'

type Reportable = { readonly error?: { readonly code: number } } | undefined

/** Runs a call and tells the listeners how it went. */
export function reportRequest<Answered extends Reportable>(
  { events, clock }: { readonly events: Events; readonly clock: Clock },
  ctx: CallContext,
  run: () => Answered | Promise<Answered>,
): Answered | Promise<Answered> {
  const start = clock.now()
  const report = { failed: false }
  ctx.report = report
  const tell = (answer: Answered): Answered => {
    events.emit('request', () => describe(ctx, answer, report.failed, clock.now() - start))
    return answer
  }
  const answer = run()
  return answer instanceof Promise ? answer.then(tell) : tell(answer)
}

function describe(ctx: CallContext, answer: Reportable, failed: boolean, durationMs: number): RequestServed {
  const { method, params } = ctx.message
  const name = params?.['name'] ?? params?.['uri']
  return {
    method,
    name: typeof name === 'string' ? name : undefined,
    durationMs,
    outcome: outcomeOf(answer, failed),
    errorCode: answer?.error?.code,
    sessionId: ctx.session?.id,
    auth: ctx.auth,
    revision: ctx.protocolVersion,
  }
}

function outcomeOf(answer: Reportable, failed: boolean): RequestOutcome {
  if (answer === undefined) return 'cancelled'
  if (answer.error !== undefined) return 'error'
  return failed ? 'failed' : 'ok'
}
