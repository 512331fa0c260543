import type { HostTool } from '@jetway/bridge'
import type { JsonObject } from '@jetway/core/protocol'

/** A message in the format of the model's API. */
export type Message = JsonObject

export type UserPart =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'image'; readonly data: string; readonly mimeType: string }

export interface CompletionRequest {
  readonly system: string | undefined
  readonly messages: readonly Message[]
  readonly tools: readonly HostTool[]
  readonly maxTokens?: number | undefined
  readonly temperature?: number | undefined
  readonly stopSequences?: readonly string[] | undefined
  readonly signal: AbortSignal
  /** Called with each piece of text as it arrives. */
  readonly onText: (text: string) => void
}

export interface Reply {
  readonly text: string
  /** Why the reply ended. `length` means that it was cut off at the token limit. */
  readonly stopReason: 'end' | 'length'
  /**
   * The reply as a message for the history; undefined if the reply is empty, because no API accepts an empty
   * message.
   */
  readonly message: Message | undefined
  /** The number of tool calls in the reply. */
  readonly callCount: number
  /** Runs the tool calls. Resolves to messages with their results. @throws the signal's reason */
  callTools(signal: AbortSignal): Promise<readonly Message[]>
  /** Returns messages that report an error for each tool call, without running the calls. */
  refuseCalls(reason: string): readonly Message[]
}

export interface Model {
  readonly name: string
  toMessage(role: 'user' | 'assistant', parts: readonly UserPart[]): Message
  /** @throws ModelError, and the signal's reason */
  complete(request: CompletionRequest): Promise<Reply>
}

/** Thrown if the endpoint fails or its reply is invalid. */
export class ModelError extends Error {
  override name = 'ModelError'
}
