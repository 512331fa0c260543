import type { HostTool } from '@jetway/client/bridge'
import type { JsonObject } from '@jetway/core/protocol'

/** A message as the API of the model has it. */
export type Message = JsonObject

export type UserPart =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'image'; readonly data: string; readonly mimeType: string }

/** What is said to the model. */
export interface Turn {
  readonly system: string | undefined
  readonly messages: readonly Message[]
  readonly tools: readonly HostTool[]
  readonly maxTokens?: number | undefined
  readonly temperature?: number | undefined
  readonly stopSequences?: readonly string[] | undefined
  readonly signal: AbortSignal
  /** Told of text as it comes. */
  readonly onText: (text: string) => void
}

/** What the model says. */
export interface Reply {
  readonly text: string
  /** `length`: it had more to say than it may. */
  readonly stopped: 'end' | 'length'
  /** The reply as a message; undefined where it is empty, which no API takes. */
  readonly message: Message | undefined
  /** How many tools it wants to have called. */
  readonly calls: number
  /** Calls them, and resolves to the messages that answer. @throws the reason of the signal */
  run(signal: AbortSignal): Promise<readonly Message[]>
  /** The messages that answer without any call. */
  refuse(reason: string): readonly Message[]
}

/** A model, wherever it runs. */
export interface Model {
  readonly name: string
  says(role: 'user' | 'assistant', parts: readonly UserPart[]): Message
  /** @throws ModelError; the reason of the signal */
  turn(turn: Turn): Promise<Reply>
}

/** The endpoint failed, or answered with something that is no answer. */
export class ModelError extends Error {
  override name = 'ModelError'
}
