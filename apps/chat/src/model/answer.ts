import type { HostToolResult } from '@jetway/client/bridge'
import { isObject, type JsonObject } from '@jetway/core/protocol'
import { ModelError } from './model.ts'

/** What one answer may have in all, in UTF-16 units, and how many tools it may ask for. */
const MAX_ANSWER = 8 * 1024 * 1024
const MAX_CALLS = 256

/** A call as the model has written it: the arguments may be anything. */
export interface Call {
  readonly id: string
  readonly name: string
  readonly json: string
}

/** An answer, put together from the pieces in which it comes. */
export class Answer {
  readonly #onText: (text: string) => void
  readonly #calls = new Map<number, { id: string; name: string; json: string }>()
  #text = ''
  #size = 0
  stopped: 'end' | 'length' = 'end'

  constructor(onText: (text: string) => void) {
    this.#onText = onText
  }

  get text(): string {
    return this.#text
  }

  /** In the order in which the model wants them. */
  get calls(): readonly Call[] {
    const calls = [...this.#calls.entries()].toSorted(([a], [b]) => a - b)
    // Some endpoints give no ids, and results need one to refer to.
    return calls.map(([at, { id, name, json }]) => ({ id: id === '' ? `call_${at}` : id, name, json }))
  }

  addText(piece: unknown): void {
    if (typeof piece !== 'string' || piece === '') return
    this.#grow(piece)
    this.#text += piece
    this.#onText(piece)
  }

  /** A piece of the call at this place; id and name come with the first. */
  addCall(
    at: number,
    piece: { readonly id?: unknown; readonly name?: unknown; readonly json?: unknown },
  ): void {
    const call = this.#calls.get(at) ?? { id: '', name: '', json: '' }
    if (!this.#calls.has(at) && this.#calls.size >= MAX_CALLS)
      throw new ModelError(`The model asks for more than ${MAX_CALLS} tools at once`)
    this.#calls.set(at, call)
    if (typeof piece.id === 'string' && piece.id !== '') call.id = piece.id
    if (typeof piece.name === 'string' && piece.name !== '') call.name = piece.name
    if (typeof piece.json !== 'string') return
    this.#grow(piece.json)
    call.json += piece.json
  }

  #grow({ length }: string): void {
    this.#size += length
    if (this.#size > MAX_ANSWER) throw new ModelError('The model answers without end')
  }
}

/** The arguments for the model's own message, in which an API takes nothing but an object. */
export function argumentsOf({ json }: Call): JsonObject {
  try {
    const args: unknown = JSON.parse(json)
    return isObject(args) ? args : {}
  } catch {
    return {}
  }
}

/** A call that did not happen, or of which nobody knows what it came to. */
export const refused = (reason: string): HostToolResult => ({
  text: reason,
  parts: [{ type: 'text', text: reason }],
  structured: undefined,
  isError: true,
})
