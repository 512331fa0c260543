import type { JsonObject, JsonRpcMessage } from '@jetway/core/protocol'
import { vi } from 'vitest'
import type {
  ClientTransport,
  ClientTransportHandlers,
  SendContext,
} from '../../src/transport/client-transport.ts'

/** Returns the result or error for a message, an error for the transport to throw, or undefined for no response. */
type Answer = (message: JsonObject) => object | Error | undefined | void

/** A transport whose responses come from a function. By default, the transport behaves like HTTP. */
export class FakeTransport implements ClientTransport {
  readonly streamPerRequest: boolean
  readonly sent: { readonly message: JsonRpcMessage & JsonObject; readonly context: SendContext }[] = []
  readonly negotiated: (revision: { version: string }) => void =
    vi.fn<(revision: { version: string }) => void>()
  starts = 0
  handlers!: ClientTransportHandlers
  readonly #answer: Answer

  constructor(answer: Answer, { streamPerRequest = true }: { readonly streamPerRequest?: boolean } = {}) {
    this.#answer = answer
    this.streamPerRequest = streamPerRequest
  }
  start(handlers: ClientTransportHandlers): void {
    this.starts++
    this.handlers = handlers
  }
  send(message: JsonRpcMessage, context: SendContext): void | Promise<void> {
    this.sent.push({ message: message as never, context })
    const answer = this.#answer(message as never)
    if (answer instanceof Error) throw answer
    if (answer === undefined || !('id' in message)) return
    const answered = { jsonrpc: '2.0', id: message.id, ...answer }
    void this.handlers.message(answered, this.streamPerRequest ? message.id : undefined)
  }
  close(): Promise<void> {
    return Promise.resolve()
  }
  of(method: string): typeof this.sent {
    return this.sent.filter(({ message }) => message['method'] === method)
  }
  get methods(): unknown[] {
    return this.sent.map(({ message }) => message['method'])
  }
}
