import { noClientChannel, noLiveChannel } from './types.ts'
import type * as whole from './live.ts'

/** No call has a way to its client: questions are results, and what no revision carries so is refused. */
export const canBeAsked: typeof whole.canBeAsked = () => false

export const answerAll: typeof whole.answerAll = async (_, { questions }) => {
  throw noClientChannel(questions)
}

const refuse = (method: string) => async (): Promise<never> => {
  throw noLiveChannel(method)
}

export const asksNow: typeof whole.liveInput = {
  elicit: refuse('elicit'),
  elicitUrl: refuse('elicitUrl'),
  sample: refuse('sample'),
  listRoots: refuse('listRoots'),
}
