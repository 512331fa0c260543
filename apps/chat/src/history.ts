import type { Message } from './model/model.ts'

/** What the model is reminded of: queries with all that followed, and UTF-16 units of JSON. */
const MAX_TURNS = 64
const MAX_SIZE = 2_000_000

interface Told {
  readonly messages: Message[]
  size: number
}

/** What has been said. The oldest queries are forgotten as a whole: a result without its call is refused by every API. */
export class History {
  readonly #turns: Told[] = []

  /** Begins with what the user says. */
  begin(message: Message): void {
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

  /** Takes back a query on which nothing followed. */
  forgetUnanswered(): void {
    if (this.#turns.at(-1)?.messages.length === 1) this.#turns.pop()
  }

  get messages(): readonly Message[] {
    return this.#turns.flatMap(({ messages }) => messages)
  }

  #size(): number {
    return this.#turns.reduce((sum, { size }) => sum + size, 0)
  }
}
