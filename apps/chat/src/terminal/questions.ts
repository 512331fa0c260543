import { fillForm, sanitize, sanitizeLine, type Terminal } from '@jetway-apps/terminal'
import { McpError } from '@jetway/core/protocol'
import type { ClientHandlers, HandlerContext, SampleResult, SampleRequest } from '@jetway/client'
import type { Model, UserPart } from '../model/model.ts'

const YES = /^y(es)?$/i

/** Handles the servers' requests: elicitation asks the user, and sampling asks the user and the model. */
export function createHandlers(terminal: Terminal, model: Model): ClientHandlers {
  return {
    elicit: (request, ctx) => fillForm(request, { name: nameOf(ctx), signal: ctx.signal, terminal }),
    elicitUrl: async ({ message, url }, ctx) => {
      const prompt = `\n${nameOf(ctx)} asks you to open a URL: ${sanitize(message)}\n  ${sanitize(url)}\n`
      const line = await terminal.ask(`${prompt}Will you open it in your browser? [y/N] `, {
        signal: ctx.signal,
      })
      if (line === undefined) return { action: 'cancel' }
      return { action: YES.test(line.trim()) ? 'accept' : 'decline' }
    },
    sample: (request, ctx) => sample(request, ctx, { terminal, model }),
  }
}

const nameOf = ({ name, server }: HandlerContext): string =>
  sanitizeLine(name ?? server?.name ?? 'A server', 80)

/** https://modelcontextprotocol.io/specification/2025-11-25/client/sampling#error-handling */
const rejection = (): McpError => new McpError(-1, 'User rejected sampling request')

/**
 * The user approves the request before it is sent to the model, and the reply before it is sent to the server.
 */
async function sample(
  request: SampleRequest,
  ctx: HandlerContext,
  { terminal, model }: { readonly terminal: Terminal; readonly model: Model },
): Promise<SampleResult> {
  const { signal } = ctx
  const messages = request.messages.map(({ role, content }) => ({ role, parts: partsOf(content) }))
  const system = request.systemPrompt === undefined ? '' : `  system: ${sanitize(request.systemPrompt)}\n`
  const lines = messages.map(({ role, parts }) => `  ${role}: ${parts.map(formatPart).join(' ')}\n`)
  terminal.write(`\n${nameOf(ctx)} wants to send this to the model:\n${system}${lines.join('')}`)
  if (!YES.test((await terminal.ask('Send it? [y/N] ', { signal }))?.trim() ?? '')) throw rejection()
  const { text, stopReason } = await model.complete({
    system: request.systemPrompt,
    messages: messages.map(({ role, parts }) => model.toMessage(role, parts)),
    tools: [],
    maxTokens: request.maxTokens,
    temperature: request.temperature,
    stopSequences: request.stopSequences,
    signal,
    onText: () => {},
  })
  terminal.write(`The model's reply:\n  ${sanitize(text)}\n`)
  if (!YES.test((await terminal.ask(`Return it to ${nameOf(ctx)}? [y/N] `, { signal }))?.trim() ?? ''))
    throw rejection()
  return {
    role: 'assistant',
    model: model.name,
    content: { type: 'text', text },
    stopReason: stopReason === 'length' ? 'maxTokens' : 'endTurn',
  }
}

/** @throws McpError for content that is neither text nor an image */
function partsOf(content: SampleRequest['messages'][number]['content']): readonly UserPart[] {
  const blocks = Array.isArray(content) ? content : [content]
  return blocks.map((block): UserPart => {
    if (block.type === 'text') return { type: 'text', text: block.text }
    if (block.type === 'image') return { type: 'image', data: block.data, mimeType: block.mimeType }
    throw new McpError(-32602, `This client's model accepts text and images, not ${block.type}`)
  })
}

const formatPart = (part: UserPart): string =>
  part.type === 'text' ? sanitize(part.text) : `[${sanitize(part.mimeType)}]`
