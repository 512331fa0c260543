import type { HostTool } from '@jetway/client/bridge'
import { History } from './history.ts'
import type { Model, Reply } from './model/model.ts'

export interface ConversationOptions {
  readonly model: Model
  /** How often the model may be asked for one query. */
  readonly rounds: number
  /** Asked for before each round: lists may have changed. */
  readonly tools: () => Promise<readonly HostTool[]>
  readonly system: () => string | undefined
  readonly onText: (text: string) => void
  /** The model wants to call tools, or has said all: what it says next begins anew. */
  readonly onReply: () => void
  readonly onNotice: (notice: string) => void
}

/** Queries, one after the other, each answered with the help of tools. */
export class Conversation {
  readonly #options: ConversationOptions
  readonly #history = new History()

  constructor(options: ConversationOptions) {
    this.#options = options
  }

  /**
   * Has the model answer, with as many calls as it wants, up to the limit of rounds.
   *
   * @throws ModelError; the reason of the signal. The conversation can go on afterwards
   */
  async answer(query: string, signal: AbortSignal): Promise<void> {
    const { model, rounds, onNotice } = this.#options
    this.#history.begin(model.says('user', [{ type: 'text', text: query }]))
    try {
      for (let round = 1; round <= rounds; round++) if (await this.#round(signal)) return
      onNotice(`Stopped: the model still wants to call tools after ${rounds} rounds. Say how to go on.`)
    } finally {
      this.#history.forgetUnanswered()
    }
  }

  /** Resolves to whether the model is done. */
  async #round(signal: AbortSignal): Promise<boolean> {
    const { model, tools, system, onText, onReply, onNotice } = this.#options
    const reply = await model.turn({
      system: system(),
      messages: this.#history.messages,
      tools: await tools(),
      signal,
      onText,
    })
    onReply()
    if (reply.message === undefined) onNotice('The model has nothing to say.')
    else this.#history.add([reply.message])
    if (reply.stopped === 'length') onNotice('The model was cut off: it had more to say than it may.')
    if (reply.calls === 0) return true
    this.#history.add(await this.#resultsOf(reply, signal))
    signal.throwIfAborted()
    return false
  }

  /** A call that the user cancels has an answer, too: without one nothing more can be said to the model. */
  async #resultsOf(reply: Reply, signal: AbortSignal): Promise<ReturnType<Reply['refuse']>> {
    // Of what was cut off, the arguments may be a part.
    if (reply.stopped === 'length') return reply.refuse('The call was cut off, and not made')
    try {
      return await reply.run(signal)
    } catch (error) {
      if (!signal.aborted) throw error
      return reply.refuse('The user has cancelled this; it may have run')
    }
  }
}
