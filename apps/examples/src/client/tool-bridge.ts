import type Anthropic from '@anthropic-ai/sdk'
import {
  aiSdkTools,
  anthropicTools,
  bridgeAll,
  type Bridge,
  type HostTool,
  hostTools,
  openAiChatTools,
  openAiResponsesTools,
  type Tools,
} from '@jetway/bridge'
import { generateText, jsonSchema, type LanguageModel, stepCountIs } from 'ai'
import type OpenAI from 'openai'

// #region host
/** Calls the first matching tool, as a custom host would. */
export async function callOne(servers: Tools, wanted: string, signal: AbortSignal): Promise<string> {
  const tools = await hostTools(servers)
  const tool = tools.find(({ description }) => description.includes(wanted))
  if (tool === undefined) return 'There is no such tool'
  const { text, isError } = await tool.execute({}, { signal })
  return isError ? `It has failed: ${text}` : text
}
// #endregion

// #region registry
export async function follow(servers: Tools, registry: Map<string, HostTool>): Promise<Bridge> {
  const bridge = await bridgeAll(servers, registry, {
    onSkipped: ({ name, server }) => console.error(`${name} of ${server} is left out: the name is taken`),
  })
  console.error(`${bridge.count} tools`)
  return bridge
}
// #endregion

// #region ai-sdk
export async function answerWithAiSdk(servers: Tools, model: LanguageModel, prompt: string): Promise<string> {
  const tools = await aiSdkTools(await hostTools(servers), { jsonSchema, version: 6 })
  const { text } = await generateText({ model, tools, prompt, stopWhen: stepCountIs(10) })
  return text
}
// #endregion

// #region anthropic
export async function answerWithAnthropic(
  servers: Tools,
  anthropic: Anthropic,
  model: string,
  prompt: string,
): Promise<string> {
  const { tools, run } = await anthropicTools(await hostTools(servers))
  const messages: Anthropic.MessageParam[] = [{ role: 'user', content: prompt }]
  for (;;) {
    const { content } = await anthropic.messages.create({ model, max_tokens: 4_096, tools, messages })
    const results = await run(content)
    if (results.length === 0)
      return content.map((block) => (block.type === 'text' ? block.text : '')).join('')
    messages.push({ role: 'assistant', content }, { role: 'user', content: results })
  }
}
// #endregion

// #region chat
export async function answerWithChat(
  servers: Tools,
  openai: OpenAI,
  model: string,
  prompt: string,
): Promise<string> {
  const { tools, run } = await openAiChatTools(await hostTools(servers))
  const messages: OpenAI.ChatCompletionMessageParam[] = [{ role: 'user', content: prompt }]
  for (;;) {
    const { choices } = await openai.chat.completions.create({ model, tools, messages })
    const [{ message } = { message: undefined }] = choices
    const answers = await run(message?.tool_calls)
    if (message === undefined || answers.length === 0) return message?.content ?? ''
    messages.push(message, ...answers)
  }
}
// #endregion

// #region responses
export async function answerWithResponses(
  servers: Tools,
  openai: OpenAI,
  model: string,
  prompt: string,
): Promise<string> {
  const { tools, run } = await openAiResponsesTools(await hostTools(servers))
  let response = await openai.responses.create({ model, tools, input: prompt })
  for (;;) {
    const input = await run(response.output)
    if (input.length === 0) return response.output_text
    response = await openai.responses.create({ model, tools, input, previous_response_id: response.id })
  }
}
// #endregion
