import type Anthropic from '@anthropic-ai/sdk'
import { jsonSchema as jsonSchema6, type ToolSet as ToolSet6 } from 'ai'
import type { jsonSchema as JsonSchema7, ToolSet as ToolSet7 } from 'ai7'
import type OpenAI from 'openai'
import { expectTypeOf, it } from 'vitest'
import {
  aiSdkTools,
  type AnthropicTools,
  type OpenAiChatTools,
  type OpenAiResponsesTools,
  type ToolSource,
} from '../src/index.ts'
import type { Client } from '@jetway/client'

type Runs<T extends { run(...args: never[]): Promise<unknown> }> = Awaited<ReturnType<T['run']>>

it("output for the Messages API matches Anthropic's types", () => {
  expectTypeOf<AnthropicTools['tools']>().toExtend<Anthropic.MessageCreateParams['tools']>()
  expectTypeOf<Runs<AnthropicTools>>().toExtend<Anthropic.MessageParam['content']>()
  expectTypeOf<Anthropic.Message['content']>().toExtend<Parameters<AnthropicTools['run']>[0]>()
})

it("output for Chat Completions and Responses matches OpenAI's types", () => {
  type Chat = OpenAI.ChatCompletionCreateParams
  type Choice = OpenAI.ChatCompletionMessage
  expectTypeOf<OpenAiChatTools['tools']>().toExtend<Chat['tools']>()
  expectTypeOf<Runs<OpenAiChatTools>>().toExtend<Chat['messages']>()
  expectTypeOf<Choice['tool_calls']>().toExtend<Parameters<OpenAiChatTools['run']>[0]>()
  expectTypeOf<OpenAiResponsesTools['tools']>().toExtend<OpenAI.Responses.ResponseCreateParams['tools']>()
  expectTypeOf<Runs<OpenAiResponsesTools>>().toExtend<OpenAI.Responses.ResponseInput>()
  expectTypeOf<OpenAI.Responses.Response['output']>().toExtend<Parameters<OpenAiResponsesTools['run']>[0]>()
})

it('output for the AI SDK matches the types of both of its versions', () => {
  const make6 = () => aiSdkTools([], { jsonSchema: jsonSchema6, version: 6 })
  const make7 = (jsonSchema: typeof JsonSchema7) => aiSdkTools([], { jsonSchema })
  expectTypeOf<Awaited<ReturnType<typeof make6>>>().toExtend<ToolSet6>()
  expectTypeOf<Awaited<ReturnType<typeof make7>>>().toExtend<ToolSet7>()
  // @ts-expect-error The two versions have different types for files.
  expectTypeOf<Awaited<ReturnType<typeof make7>>>().toExtend<ToolSet6>()
})

it('a client is accepted as a source of tools', () => {
  expectTypeOf<Client>().toExtend<Pick<ToolSource, 'callTool'>>()
})
