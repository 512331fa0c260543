import type { HostTool } from '@jetway/bridge'
import { History } from './history.ts'
import type { Model, Reply } from './model/model.ts'

export interface ConversationOptions {
  readonly model: Model
  /** The maximum number of requests to the model per query. */
  readonly maxRounds: number
  /** Called before each request, because the tool lists may have changed. */
  readonly tools: () => Promise<readonly HostTool[]>
  readonly systemPrompt: () => string | undefined
  readonly onText: (text: string) => void
  /** Called at the end of each reply, before its tool calls. */
  readonly onReply: () => void
  readonly onNotice: (notice: string) => void
}

/** The loop of model replies and tool calls that answers each of the user's queries. */
export class Conversation {
  readonly #options: ConversationOptions
  readonly #history = new History()

  constructor(options: ConversationOptions) {
    this.#options = options
  }

  /**
   * Sends a query to the model and runs the tools that it calls, until it stops calling tools or the maximum
   * number of rounds is reached.
   *
   * @throws ModelError, and the signal's reason. After either, another query may follow
   */
  async answer(query: string, signal: AbortSignal): Promise<void> {
    const { model, maxRounds, onNotice } = this.#options
    this.#history.startTurn(model.toMessage('user', [{ type: 'text', text: query }]))
    try {
      for (let round = 1; round <= maxRounds; round++) if (await this.#round(signal)) return
      onNotice(`Stopped: the model still calls tools after ${maxRounds} rounds. Enter a query to go on.`)
    } finally {
      this.#history.removeUnanswered()
    }
  }

  /**
   * Sends one request to the model, and runs its tool calls. Resolves to true if the reply does not call any
   * tools.
   */
  async #round(signal: AbortSignal): Promise<boolean> {
    const { model, tools, systemPrompt, onText, onReply, onNotice } = this.#options
    const reply = await model.complete({
      system: systemPrompt(),
      messages: this.#history.messages,
      tools: await tools(),
      signal,
      onText,
    })
    onReply()
    if (reply.message === undefined) onNotice('The model sent an empty reply.')
    else this.#history.add([reply.message])
    if (reply.stopReason === 'length') onNotice('The reply was cut off at the token limit.')
    if (reply.callCount === 0) return true
    this.#history.add(await this.#resultsOf(reply, signal))
    signal.throwIfAborted()
    return false
  }

  /**
   * Adds results for cancelled calls, because the APIs refuse a history that contains a call without a result.
   */
  async #resultsOf(reply: Reply, signal: AbortSignal): Promise<ReturnType<Reply['refuseCalls']>> {
    // If the reply was cut off, the arguments of its last call may be incomplete.
    if (reply.stopReason === 'length')
      return reply.refuseCalls('Not called: the reply was cut off at the token limit')
    try {
      return await reply.callTools(signal)
    } catch (error) {
      if (!signal.aborted) throw error
      return reply.refuseCalls('The user cancelled this call. It may have run')
    }
  }
}
