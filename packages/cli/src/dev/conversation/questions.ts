import {
  type JsonRpcNotification,
  type JsonRpcRequest,
  Notification,
  type RequestId,
} from '@jetway/core/protocol'

interface Question {
  readonly generation: number
  readonly id: RequestId
}

const MAX_QUESTIONS = 1_024

/**
 * The requests that processes have sent to a client, and that it has not answered. Two processes may choose the same id, so
 * the client gets another one.
 */
export class Questions {
  readonly #open = new Map<RequestId, Question>()

  /** The request as the client gets it; undefined if too many are open. */
  asked(generation: number, request: JsonRpcRequest): JsonRpcRequest | undefined {
    if (this.#open.size >= MAX_QUESTIONS) return undefined
    const id = publicId(generation, request.id)
    this.#open.set(id, { generation, id: request.id })
    return { ...request, id }
  }

  /** The process that has asked; undefined if nothing is open under this id. */
  generationOf(id: RequestId): number | undefined {
    return this.#open.get(id)?.generation
  }

  /** Closes a question. Returns the process that has asked, and its id; undefined if there is none. */
  answered(id: RequestId): Question | undefined {
    const question = this.#open.get(id)
    this.#open.delete(id)
    return question
  }

  /** The process has withdrawn a question. */
  cancelled(generation: number, id: RequestId): RequestId {
    const shown = publicId(generation, id)
    this.#open.delete(shown)
    return shown
  }

  /** Closes the questions of a process that has ended, with what the client gets. */
  lost(generation: number): readonly JsonRpcNotification[] {
    const gone = [...this.#open].filter(([, question]) => question.generation === generation)
    return gone.map(([requestId]) => {
      this.#open.delete(requestId)
      const params = { requestId, reason: 'The server was restarted' }
      return { jsonrpc: '2.0', method: Notification.Cancelled, params }
    })
  }
}

const publicId = (generation: number, id: RequestId): string => `${generation}:${JSON.stringify(id)}`
