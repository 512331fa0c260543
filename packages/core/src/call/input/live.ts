import type { JsonObject } from '../../protocol/jsonrpc.ts'
import type { AnySchema } from '../../schema/types.ts'
import { mergeResponses } from './responses.ts'
import {
  type InputContext,
  type InputCall,
  noClientChannel,
  noLiveChannel,
  pinQuestions,
  type Questions,
  tooManyRounds,
} from './types.ts'
import type { NeedsInput, HandlerResult } from '../result.ts'
import type { OpenRequest, RequestChannel } from './pending-requests.ts'
import { prepareQuestion, readAnswer } from './encode-question.ts'
import {
  elicit,
  type ElicitOptions,
  elicitUrl,
  listRoots,
  type Question,
  type Root,
  sample,
  type Sampled,
  type SampleParams,
  type UrlOf,
} from './question.ts'

/** Asking the client while the call runs, where a session, or a task, has a way to it. */
interface AsksNow {
  elicit(ctx: InputCall, message: string, schema: AnySchema, options?: Fails): Promise<unknown>
  elicitUrl(ctx: InputCall, message: string, url: UrlOf, options?: Fails): Promise<undefined>
  sample(ctx: InputCall, params: SampleParams): Promise<Sampled>
  listRoots(ctx: InputCall): Promise<readonly Root[]>
}

/** The types of the overloads that see declines are those of `RequestContext`. */
type Fails = ElicitOptions & { readonly declined?: 'fail' }

/**
 * Answers an outcome's questions and runs its handler again, until it asks no more. This is how connections that carry
 * requests to the client do it; where questions go out as a result, the client brings the answers with a new call.
 */
export async function answerAll(
  ctx: InputCall,
  first: NeedsInput,
  handle: () => HandlerResult | Promise<HandlerResult>,
): Promise<HandlerResult> {
  const { asking, requests } = wayBack(ctx, first.questions)
  let outcome: HandlerResult = first
  for (let round = 1; outcome.kind === 'needs-input'; round++) {
    const { maxRounds } = asking.limits
    if (round > maxRounds) throw tooManyRounds(asking.limits)
    const { questions, state }: NeedsInput = outcome
    const asked = await pinQuestions(questions)
    const responses = await askAll(ctx, questions, requests)
    ctx.given.receive(mergeResponses(ctx.given.answers, asked, responses), state)
    outcome = await handle()
  }
  return outcome
}

/** What handlers ask with in their middle; see `RequestContext`. */
export const liveInput: AsksNow = {
  elicit: (ctx, ...asked) => askNow(ctx, 'elicit', elicit(...asked)),
  elicitUrl: (ctx, ...asked) => askNow(ctx, 'elicitUrl', elicitUrl(...asked)),
  sample: (ctx, ...asked) => askNow(ctx, 'sample', sample(...asked)),
  listRoots: (ctx) => askNow(ctx, 'listRoots', listRoots()),
}

async function askNow<T>(ctx: InputCall, key: string, question: Question<T>): Promise<T> {
  const { asking } = ctx.scope
  if (asking?.requests === undefined || !canBeAsked(ctx)) throw noLiveChannel(key)
  const responses = await askAll(ctx, { [key]: question }, asking.requests)
  return (await readAnswer(question, key, responses[key] as JsonObject)) as T
}

interface Way {
  readonly asking: InputContext
  readonly requests: RequestChannel
}

/** Whether requests reach the client while the call runs. */
export const canBeAsked = ({ scope: { asking, exchange } }: InputCall): boolean =>
  asking?.requests !== undefined && exchange.duplex

function wayBack(ctx: InputCall, questions: Questions): Way {
  const { asking } = ctx.scope
  if (asking?.requests !== undefined && canBeAsked(ctx)) return { asking, requests: asking.requests }
  throw noClientChannel(questions)
}

/** One round: every question goes out at once. One that fails takes the others with it. */
async function askAll(ctx: InputCall, questions: Questions, requests: RequestChannel): Promise<JsonObject> {
  const sent = new Map<string, string>()
  const to = { revision: ctx.scope.revision, client: ctx.scope.client, sent }
  // All before any: a client is not asked half of what it cannot answer in whole.
  const prepared = Object.entries(questions).map(
    ([key, question]) => [key, prepareQuestion(question, key, to)] as const,
  )
  ctx.given.sent = sent
  const open: OpenRequest[] = []
  const withdraw = (): void => open.forEach((request) => request.cancel('The call has ended'))
  const resume = ctx.pause(withdraw)
  try {
    const answers = prepared.map(async ([key, question]) => {
      const request = requests.send(key, question, ctx.scope.exchange)
      open.push(request)
      const { elicitationId } = question.params
      if (typeof elicitationId === 'string') ctx.scope.settings?.sentTo([elicitationId])
      return [key, await request.result] as const
    })
    return Object.fromEntries(await Promise.all(answers))
  } finally {
    withdraw()
    resume()
  }
}
