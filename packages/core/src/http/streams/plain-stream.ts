import type { RequestId } from '../../protocol/jsonrpc.ts'
import type { SessionChannel } from '../../session/session-keeper.ts'
import {
  createSseWriter,
  type SseWriter,
  type StreamContext,
  type StreamOptions,
  type StreamReader,
} from './sse-writer.ts'
import { formatEvent } from './sse-format.ts'
import type { HttpReply } from '../types.ts'

export interface EventStream extends SessionChannel {
  /** Whether a client is connected or about to connect. */
  readonly connected: boolean
  /** Returns the reply that sends the stream from its start. */
  connect(reader: StreamReader): HttpReply
  /** Sends a request to the client, or a response that is not the last one, together with the request's id. */
  respond(frame: string, answers?: RequestId): void
  /** Sends the last response, if there is one, and ends the stream. */
  finish(frame: string | undefined): void
  /** Closes the connection without ending a resumable stream. */
  closeConnection(retryMs: number | undefined): void
  /** Ends the stream without a response, and deletes it. */
  close(): void
  /** Closes the connection, so that another node can continue a resumable stream. */
  release(): void
}

/** A stream on a single connection, which cannot be resumed. If the reader is slow, notifications are dropped. */
export class PlainStream implements EventStream {
  readonly #writer: SseWriter

  constructor(context: StreamContext, reader: Omit<StreamOptions, 'overflow'>) {
    this.#writer = createSseWriter(context, { overflow: 'drop', ...reader })
  }

  get connected(): boolean {
    return !this.#writer.ending
  }

  connect(reader: StreamReader): HttpReply {
    return this.#writer.reply(reader)
  }

  send(frame: string): void | Promise<void> {
    this.#writer.write(formatEvent({ data: frame }))
    return this.#writer.pressure()
  }

  ping(frame: string): boolean {
    if (this.#writer.ending) return false
    this.#writer.write(formatEvent({ data: frame }))
    return true
  }

  respond(frame: string): void {
    this.#writer.writeAlways(formatEvent({ data: frame }))
  }

  finish(frame: string | undefined): void {
    if (frame !== undefined) this.respond(frame)
    this.close()
  }

  closeConnection(): void {}

  close(): void {
    this.#writer.end()
  }

  release(): void {
    this.close()
  }
}
