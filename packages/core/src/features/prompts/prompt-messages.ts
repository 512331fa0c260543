import { usageError } from '../../errors.ts'
import type { GetPromptResult, Meta, PromptMessage, Role } from '../../protocol/types.ts'
import { BRAND, type Branded, brandOf, isListOf } from '../registry/brand.ts'
import { content, type Content, toBlocks } from '../content/content.ts'
import { OutputError, protocolPromptResult, refuseLosses } from '../content/protocol-results.ts'

/** A message created by {@link message}. */
export type Message = PromptMessage & Branded<'message'>

/** Creates the messages for a prompt. */
export const message = {
  user: (block: string | Content): Message => createMessage('user', block),
  assistant: (block: string | Content): Message => createMessage('assistant', block),
} as const

function createMessage(role: Role, block: string | Content): Message {
  const [only] = toBlocks(block)
  if (only === undefined || Array.isArray(block)) {
    throw usageError('ERR_MCP_INVALID_DEFINITION', 'A message holds one block; give several messages')
  }
  return { role, content: only, [BRAND]: 'message' }
}

/** The result of a prompt, created by {@link messages}. */
export interface PromptMessages extends Branded<'messages'> {
  readonly description: string | undefined
  readonly messages: readonly Message[]
  readonly _meta: Meta | undefined
}

/** Adds a description or metadata to a prompt's messages. */
export function messages(
  given:
    | readonly Message[]
    | { readonly messages: readonly Message[]; readonly description?: string; readonly _meta?: Meta },
): PromptMessages {
  const parts = 'messages' in given ? given : { messages: given }
  if (parts.messages.some((item) => brandOf(item) !== 'message')) {
    throw usageError('ERR_MCP_INVALID_DEFINITION', 'Make messages with message.user or message.assistant')
  }
  return { description: parts.description, messages: parts.messages, _meta: parts._meta, [BRAND]: 'messages' }
}

/** Converts the return value of a handler. */
export function toPromptResult(
  value: unknown,
  name: string,
  description: string | undefined,
): GetPromptResult {
  const source = `The prompt ${JSON.stringify(name)}`
  const result = convert(value, source, description)
  refuseLosses(result, source)
  return result
}

function convert(value: unknown, source: string, description: string | undefined): GetPromptResult {
  const described = description === undefined ? {} : { description }
  const brand = brandOf(value)
  if (typeof value === 'string') return { ...described, messages: [message.user(content.text(value))] }
  if (brand === 'content') return { ...described, messages: [message.user(value as Content)] }
  if (brand === 'message') return { ...described, messages: [value as Message] }
  if (isListOf(value, 'message')) return { ...described, messages: value as unknown as readonly Message[] }
  if (brand === 'messages') {
    const { description: own = description, messages: list, _meta } = value as PromptMessages
    return {
      ...(own !== undefined && { description: own }),
      messages: list,
      ...(_meta !== undefined && { _meta }),
    }
  }
  const literal = protocolPromptResult(value, source)
  if (literal !== undefined) return { ...described, ...literal }
  throw new OutputError(
    `${source} returned neither a string nor messages; return { messages: [...] } or message.user(…)`,
  )
}
