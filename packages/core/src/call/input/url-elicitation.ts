import { ErrorCode, isErrorOf, McpError, missingCapability, usageError } from '../../errors.ts'
import { randomToken } from '../../util/random.ts'
import type { HandlerResult, NeedsInput } from '../result.ts'
import { actionOf, declined, responseTo } from './inputs.ts'
import { urlParams } from './encode-question.ts'
import { isQuestion, partsOf, type Question, type UrlParts } from './question.ts'
import { readResponses, resolveInput } from './rounds.ts'
import {
  type InputCall,
  type InputContext,
  type InputFailure,
  liveInputOf,
  pinQuestions,
  type Run,
} from './ask.ts'
import { type Bus, onChange } from '../../stores/bus.ts'
import type { Clock } from '../../util/clock.ts'

/** The maximum number of URLs in one error. */
const MAX_URLS = 16
/** A reserved key prefix. Handlers do not use it for their own keys. */
const KEY = 'dev.jetway/open-'
/** Clients abort a request after a minute of silence, so the call asks again before that. */
const MAX_WAIT_MS = 45_000
const MESSAGE = 'The user has to open a URL first'

/**
 * Throw this error in a handler or middleware if the call can succeed after the user has opened these URLs. In
 * 2025-11-25, clients that can open URLs receive them in the error `-32042`. When the user is done,
 * `server.completeElicitation` notifies the client, and the client sends the call again. Since 2026-07-28, the
 * URLs are an ordinary round of questions. The repeated call runs from the start. If it throws this error
 * again, Jetway waits up to 45 s for `server.completeElicitation` and runs the call once more. After that, it
 * asks again. Other clients receive the URLs as text: from a tool in a result with `isError`, otherwise in a
 * JSON-RPC error.
 *
 * Unlike `elicitUrl` in a tool's `asks`, this also works in a session whose replies are JSON only.
 *
 * @throws `ERR_MCP_INVALID_DEFINITION` unless it is given 1 to 16 questions created by `elicitUrl`
 * @see
 * https://modelcontextprotocol.io/specification/2025-11-25/client/elicitation#url-elicitation-required-error
 * @see https://modelcontextprotocol.io/specification/2026-07-28/client/elicitation#url-mode-flow
 */
export class UrlElicitationRequired extends Error {
  readonly questions: readonly Question[]

  constructor(...questions: readonly Question[]) {
    super(MESSAGE)
    this.name = 'UrlElicitationRequired'
    const valid = questions.every((it) => isQuestion(it) && partsOf(it).kind === 'url')
    if (!valid || questions.length === 0 || questions.length > MAX_URLS) {
      throw usageError(
        'ERR_MCP_INVALID_DEFINITION',
        `UrlElicitationRequired takes 1 to ${MAX_URLS} questions of elicitUrl; ask other questions with asks or inputRequired`,
      )
    }
    this.questions = questions
  }
}

/**
 * Continues a call with the client's responses. If the user has agreed to open URLs and the handler still
 * requires them, the call waits for their completion and runs once more.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/client/elicitation#url-mode-flow
 */
export async function resume(ctx: InputCall, start: Run): Promise<HandlerResult> {
  await readResponses(ctx)
  const { input } = ctx.scope
  if (input === undefined) return start()
  // Recording starts before the handler runs, because a completion between the handler's check and the wait
  // would otherwise be lost.
  const completions = ctx.inputs.urlIds && new UrlCompletions(input.bus, input.clock)
  try {
    return await start()
  } catch (error) {
    const required = questionsOf(ctx, error)
    const ids = required === undefined ? [] : await acceptedIds(ctx, required)
    if (completions === undefined || ids.length === 0) throw error
    await completions.waitFor(ids, Math.min(MAX_WAIT_MS, input.limits.timeoutMs), (end) => ctx.pause(end))
  } finally {
    completions?.stop()
  }
  return start()
}

/**
 * Asks the user to open the URLs that a handler requires. Returns undefined if the client cannot be asked; in
 * that case, the error response contains the URLs.
 *
 * @param start - runs the call from the start, with its middleware, which may have thrown
 */
export function elicitUrls(ctx: InputCall, error: unknown, start: Run): Promise<HandlerResult> | undefined {
  const required = questionsOf(ctx, error)
  const { input } = ctx.scope
  if (required === undefined || input === undefined) return undefined
  if (liveInputOf(ctx) === undefined) return resolveInput(ctx, required, () => runOrRequire(ctx, start))
  return elicitLive(ctx, input, required, start)
}

async function elicitLive(
  ctx: InputCall,
  { bus, clock, limits }: InputContext,
  first: NeedsInput,
  start: Run,
): Promise<HandlerResult> {
  const completions = new UrlCompletions(bus, clock)
  let required = first
  try {
    return await resolveInput(ctx, first, async () => {
      const ids = await acceptedIds(ctx, required)
      if (ids.length > 0) await completions.waitFor(ids, limits.timeoutMs, (end) => ctx.pause(end))
      const result = await runOrRequire(ctx, start)
      if (result.kind === 'needs-input') required = result
      return result
    })
  } finally {
    completions.stop()
  }
}

async function runOrRequire(ctx: InputCall, start: Run): Promise<HandlerResult> {
  try {
    return await start()
  } catch (error) {
    const required = questionsOf(ctx, error)
    if (required === undefined) throw error
    return required
  }
}

/** Returns undefined in revisions with an error code for required URLs, because their clients expect that code. */
function questionsOf(ctx: InputCall, error: unknown): NeedsInput | undefined {
  if (!isErrorOf(UrlElicitationRequired, error)) return undefined
  const { revision, client } = ctx.scope
  if (revision.elicitationIds || revision.forms?.url !== true || !client.supports('elicitation.url'))
    return undefined
  if (liveInputOf(ctx) === undefined && revision.rounds?.has(ctx.message.method) !== true) return undefined
  const questions = error.questions.map((question, i) => [`${KEY}${i + 1}`, question] as const)
  const { state } = ctx.inputs
  return {
    kind: 'needs-input',
    questions: Object.fromEntries(questions),
    ...(state !== undefined && { state }),
  }
}

/**
 * Returns the ids of the URLs that the user has agreed to open, or no ids if the URLs have changed since
 * then.
 *
 * @throws QuestionError if the user has declined
 */
async function acceptedIds(ctx: InputCall, { questions }: NeedsInput): Promise<string[]> {
  const ids: string[] = []
  for (const [key, pin] of await pinQuestions(questions)) {
    const response = key.startsWith(KEY) ? responseTo(ctx.inputs.answers, key, pin) : undefined
    const question = questions[key]
    if (response === undefined || question === undefined) return []
    const { url, message } = partsOf(question) as UrlParts
    const action = actionOf(response, key)
    if (action !== 'accept') throw declined(action, message)
    const id = typeof url === 'function' ? ctx.inputs.urlIds?.get(key) : undefined
    if (id !== undefined) ids.push(id)
  }
  return ids
}

/**
 * Creates the response for an error that requires URLs. Clients that can open URLs receive the error `-32042`,
 * and their session stores the ids to notify them later. Other clients receive the URLs as text.
 */
export function urlFailure(error: unknown, { scope }: InputCall): InputFailure | undefined {
  if (!isErrorOf(UrlElicitationRequired, error)) return undefined
  const { revision, client, session } = scope
  const elicitations = error.questions.map((question) =>
    urlParams(partsOf(question) as UrlParts, randomToken(22), revision),
  )
  if (revision.elicitationIds && client.supports('elicitation.url')) {
    session?.addPendingUrls(elicitations.flatMap(({ elicitationId }) => elicitationId ?? []))
    return { error: new McpError(ErrorCode.UrlElicitationRequired, MESSAGE, { elicitations }) }
  }
  const text = [
    'The user has to open a URL first, and this client cannot open it. Show it to the user, and call again when they are done:',
    ...elicitations.map(({ message, url }) => `- ${message}: ${url}`),
  ].join('\n')
  return revision.forms?.url === true
    ? { text, error: missingCapability(text, { elicitation: { url: {} } }) }
    : { text, error: new McpError(ErrorCode.InvalidRequest, text) }
}

/** The maximum number of ids that one call remembers. Beyond it, the oldest id is dropped. */
const MAX_IDS = 1_024

/**
 * Records all calls of `server.completeElicitation` until `stop` is called, including those made before the
 * call starts to wait.
 */
class UrlCompletions {
  readonly #clock: Clock
  readonly #ids = new Set<string>()
  readonly #unsubscribe: () => void
  #onAdd: (() => void) | undefined

  constructor(bus: Bus, clock: Clock) {
    this.#clock = clock
    this.#unsubscribe = onChange(bus, (event) => {
      if (event.kind === 'elicitation') this.#add(event.id)
    })
  }

  /**
   * Resolves when the elicitations with these ids are complete, when `ms` milliseconds have passed, or when
   * the call ends.
   *
   * @param pause - stops the handler's timer, and runs the given function if the call ends
   */
  async waitFor(ids: readonly string[], ms: number, pause: (atEnd: () => void) => () => void): Promise<void> {
    const complete = (): boolean => ids.every((id) => this.#ids.has(id))
    if (complete()) return
    await new Promise<void>((resolve) => {
      const end = (): void => {
        this.#onAdd = undefined
        this.#clock.clearTimeout(timer)
        release()
        resolve()
      }
      const timer = this.#clock.setTimeout(end, ms)
      let release = (): void => {}
      this.#onAdd = () => {
        if (complete()) end()
      }
      release = pause(end)
    })
  }

  stop(): void {
    this.#unsubscribe()
  }

  #add(id: string): void {
    this.#ids.add(id)
    const [oldest] = this.#ids
    if (oldest !== undefined && this.#ids.size > MAX_IDS) this.#ids.delete(oldest)
    this.#onAdd?.()
  }
}
