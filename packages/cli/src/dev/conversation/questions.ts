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
 * Unanswered requests that processes have sent to one client. Because two processes may choose the same id, the
 * relay replaces the ids.
 */
export class Questions {
  readonly #open = new Map<RequestId, Question>()

  /** Registers a request and replaces its id. Returns undefined if too many requests are open. */
  asked(generation: number, request: JsonRpcRequest): JsonRpcRequest | undefined {
    if (this.#open.size >= MAX_QUESTIONS) return undefined
    const id = publicId(generation, request.id)
    this.#open.set(id, { generation, id: request.id })
    return { ...request, id }
  }

  /** The process that sent the request; undefined if no request with this id is open. */
  generationOf(id: RequestId): number | undefined {
    return this.#open.get(id)?.generation
  }

  /** Closes a question. Returns its process and its original id; undefined if there is no such question. */
  answered(id: RequestId): Question | undefined {
    const question = this.#open.get(id)
    this.#open.delete(id)
    return question
  }

  /** Closes a question that its process has cancelled. */
  cancelled(generation: number, id: RequestId): RequestId {
    const shown = publicId(generation, id)
    this.#open.delete(shown)
    return shown
  }

  /** Closes the questions of a process that has exited. Returns the cancellations to send to the client. */
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
