import { McpError } from '@jetway/core/protocol'
import type { ClientHandlers, QuestionContext, SampleAnswer, SampleRequest } from '@jetway/client'
import type { Model, UserPart } from '../model/model.ts'
import { fillIn } from './form.ts'
import type { Terminal } from './terminal.ts'
import { shown, shownShort } from './text.ts'

const YES = /^y(es)?$/i

/** What answers the servers' questions: a person at the terminal, and the model that they chat with. */
export function handlersAt(terminal: Terminal, model: Model): ClientHandlers {
  return {
    elicit: (request, ctx) => fillIn(request, { name: nameOf(ctx), signal: ctx.signal, terminal }),
    elicitUrl: async ({ message, url }, ctx) => {
      const asked = `\n${nameOf(ctx)} asks you to open an address: ${shown(message)}\n  ${shown(url)}\n`
      const line = await terminal.ask(`${asked}Do you, in a browser of your own? [y/N] `, {
        signal: ctx.signal,
      })
      if (line === undefined) return { action: 'cancel' }
      return { action: YES.test(line.trim()) ? 'accept' : 'decline' }
    },
    sample: (request, ctx) => sample(request, ctx, { terminal, model }),
  }
}

const nameOf = ({ name, server }: QuestionContext): string =>
  shownShort(name ?? server?.name ?? 'A server', 80)

/** https://modelcontextprotocol.io/specification/2025-11-25/client/sampling#error-handling */
const rejected = (): McpError => new McpError(-1, 'User rejected sampling request')

/** The user sees what the model is asked before, and what it said before the server does. */
async function sample(
  request: SampleRequest,
  ctx: QuestionContext,
  { terminal, model }: { readonly terminal: Terminal; readonly model: Model },
): Promise<SampleAnswer> {
  const { signal } = ctx
  const messages = request.messages.map(({ role, content }) => ({ role, parts: partsOf(content) }))
  const system = request.systemPrompt === undefined ? '' : `  system: ${shown(request.systemPrompt)}\n`
  const lines = messages.map(({ role, parts }) => `  ${role}: ${parts.map(asLine).join(' ')}\n`)
  terminal.write(`\n${nameOf(ctx)} wants to ask the model:\n${system}${lines.join('')}`)
  if (!YES.test((await terminal.ask('Ask it? [y/N] ', { signal }))?.trim() ?? '')) throw rejected()
  const { text, stopped } = await model.turn({
    system: request.systemPrompt,
    messages: messages.map(({ role, parts }) => model.says(role, parts)),
    tools: [],
    maxTokens: request.maxTokens,
    temperature: request.temperature,
    stopSequences: request.stopSequences,
    signal,
    onText: () => {},
  })
  terminal.write(`The model says:\n  ${shown(text)}\n`)
  if (!YES.test((await terminal.ask(`Send it to ${nameOf(ctx)}? [y/N] `, { signal }))?.trim() ?? ''))
    throw rejected()
  return {
    role: 'assistant',
    model: model.name,
    content: { type: 'text', text },
    stopReason: stopped === 'length' ? 'maxTokens' : 'endTurn',
  }
}

/** @throws McpError for what no model here can be shown */
function partsOf(content: SampleRequest['messages'][number]['content']): readonly UserPart[] {
  const blocks = Array.isArray(content) ? content : [content]
  return blocks.map((block): UserPart => {
    if (block.type === 'text') return { type: 'text', text: block.text }
    if (block.type === 'image') return { type: 'image', data: block.data, mimeType: block.mimeType }
    throw new McpError(-32602, `This client's model takes texts and images, not ${block.type}`)
  })
}

const asLine = (part: UserPart): string =>
  part.type === 'text' ? shown(part.text) : `[${shown(part.mimeType)}]`
