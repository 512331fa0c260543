import type { Message } from './model/model.ts'

const MAX_TURNS = 64
/** The maximum length of all messages as JSON, in UTF-16 code units. */
const MAX_SIZE = 2_000_000

/** A query, with its replies and tool results. */
interface Turn {
  readonly messages: Message[]
  size: number
}

/**
 * The messages for each request to the model. When the limits are exceeded, whole turns are dropped, oldest
 * first, because the APIs refuse a tool result without its call.
 */
export class History {
  readonly #turns: Turn[] = []

  startTurn(message: Message): void {
    this.#turns.push({ messages: [], size: 0 })
    this.add([message])
  }

  add(messages: readonly Message[]): void {
    const turn = this.#turns.at(-1)
    if (turn === undefined) return
    turn.messages.push(...messages)
    turn.size += JSON.stringify(messages).length
    while (this.#turns.length > 1 && (this.#turns.length > MAX_TURNS || this.#size() > MAX_SIZE))
      this.#turns.shift()
  }

  /** Removes the last query if it has no reply. */
  removeUnanswered(): void {
    if (this.#turns.at(-1)?.messages.length === 1) this.#turns.pop()
  }

  get messages(): readonly Message[] {
    return this.#turns.flatMap(({ messages }) => messages)
  }

  #size(): number {
    return this.#turns.reduce((sum, { size }) => sum + size, 0)
  }
}
