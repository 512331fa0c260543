import { isObject, type JsonObject } from '@jetway/core/protocol'
import type { PeerOptions, RawResponse, TestConnection } from '../../src/peer.ts'

/** Answers a question. */
export type Answer = NonNullable<PeerOptions['onRequest']>

interface Asked {
  readonly method: string
  readonly params?: JsonObject
}

const MAX_ROUNDS = 10

/** Sends a request, and repeats it with answers for as long as its result requests input. */
export async function requestInRounds(
  connection: TestConnection,
  method: string,
  params: JsonObject,
  answer: Answer,
): Promise<RawResponse> {
  let brought: JsonObject = {}
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const response = await connection.request(method, { ...params, ...brought })
    if (response.result?.['resultType'] !== 'input_required') return response
    const { inputRequests = {}, requestState } = response.result
    const answers: [string, JsonObject | undefined][] = []
    for (const [key, asked] of Object.entries(isObject(inputRequests) ? inputRequests : {})) {
      const question = asked as Asked
      answers.push([key, await answer(question.method, question.params)])
    }
    brought = { inputResponses: Object.fromEntries(answers), requestState }
  }
  throw new Error(`Still asked after ${MAX_ROUNDS} rounds`)
}
