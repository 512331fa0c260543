import type { JsonObject } from '../../protocol/jsonrpc.ts'
import type { HandlerResult, NeedsInput } from '../result.ts'
import { decodeResponse } from './decode-response.ts'
import { encodeQuestion } from './encode-question.ts'
import type { OpenRequest, RequestChannel } from './pending-requests.ts'
import { elicit, elicitUrl, listRoots, type Question, sample } from './question.ts'
import { mergeResponses } from './responses.ts'
import {
  type InputCall,
  type InputLimits,
  type LiveInput,
  type LiveMethod,
  pinQuestions,
  type Questions,
  type Run,
  sendQuestion,
  tooManyRounds,
} from './types.ts'

const QUESTIONS = { elicit, elicitUrl, sample, listRoots } as const

export class LiveRequests implements LiveInput {
  readonly requests: RequestChannel
  readonly #limits: InputLimits

  constructor(requests: RequestChannel, limits: InputLimits) {
    this.requests = requests
    this.#limits = limits
  }

  async resolve(ctx: InputCall, first: NeedsInput, handle: Run): Promise<HandlerResult> {
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

  async ask(ctx: InputCall, method: LiveMethod, args: readonly unknown[]): Promise<unknown> {
    const question = (QUESTIONS[method] as (...given: readonly unknown[]) => Question)(...args)
    const responses = await askAll(ctx, { [method]: question }, this.requests)
    return decodeResponse(question, method, responses[method] as JsonObject)
  }
}

/** Sends one round of questions at once. If one fails, the others are cancelled. */
async function askAll(ctx: InputCall, questions: Questions, requests: RequestChannel): Promise<JsonObject> {
  const urlIds = new Map<string, string>()
  const to = { revision: ctx.scope.revision, client: ctx.scope.client, urlIds }
  // All questions are encoded before any is sent, so that a client that does not support one of them gets none.
  const encoded = Object.entries(questions).map(
    ([key, question]) => [key, encodeQuestion(question, key, to)] as const,
  )
  ctx.inputs.urlIds = urlIds
  const open: OpenRequest[] = []
  const withdraw = (): void => open.forEach((request) => request.cancel('The call has ended'))
  const resume = ctx.pause(withdraw)
  try {
    const answers = encoded.map(async ([key, question]) => {
      const request = sendQuestion(ctx, requests, key, question)
      open.push(request)
      const { elicitationId } = question.params
      if (typeof elicitationId === 'string') ctx.scope.session?.addPendingUrls([elicitationId])
      return [key, await request.result] as const
    })
    return Object.fromEntries(await Promise.all(answers))
  } finally {
    withdraw()
    resume()
  }
}
