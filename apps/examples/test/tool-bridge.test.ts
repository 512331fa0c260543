import { text } from 'node:stream/consumers'
import { listen } from '@jetway-apps/test-support/http'
import Anthropic from '@anthropic-ai/sdk'
import { McpServer } from '@jetway/core'
import type { HostTool } from '@jetway/bridge'
import { connect } from '@jetway/testing'
import { MockLanguageModelV3 } from 'ai/test'
import OpenAI from 'openai'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import {
  answerWithAiSdk,
  answerWithAnthropic,
  answerWithChat,
  answerWithResponses,
  callOne,
  follow,
} from '../src/client/tool-bridge.ts'

function weather(): McpServer {
  const server = new McpServer({ name: 'weather', version: '1.0.0' })
  server.addTool({ name: 'today', description: 'The weather of today', handler: () => 'Sunny' })
  return server
}

/** Serves a model API on loopback with scripted replies. */
async function scriptedModel(...answers: readonly object[]): Promise<{ url: string; asked: string[] }> {
  const asked: string[] = []
  const { origin, release } = await listen((request, response) => {
    void text(request).then((body) => {
      response.writeHead(200, { 'content-type': 'application/json' })
      response.end(JSON.stringify(answers[asked.push(body) - 1]))
    })
  })
  onTestFinished(release)
  return { url: origin, asked }
}

describe('tools in the bridge guide', () => {
  it('can be called by a custom host', async () => {
    await using client = await connect(weather())
    const signal = AbortSignal.timeout(10_000)
    expect(await callOne(client, 'of today', signal)).toBe('Sunny')
    expect(await callOne(client, 'of tomorrow', signal)).toBe('There is no such tool')
  })

  it('can be registered in the host’s registry', async () => {
    const said = vi.spyOn(console, 'error').mockImplementation(() => {})
    await using client = await connect(weather())
    const registry = new Map<string, HostTool>()
    using bridge = await follow(client, registry)
    expect([...registry.keys()]).toEqual(['today'])
    expect(bridge.count).toBe(1)
    using second = await follow(client, registry)
    expect(second.count).toBe(0)
    expect(said.mock.calls).toEqual([
      ['1 tools'],
      [expect.stringMatching(/^today of .* is left out/)],
      ['0 tools'],
    ])
    said.mockRestore()
  })

  it('can be called by the AI SDK', async () => {
    await using client = await connect(weather())
    const usage = {
      inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
      outputTokens: { total: 1, text: 1, reasoning: 0 },
    }
    const model = new MockLanguageModelV3({
      doGenerate: [
        {
          content: [{ type: 'tool-call', toolCallId: '1', toolName: 'today', input: '{}' }],
          finishReason: { unified: 'tool-calls', raw: undefined },
          usage,
          warnings: [],
        },
        {
          content: [{ type: 'text', text: 'Take a hat' }],
          finishReason: { unified: 'stop', raw: undefined },
          usage,
          warnings: [],
        },
      ],
    })
    expect(await answerWithAiSdk(client, model, 'What to wear?')).toBe('Take a hat')
    expect(JSON.stringify(model.doGenerateCalls[1]?.prompt)).toContain('Sunny')
  })

  it("can be called by Anthropic's SDK", async () => {
    await using client = await connect(weather())
    const message = (content: object): object => ({ type: 'message', role: 'assistant', content: [content] })
    const model = await scriptedModel(
      message({ type: 'tool_use', id: '1', name: 'today', input: {} }),
      message({ type: 'text', text: 'Take a hat' }),
    )
    const anthropic = new Anthropic({ apiKey: 'k', baseURL: model.url, maxRetries: 0 })
    expect(await answerWithAnthropic(client, anthropic, 'm', 'What to wear?')).toBe('Take a hat')
    expect(model.asked[1]).toContain('Sunny')
  })

  it("can be called by OpenAI's SDK through both APIs", async () => {
    await using client = await connect(weather())
    const call = { id: '1', type: 'function', function: { name: 'today', arguments: '{}' } }
    const chat = (message: object): object => ({ choices: [{ message: { role: 'assistant', ...message } }] })
    const completions = await scriptedModel(chat({ tool_calls: [call] }), chat({ content: 'Take a hat' }))
    const one = new OpenAI({ apiKey: 'k', baseURL: completions.url, maxRetries: 0 })
    expect(await answerWithChat(client, one, 'm', 'What to wear?')).toBe('Take a hat')
    expect(completions.asked[1]).toContain('Sunny')

    const said = { type: 'output_text', text: 'Take a hat', annotations: [] }
    const responses = await scriptedModel(
      {
        id: 'r1',
        object: 'response',
        output: [{ type: 'function_call', call_id: '1', name: 'today', arguments: '{}' }],
      },
      { id: 'r2', object: 'response', output: [{ type: 'message', role: 'assistant', content: [said] }] },
    )
    const other = new OpenAI({ apiKey: 'k', baseURL: responses.url, maxRetries: 0 })
    expect(await answerWithResponses(client, other, 'm', 'What to wear?')).toBe('Take a hat')
    expect(responses.asked[1]).toContain('Sunny')
  })
})
