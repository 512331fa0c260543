import { isObject, type JsonObject, type JsonRpcMessage } from '@jetway/core/protocol'
import type { ServedProcess } from '../client-side.ts'
import type { Call } from '../conversation/replay.ts'

/** Begins the ids of the requests that the relay sends by itself. */
const OWN_ID = 'jetway-dev:'

interface OwnRequest {
  readonly resolve: (result: JsonObject) => void
  readonly reject: (error: Error) => void
}

export interface LinkHandlers {
  /** A message of the process that does not answer a request of this link. */
  message(text: string, value: unknown): void | Promise<void>
  /** The process has written something else to stdout. */
  stray(text: string): void
}

/** The messages of one process over stdio, and the requests that the relay itself sends to it. */
export class ChildLink {
  readonly generation: number
  /** The settings of the session that the process has got. */
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
      // The end of the process says what to do.
      close: () => {},
    })
  }

  send(message: JsonRpcMessage): void | Promise<void> {
    return this.sendText(JSON.stringify(message))
  }

  sendText(text: string): void | Promise<void> {
    return this.#child.lines?.send(text)
  }

  /** Sends a request of the relay itself. Rejects if the process answers with an error, or ends. */
  request(method: string, params: JsonObject): Promise<JsonObject> {
    const id = `${OWN_ID}${this.generation}:${this.#nextId++}`
    return new Promise((resolve, reject) => {
      this.#own.set(id, { resolve, reject })
      void this.send({ jsonrpc: '2.0', id, method, params })
    })
  }

  /** Rejects the requests that are open. */
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

/** Undefined for text that is not a JSON object or array. */
function parse(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? value : undefined
  } catch {
    return undefined
  }
}
