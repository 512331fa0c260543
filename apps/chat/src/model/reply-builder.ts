import type { HostToolResult } from '@jetway/bridge'
import { isObject, type JsonObject } from '@jetway/core/protocol'
import { ModelError, type Reply } from './model.ts'

/** The maximum length of a reply, including the arguments of its calls, in UTF-16 code units. */
const MAX_REPLY = 8 * 1024 * 1024
const MAX_CALLS = 256

/** A tool call. `json` is the model's text, which may be invalid JSON. */
export interface Call {
  readonly id: string
  readonly name: string
  readonly json: string
}

/** Joins the pieces of a streamed reply. */
export class ReplyBuilder {
  readonly #onText: (text: string) => void
  readonly #calls = new Map<number, { id: string; name: string; json: string }>()
  #text = ''
  #size = 0
  stopReason: Reply['stopReason'] = 'end'

  constructor(onText: (text: string) => void) {
    this.#onText = onText
  }

  get text(): string {
    return this.#text
  }

  get calls(): readonly Call[] {
    const calls = [...this.#calls.entries()].toSorted(([a], [b]) => a - b)
    // Some endpoints send no ids, but each result must contain the id of its call.
    return calls.map(([at, { id, name, json }]) => ({ id: id === '' ? `call_${at}` : id, name, json }))
  }

  addText(piece: unknown): void {
    if (typeof piece !== 'string' || piece === '') return
    this.#grow(piece)
    this.#text += piece
    this.#onText(piece)
  }

  /** Adds a piece of the call with this index. The first piece contains the id and the name. */
  addCall(
    at: number,
    piece: { readonly id?: unknown; readonly name?: unknown; readonly json?: unknown },
  ): void {
    const call = this.#calls.get(at) ?? { id: '', name: '', json: '' }
    if (!this.#calls.has(at) && this.#calls.size >= MAX_CALLS)
      throw new ModelError(`The model called more than ${MAX_CALLS} tools at once`)
    this.#calls.set(at, call)
    if (typeof piece.id === 'string' && piece.id !== '') call.id = piece.id
    if (typeof piece.name === 'string' && piece.name !== '') call.name = piece.name
    if (typeof piece.json !== 'string') return
    this.#grow(piece.json)
    call.json += piece.json
  }

  #grow({ length }: string): void {
    this.#size += length
    if (this.#size > MAX_REPLY)
      throw new ModelError(`The model's reply is longer than ${MAX_REPLY} characters`)
  }
}

/** Returns the arguments for the assistant's message in the history. The APIs accept only an object there. */
export function argumentsOf({ json }: Call): JsonObject {
  try {
    const args: unknown = JSON.parse(json)
    return isObject(args) ? args : {}
  } catch {
    return {}
  }
}

/** The result of a call that did not run, or whose outcome is unknown. */
export const failedResult = (reason: string): HostToolResult => ({
  text: reason,
  parts: [{ type: 'text', text: reason }],
  structured: undefined,
  isError: true,
})
