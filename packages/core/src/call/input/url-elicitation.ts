import { isErrorOf } from '../../errors.ts'
import { responseTo } from './responses.ts'
import { type InputContext, type LiveInput, liveInputOf, pinQuestions } from './types.ts'
import type { NeedsInput, HandlerResult } from '../result.ts'
import { partsOf, type UrlParts } from './question.ts'
import { actionOf, declined } from './decode-response.ts'
import { resolveInput, type RoundsCall, readResponses } from './rounds.ts'
import { UrlElicitationRequired } from './url-required.ts'

/** Author's own keys do not begin like this. */
const KEY = 'dev.jetway/open-'
/** Clients give a call up after a minute of silence; one that goes on asks again before that. */
const MAX_WAIT_MS = 45_000

type Run = () => HandlerResult | Promise<HandlerResult>

/**
 * Goes on with a call that brings answers. Where its user has agreed to open addresses and the handler says still that
 * they have to, they are on their way: it runs again when they are done, or after a while.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/client/elicitation#url-mode-flow
 */
export async function resume(ctx: RoundsCall, start: Run): Promise<HandlerResult> {
  await readResponses(ctx)
  const { input } = ctx.scope
  if (input === undefined) return start()
  // From before the handler looks: what is done between its look and the wait would never be heard of.
  const heard = ctx.inputs.urlIds && input.urlCompletions.track()
  try {
    return await start()
  } catch (error) {
    const questions = questionsOf(ctx, error)
    const sent = questions === undefined ? [] : await sentTo(ctx, questions)
    if (heard === undefined || sent.length === 0) throw error
    await heard.all(sent, Math.min(MAX_WAIT_MS, input.limits.timeoutMs), (end) => ctx.pause(end))
  } finally {
    heard?.stop()
  }
  return start()
}

/**
 * What a call comes to whose user has to open addresses first: questions, as others are. Undefined where they cannot be
 * asked so, and an error has to say it.
 *
 * @param start - runs the call from the start, middleware included: it may be a middleware that demands the addresses
 */
export function elicitUrls(ctx: RoundsCall, error: unknown, start: Run): Promise<HandlerResult> | undefined {
  const questions = questionsOf(ctx, error)
  const { input } = ctx.scope
  if (questions === undefined || input === undefined) return undefined
  const live = liveInputOf(ctx)
  if (live === undefined) return resolveInput(ctx, questions, () => orQuestions(ctx, start))
  return openNow(ctx, { ...input, live }, questions, start)
}

/** The client is asked while the call runs, which then waits as long as for any answer. */
async function openNow(
  ctx: RoundsCall,
  input: InputContext & { readonly live: LiveInput },
  first: NeedsInput,
  start: Run,
): Promise<HandlerResult> {
  const heard = input.urlCompletions.track()
  let asked = first
  try {
    return await input.live.resolve(ctx, first, async () => {
      const sent = await sentTo(ctx, asked)
      if (sent.length > 0) await heard.all(sent, input.limits.timeoutMs, (end) => ctx.pause(end))
      const outcome = await orQuestions(ctx, start)
      if (outcome.kind === 'needs-input') asked = outcome
      return outcome
    })
  } finally {
    heard.stop()
  }
}

async function orQuestions(ctx: RoundsCall, start: Run): Promise<HandlerResult> {
  try {
    return await start()
  } catch (error) {
    const questions = questionsOf(ctx, error)
    if (questions === undefined) throw error
    return questions
  }
}

/** Where a revision has an error for it, that is what its clients know. */
function questionsOf(ctx: RoundsCall, error: unknown): NeedsInput | undefined {
  if (!isErrorOf(UrlElicitationRequired, error)) return undefined
  const { revision, client } = ctx.scope
  if (revision.elicitationIds || revision.forms?.url !== true || !client.supports('elicitation.url'))
    return undefined
  if (liveInputOf(ctx) === undefined && revision.rounds?.methods.has(ctx.message.method) !== true)
    return undefined
  const questions = error.questions.map((question, i) => [`${KEY}${i + 1}`, question] as const)
  const { state } = ctx.inputs
  return {
    kind: 'needs-input',
    questions: Object.fromEntries(questions),
    ...(state !== undefined && { state }),
  }
}

/**
 * The ids of the addresses that the user has agreed to open; none where these are others than was agreed to.
 *
 * @throws QuestionError where the user has declined
 */
async function sentTo(ctx: RoundsCall, { questions }: NeedsInput): Promise<string[]> {
  const ids: string[] = []
  for (const [key, pin] of await pinQuestions(questions)) {
    const response = key.startsWith(KEY) ? responseTo(ctx.inputs.answers, key, pin) : undefined
    const asked = questions[key]
    if (response === undefined || asked === undefined) return []
    const { url, message } = partsOf(asked) as UrlParts
    const action = actionOf(response, key)
    if (action !== 'accept') throw declined(action, message)
    const id = typeof url === 'function' ? ctx.inputs.urlIds?.get(key) : undefined
    if (id !== undefined) ids.push(id)
  }
  return ids
}
