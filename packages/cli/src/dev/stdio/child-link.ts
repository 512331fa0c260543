import { isObject, type JsonObject, type JsonRpcMessage } from '@jetway/core/protocol'
import type { ServedProcess } from '../client-side.ts'
import type { Call } from '../conversation/replay.ts'

/** The prefix of ids in the relay's own requests. */
const OWN_ID = 'jetway-dev:'

interface OwnRequest {
  readonly resolve: (result: JsonObject) => void
  readonly reject: (error: Error) => void
}

export interface LinkHandlers {
  /** Called with each message from the process, except responses to this link's own requests. */
  message(text: string, value: unknown): void | Promise<void>
  /** Called with each line on stdout that is not a message. */
  stray(text: string): void
}

/** Exchanges messages with one process over stdio, and sends it the relay's own requests. */
export class ChildLink {
  readonly generation: number
  /** The session settings that the process has received. */
  settings: readonly Call[] = []
  readonly #child: ServedProcess
  readonly #own = new Map<string, OwnRequest>()
  #nextId = 0

  constructor(child: ServedProcess, handlers: LinkHandlers) {
    this.#child = child
    this.generation = child.generation
    child.lines?.start({
      message: (text) => this.#message(text, handlers),
      malformed: (reason) => handlers.stray(reason),
      // The exit of the process is handled by other code.
      close: () => {},
    })
  }

  send(message: JsonRpcMessage): void | Promise<void> {
    return this.sendText(JSON.stringify(message))
  }

  sendText(text: string): void | Promise<void> {
    return this.#child.lines?.send(text)
  }

  /** Sends one of the relay's own requests. Rejects if the process responds with an error, or exits. */
  request(method: string, params: JsonObject): Promise<JsonObject> {
    const id = `${OWN_ID}${this.generation}:${this.#nextId++}`
    return new Promise((resolve, reject) => {
      this.#own.set(id, { resolve, reject })
      void this.send({ jsonrpc: '2.0', id, method, params })
    })
  }

  /** Rejects the open requests. */
  fail(error: Error): void {
    for (const { reject } of this.#own.values()) reject(error)
    this.#own.clear()
  }

  #message(text: string, handlers: LinkHandlers): void | Promise<void> {
    const value = parse(text)
    if (value === undefined) return handlers.stray(text)
    const id = isObject(value) && !('method' in value) ? value['id'] : undefined
    if (typeof id !== 'string' || !id.startsWith(OWN_ID)) return handlers.message(text, value)
    const own = this.#own.get(id)
    this.#own.delete(id)
    const { result, error } = value as {
      readonly result?: JsonObject
      readonly error?: { readonly message?: string }
    }
    if (result === undefined) own?.reject(new Error(String(error?.message)))
    else own?.resolve(result)
  }
}

/** Returns undefined for text that is not a JSON object or array. */
function parse(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? value : undefined
  } catch {
    return undefined
  }
}
