import { generateText, jsonSchema, stepCountIs } from 'ai'
import { generateText as generateText7, jsonSchema as jsonSchema7, stepCountIs as stepCountIs7 } from 'ai7'
import { MockLanguageModelV4 } from 'ai7/test'
import { MockLanguageModelV3 } from 'ai/test'
import { describe, expect, it } from 'vitest'
import { aiSdkTools, hostTools } from '../src/index.ts'
import { connectToShop, PNG } from './support/shop.ts'
import { sourceOf } from './support/source.ts'

const usage = {
  inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 1, text: 1, reasoning: 0 },
}
const asking = (toolName: string, input: object) => ({
  content: [{ type: 'tool-call' as const, toolCallId: 'call-1', toolName, input: JSON.stringify(input) }],
  finishReason: { unified: 'tool-calls' as const, raw: undefined },
  usage,
  warnings: [],
})
const answering = {
  content: [{ type: 'text' as const, text: 'Done' }],
  finishReason: { unified: 'stop' as const, raw: undefined },
  usage,
  warnings: [],
}

/** Returns the tool result that each version of the SDK passes to the model. */
async function given6(toolName: string, input: object): Promise<unknown> {
  await using client = await connectToShop()
  const tools = await aiSdkTools(await hostTools(client), { jsonSchema, version: 6 })
  const model = new MockLanguageModelV3({ doGenerate: [asking(toolName, input), answering] })
  const { text } = await generateText({ model, tools, prompt: 'Go', stopWhen: stepCountIs(3) })
  expect(text).toBe('Done')
  expect(model.doGenerateCalls[0]?.tools?.map(({ name }) => name)).toEqual(Object.keys(tools))
  return outputIn(model.doGenerateCalls[1]?.prompt)
}

async function given7(toolName: string, input: object): Promise<unknown> {
  await using client = await connectToShop()
  const tools = await aiSdkTools(await hostTools(client), { jsonSchema: jsonSchema7 })
  const model = new MockLanguageModelV4({ doGenerate: [asking(toolName, input), answering] })
  const { text } = await generateText7({ model, tools, prompt: 'Go', stopWhen: stepCountIs7(3) })
  expect(text).toBe('Done')
  return outputIn(model.doGenerateCalls[1]?.prompt)
}

function outputIn(prompt: readonly { readonly role: string; readonly content: unknown }[] = []): unknown {
  const [result] = (prompt.findLast(({ role }) => role === 'tool')?.content ?? []) as { output: unknown }[]
  return result?.output
}

describe.each([
  ['6', given6],
  ['7', given7],
])('aiSdkTools in version %s of the AI SDK', (version, given) => {
  it('runs a tool that the model calls, and returns its text', async () => {
    expect(await given('get_order', { id: 'A1' })).toEqual({ type: 'text', value: '{"id":"A1","total":40}' })
  })

  it('returns images to the model', async () => {
    const picture =
      version === '6'
        ? { type: 'image-data', data: PNG, mediaType: 'image/png' }
        : { type: 'file', data: { type: 'data', data: PNG }, mediaType: 'image/png' }
    expect(await given('photo', {})).toEqual({
      type: 'content',
      value: [{ type: 'text', text: 'A dot' }, picture],
    })
  })

  it('returns errors to the model', async () => {
    expect(await given('refund', {})).toEqual({ type: 'error-text', value: 'The order is closed' })
  })

  it("returns the server's error if the server rejects the tool's arguments", async () => {
    expect(await given('get_order', { id: 5 })).toMatchObject({
      type: 'error-text',
      value: expect.stringContaining('id'),
    })
  })
})

describe('tools for the AI SDK', () => {
  it("use the server's schema", async () => {
    await using client = await connectToShop()
    const host = await hostTools(client)
    const model = new MockLanguageModelV3({ doGenerate: [answering] })
    const tools = await aiSdkTools(host, { jsonSchema, version: 6 })
    await generateText({ model, tools, prompt: 'Go' })
    expect(model.doGenerateCalls[0]?.tools?.[0]).toMatchObject({
      type: 'function',
      name: 'get_order',
      description: 'An order by its number (MCP server: shop)',
      inputSchema: host[0]?.inputSchema,
    })
    expect(tools['refund']).toMatchObject({ type: 'dynamic', title: 'Give money back' })
  })

  it("have descriptions of at most 1,024 characters that end with the server's name", async () => {
    const source = sourceOf('x', { type: 'object' })
    const [{ tool, ...listed } = { tool: undefined, server: '', name: '' }] = await source.tools()
    const long = {
      ...source,
      tools: async () => [{ ...listed, tool: { ...tool, description: 'long '.repeat(999) } as never }],
    }
    const host = await hostTools(long)
    const { x } = await aiSdkTools(host, { jsonSchema, version: 6 })
    expect(x?.description).toHaveLength(1_024)
    expect(x?.description.endsWith('… (MCP server: s)')).toBe(true)
    const whole = await aiSdkTools(host, { jsonSchema, version: 6, maxDescription: Infinity })
    expect(whole['x']?.description.length).toBeGreaterThan(4_995)
  })

  it('cancel a call when the SDK aborts its signal', async () => {
    await using client = await connectToShop()
    const tools = await aiSdkTools(await hostTools(client), { jsonSchema, version: 6 })
    const abortSignal = AbortSignal.abort(new Error('enough'))
    await expect(tools['photo']?.execute({}, { abortSignal })).rejects.toThrow('enough')
  })

  it('have names that every provider accepts, but are called on the server by their own names', async () => {
    const source = sourceOf('files/read', {
      type: 'object',
      properties: { $top: { type: 'array' } },
    })
    const tools = await aiSdkTools(await hostTools(source), { jsonSchema, version: 6 })
    const [name = ''] = Object.keys(tools)
    expect(name).toMatch(/^files_read_[0-9a-f]{8}$/)
    expect(tools[name]).toMatchObject({
      inputSchema: { jsonSchema: { properties: { _top: { type: 'array', items: {} } } } },
    })
    expect(tools[name]).not.toHaveProperty('title')
    const result = await tools[name]?.execute({ _top: 5 }, {})
    expect(source.calls).toEqual([['files/read', { $top: 5 }, {}]])
    expect(tools[name]?.toModelOutput({ output: result as never })).toEqual({
      type: 'text',
      value: '(no output)',
    })
  })
})
