import type { IncomingMessage, ServerResponse } from 'node:http'
import { json } from 'node:stream/consumers'
import { listen } from '@jetway-apps/test-support/http'
import { onTestFinished } from 'vitest'

export type Api = 'anthropic' | 'openai'

export interface ScriptedCall {
  readonly name: string
  /** The arguments. A string is sent unchanged, even if it is invalid JSON. */
  readonly args: object | string
}

export interface ScriptedReply {
  readonly text?: string
  readonly calls?: readonly ScriptedCall[]
  readonly stop?: 'length'
}

/** A received request, in the same format for both APIs. */
export interface ModelRequest {
  readonly api: Api
  readonly path: string
  readonly headers: IncomingMessage['headers']
  readonly body: { readonly [field: string]: unknown }
  readonly system: string
  readonly tools: readonly { readonly name: string; readonly description: string; readonly schema: object }[]
  /** The text of each tool result at the end of the messages. */
  readonly results: readonly string[]
  readonly messages: readonly { readonly [field: string]: unknown }[]
}

export type Script = (
  request: ModelRequest,
  count: number,
) =>
  | ScriptedReply
  | ((response: ServerResponse) => void)
  | Promise<ScriptedReply | ((response: ServerResponse) => void)>

export interface ModelServer {
  readonly url: string
  readonly requests: ModelRequest[]
  /** The environment variables that select this server. */
  readonly env: (api: Api) => Record<string, string>
}

/** Returns the name that the model uses for a tool. */
export const nameOf = ({ tools }: ModelRequest, tool: string): string =>
  tools.find(({ name }) => name.endsWith(`__${tool}`))?.name ?? `no tool ${tool}`

/** Serves both model APIs until the end of the test, with streamed replies from a script. */
export async function modelServer(script: Script): Promise<ModelServer> {
  const requests: ModelRequest[] = []
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = (await json(request)) as ModelRequest['body']
    const api = request.url === '/v1/messages' ? 'anthropic' : 'openai'
    if (api === 'openai' && request.url !== '/v1/chat/completions') return void response.writeHead(404).end()
    const recorded = { ...read(api, request.headers, body), path: request.url ?? '' }
    requests.push(recorded)
    const scripted = await script(recorded, requests.length)
    if (typeof scripted === 'function') return scripted(response)
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    for (const event of api === 'anthropic' ? anthropicEvents(scripted) : openaiEvents(scripted))
      response.write(event)
    response.end()
  }
  const { origin: url, release } = await listen((request, response) => void answer(request, response))
  onTestFinished(release)
  return {
    url,
    requests,
    env: (api) =>
      api === 'anthropic'
        ? { ANTHROPIC_BASE_URL: url, ANTHROPIC_API_KEY: 'key-of-tests', ANTHROPIC_MODEL: 'scripted' }
        : { OPENAI_BASE_URL: `${url}/v1`, OPENAI_API_KEY: 'key-of-tests', OPENAI_MODEL: 'scripted' },
  }
}

interface Block {
  readonly type: string
  readonly content: readonly { readonly text?: string }[]
  readonly text?: string
}

function read(
  api: Api,
  headers: ModelRequest['headers'],
  body: ModelRequest['body'],
): Omit<ModelRequest, 'path'> {
  const messages = body['messages'] as ModelRequest['messages']
  const tools = (body['tools'] ?? []) as readonly { [field: string]: unknown }[]
  if (api === 'anthropic') {
    const last = messages.at(-1)?.['content'] as readonly Block[]
    return {
      api,
      headers,
      body,
      messages,
      system: String(body['system']),
      tools: tools.map(({ name, description, input_schema: schema }) => ({
        name: String(name),
        description: String(description),
        schema: schema as object,
      })),
      results: last
        .filter(({ type }) => type === 'tool_result')
        .map(({ content }) => content.map(({ text = '' }) => text).join()),
    }
  }
  const lastReply = messages.findLastIndex(({ role }) => role === 'assistant')
  return {
    api,
    headers,
    body,
    messages,
    system: String(messages.find(({ role }) => role === 'system')?.['content']),
    tools: tools.map(({ function: each }) => {
      const { name, description, parameters } = each as { [field: string]: unknown }
      return { name: String(name), description: String(description), schema: parameters as object }
    }),
    results: messages
      .slice(lastReply + 1)
      .filter(({ role }) => role === 'tool')
      .map(({ content }) => String(content)),
  }
}

const toJson = (args: object | string): string => (typeof args === 'string' ? args : JSON.stringify(args))

/** https://docs.anthropic.com/en/docs/build-with-claude/streaming */
function* anthropicEvents({ text = '', calls = [], stop }: ScriptedReply): Generator<string> {
  const event = (type: string, data: object): string =>
    `event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`
  yield event('message_start', { message: { id: 'msg_1', role: 'assistant', content: [] } })
  let index = 0
  if (text !== '') {
    yield event('content_block_start', { index, content_block: { type: 'text', text: '' } })
    for (const piece of text.match(/[\s\S]{1,5}/g) ?? [])
      yield event('content_block_delta', { index, delta: { type: 'text_delta', text: piece } })
    yield event('ping', {})
    yield event('content_block_stop', { index })
    index++
  }
  for (const { name, args } of calls) {
    const id = `toolu_${index}`
    yield event('content_block_start', { index, content_block: { type: 'tool_use', id, name, input: {} } })
    for (const piece of toJson(args).match(/[\s\S]{1,7}/g) ?? [])
      yield event('content_block_delta', { index, delta: { type: 'input_json_delta', partial_json: piece } })
    yield event('content_block_stop', { index })
    index++
  }
  const reason = stop === 'length' ? 'max_tokens' : calls.length > 0 ? 'tool_use' : 'end_turn'
  yield event('message_delta', { delta: { stop_reason: reason }, usage: { output_tokens: 1 } })
  yield event('message_stop', {})
}

/** https://platform.openai.com/docs/api-reference/chat-streaming */
function* openaiEvents({ text = '', calls = [], stop }: ScriptedReply): Generator<string> {
  const chunk = (delta: object, finish_reason: string | null = null): string =>
    `data: ${JSON.stringify({ object: 'chat.completion.chunk', choices: [{ index: 0, delta, finish_reason }] })}\n\n`
  yield chunk({ role: 'assistant', content: '' })
  for (const piece of text.match(/[\s\S]{1,5}/g) ?? []) yield chunk({ content: piece })
  for (const [index, { name, args }] of calls.entries()) {
    yield chunk({
      tool_calls: [{ index, id: `call_${index}`, type: 'function', function: { name, arguments: '' } }],
    })
    for (const piece of toJson(args).match(/[\s\S]{1,7}/g) ?? [])
      yield chunk({ tool_calls: [{ index, function: { arguments: piece } }] })
  }
  yield chunk({}, stop === 'length' ? 'length' : calls.length > 0 ? 'tool_calls' : 'stop')
  yield 'data: {"choices":[],"usage":{"completion_tokens":1}}\n\n'
  yield 'data: [DONE]\n\n'
}
