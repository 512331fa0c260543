import { callModern } from '../../support/modern-calls.ts'
import type { Answer, Harness, Sent } from './harness.ts'

export const EVERYTHING = { elicitation: { form: {}, url: {} }, sampling: { tools: {} }, roots: {} }

export interface Round {
  readonly method?: string
  /** The params of the request itself: `name` and `arguments`, or `uri`. */
  readonly params: object
  readonly responses?: unknown
  readonly state?: unknown
  readonly capabilities?: object
  readonly more?: Sent
}

/** Sends a stateless request, or repeats it with the answers from a round. */
export function sendRound(
  harness: Pick<Harness, 'post'>,
  { method = 'tools/call', params, capabilities = EVERYTHING, more, ...round }: Round,
): Promise<Answer> {
  const brought = {
    ...('responses' in round && { inputResponses: round.responses }),
    ...('state' in round && { requestState: round.state }),
  }
  return callModern(harness, method, { ...params, ...brought }, { capabilities, more })
}

export interface InputRequired {
  readonly resultType: string
  readonly inputRequests?: Readonly<
    Record<string, { readonly method: string; readonly params?: Readonly<Record<string, unknown>> }>
  >
  readonly requestState: string
}

/** Returns the questions in a result. */
export function askedIn({ json }: Answer): InputRequired {
  const result = json.result as InputRequired | undefined
  if (result?.resultType === 'input_required') return result
  throw new Error(`Nothing was asked: ${JSON.stringify(json)}`)
}

export const stateOf = (answer: Answer): string => askedIn(answer).requestState

export const textOf = ({ json }: Answer): string =>
  (json.result as { readonly content: readonly [{ readonly text: string }] }).content[0].text

export const accept = (content: object): object => ({ action: 'accept', content })

/** Returns everything in a reply that a client can see. */
export const bytesOf = ({ status, headers, text }: Answer): string => JSON.stringify([status, headers, text])
