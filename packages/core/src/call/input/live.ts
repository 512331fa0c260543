import type { JsonObject } from '../../protocol/jsonrpc.ts'
import type { AnySchema } from '../../schema/types.ts'
import { mergeResponses } from './responses.ts'
import {
  type Fails,
  type InputCall,
  type InputLimits,
  type LiveInput,
  pinQuestions,
  type Questions,
  tooManyRounds,
} from './types.ts'
import type { NeedsInput, HandlerResult } from '../result.ts'
import type { OpenRequest, RequestChannel } from './pending-requests.ts'
import { encodeQuestion, decodeResponse } from './encode-question.ts'
import {
  elicit,
  elicitUrl,
  listRoots,
  type Question,
  type Root,
  sample,
  type Sampled,
  type SampleParams,
  type UrlOf,
} from './question.ts'

export class LiveRequests implements LiveInput {
  readonly requests: RequestChannel
  readonly #limits: InputLimits

  constructor(requests: RequestChannel, limits: InputLimits) {
    this.requests = requests
    this.#limits = limits
  }

  async resolve(
    ctx: InputCall,
    first: NeedsInput,
    handle: () => HandlerResult | Promise<HandlerResult>,
  ): Promise<HandlerResult> {
    let outcome: HandlerResult = first
    for (let round = 1; outcome.kind === 'needs-input'; round++) {
      if (round > this.#limits.maxRounds) throw tooManyRounds(this.#limits)
      const { questions, state }: NeedsInput = outcome
      const asked = await pinQuestions(questions)
      const responses = await askAll(ctx, questions, this.requests)
      ctx.inputs.receive(mergeResponses(ctx.inputs.answers, asked, responses), state)
      outcome = await handle()
    }
    return outcome
  }

  elicit(ctx: InputCall, message: string, schema: AnySchema, options?: Fails): Promise<unknown> {
    return this.#ask(ctx, 'elicit', elicit(message, schema, options))
  }
  elicitUrl(ctx: InputCall, message: string, url: UrlOf, options?: Fails): Promise<undefined> {
    return this.#ask(ctx, 'elicitUrl', elicitUrl(message, url, options))
  }
  sample(ctx: InputCall, params: SampleParams): Promise<Sampled> {
    return this.#ask(ctx, 'sample', sample(params))
  }
  listRoots(ctx: InputCall): Promise<readonly Root[]> {
    return this.#ask(ctx, 'listRoots', listRoots())
  }

  async #ask<T>(ctx: InputCall, key: string, question: Question<T>): Promise<T> {
    const responses = await askAll(ctx, { [key]: question }, this.requests)
    return (await decodeResponse(question, key, responses[key] as JsonObject)) as T
  }
}

/** Sends one round of questions at once. If one fails, the others are cancelled. */
async function askAll(ctx: InputCall, questions: Questions, requests: RequestChannel): Promise<JsonObject> {
  const urlIds = new Map<string, string>()
  const to = { revision: ctx.scope.revision, client: ctx.scope.client, urlIds }
  // Encode all before sending any: a client that cannot answer one of them should get none.
  const encoded = Object.entries(questions).map(
    ([key, question]) => [key, encodeQuestion(question, key, to)] as const,
  )
  ctx.inputs.urlIds = urlIds
  const open: OpenRequest[] = []
  const withdraw = (): void => open.forEach((request) => request.cancel('The call has ended'))
  const resume = ctx.pause(withdraw)
  try {
    const answers = encoded.map(async ([key, question]) => {
      const request = requests.send(key, question, ctx.scope.exchange)
      open.push(request)
      const { elicitationId } = question.params
      if (typeof elicitationId === 'string') ctx.scope.settings?.addPendingUrls([elicitationId])
      return [key, await request.result] as const
    })
    return Object.fromEntries(await Promise.all(answers))
  } finally {
    withdraw()
    resume()
  }
}
