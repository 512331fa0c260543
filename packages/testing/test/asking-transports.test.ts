import { elicit, McpServer, sample } from '@jetway/core'
import type { JsonObject } from '@jetway/core/protocol'
import { expect, it } from 'vitest'
import { describeMatrix } from '../src/matrix.ts'
import { HOST_TRANSPORTS } from './support/host-transports.ts'

const silent = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} }
const form = {
  type: 'object',
  properties: { name: { type: 'string', minLength: 2 } },
  required: ['name'],
} as const
const create = (options: object = {}): McpServer =>
  new McpServer({ name: 'test', version: '1' }, { logger: silent, ...options })

describeMatrix('a question', { transports: HOST_TRANSPORTS, revisions: ['2025-11-25'] }, ({ connect }) => {
  it('to a model with tools contains the tools and their results', async () => {
    const server = create()
    const weather = { name: 'weather', inputSchema: { type: 'object' } }
    const text = { type: 'text', text: 'Rain?' } as const
    const use = { type: 'tool_use', id: 'u1', name: 'weather', input: { city: 'Oslo' } } as const
    const outcome = {
      type: 'tool_result',
      toolUseId: 'u1',
      content: [{ type: 'text', text: 'Rain' }],
    } as const
    const messages = [
      { role: 'user', content: text },
      { role: 'assistant', content: [use] },
      { role: 'user', content: [outcome] },
    ] as const
    const params = { messages, maxTokens: 9, tools: [weather], toolChoice: { mode: 'auto' } }
    server.addTool({
      name: 'ask',
      asks: { said: () => sample(params) },
      handler: (_args, { answers }) => answers.said.model,
    })
    const asked: unknown[] = []
    const onRequest = (_method: string, given?: JsonObject): JsonObject => {
      asked.push(given)
      return { role: 'assistant', content: { type: 'text', text: 'Take a coat' }, model: 'm1' }
    }
    const able = await connect(server, { capabilities: { sampling: { tools: {} } }, onRequest })
    expect(await able.request('tools/call', { name: 'ask' })).toMatchObject({
      result: { content: [{ text: 'm1' }] },
    })
    expect(asked).toEqual([JSON.parse(JSON.stringify(params))])
    const plain = await connect(server, { capabilities: { sampling: {} }, onRequest })
    expect(await plain.request('tools/call', { name: 'ask' })).toMatchObject({
      error: { code: -32600, data: { requiredCapabilities: { sampling: { tools: {} } } } },
    })
    expect(asked).toHaveLength(1)
  })

  it('with an invalid response ends the call and names the field', async () => {
    const server = create()
    server.addTool({ name: 'ask', asks: { who: () => elicit('Who?', form) }, handler: () => 'never' })
    const connection = await connect(server, {
      capabilities: { elicitation: {} },
      onRequest: () => ({ action: 'accept', content: { name: 'x' } }),
    })
    expect(await connection.request('tools/call', { name: 'ask' })).toMatchObject({
      result: { isError: true, content: [{ text: expect.stringContaining('name') }] },
    })
  })
})
