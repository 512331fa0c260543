import OpenAI from 'openai'
import { describe, expect, it } from 'vitest'
import {
  hostTools,
  openAiCallOutput,
  openAiChatTools,
  openAiResponsesTools,
  openAiToolMessage,
  toHostResult,
  type ToolSource,
} from '../src/index.ts'
import { modelServer } from './support/model-server.ts'
import { connectToShop, PNG } from './support/shop.ts'

const IMAGE = `data:image/png;base64,${PNG}`
const chatCall = (id: string, name: string, args: string): object => ({
  id,
  type: 'function',
  function: { name, arguments: args },
})
const choice = (message: object): object => ({
  id: 'c',
  object: 'chat.completion',
  created: 1,
  model: 'm',
  choices: [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', content: null, ...message } }],
})
const CALLS: readonly (readonly [id: string, name: string, args: string])[] = [
  ['1', 'get_order', '{"id":"A1"}'],
  ['2', 'photo', ''],
  ['3', 'refund', '{}'],
  ['4', 'get_order', '{"id":'],
  ['5', 'get_order', '[]'],
  ['6', 'steal', '{}'],
]
const SAID = [
  '{"id":"A1","total":40}',
  'A dot\n[image: image/png, 72 bytes]',
  'The tool failed: The order is closed',
  'The tool failed: The arguments are not a JSON object',
  'The tool failed: The arguments are not a JSON object',
  'The tool failed: There is no tool "steal"',
]

describe('tools for Chat Completions', () => {
  it.each(['omit', 'user-message'] as const)(
    'run through the SDK until the model stops calling them (images: %s)',
    async (images) => {
      await using client = await connectToShop()
      using server = await modelServer([
        choice({ tool_calls: CALLS.map((call) => chatCall(...call)) }),
        choice({ content: 'Done' }),
      ])
      const openai = new OpenAI({ apiKey: 'k', baseURL: server.url, maxRetries: 0 })
      const { tools, run } = await openAiChatTools(await hostTools(client), { images })
      const messages: OpenAI.ChatCompletionMessageParam[] = [{ role: 'user', content: 'Go' }]
      const ask = async (): Promise<OpenAI.ChatCompletionMessage | undefined> =>
        (await openai.chat.completions.create({ model: 'm', tools, messages })).choices[0]?.message
      const first = await ask()
      if (first === undefined) throw new Error('There is no message')
      messages.push(first, ...(await run(first.tool_calls)))
      const last = await ask()
      expect(last?.content).toBe('Done')
      expect(await run(last?.tool_calls)).toEqual([])

      expect(server.list(0, 'tools')).toContainEqual({
        type: 'function',
        function: {
          name: 'get_order',
          description: 'An order by its number (MCP server: shop)',
          parameters: (await client.listTools())[0]?.inputSchema,
        },
      })
      const answers = server.list(1, 'messages').slice(2)
      expect(answers.slice(0, CALLS.length)).toEqual(
        SAID.map((content, i) => ({ role: 'tool', tool_call_id: `${i + 1}`, content })),
      )
      expect(answers.slice(CALLS.length)).toEqual(
        images === 'omit'
          ? []
          : [
              {
                role: 'user',
                content: [
                  { type: 'text', text: 'Of the result of the call 2:' },
                  { type: 'image_url', image_url: { url: IMAGE } },
                ],
              },
            ],
      )
    },
  )

  it('return a note if the result is empty', () => {
    expect(openAiToolMessage('1', toHostResult({ content: [] })).content).toBe('(no output)')
  })
})

describe('tools for the Responses API', () => {
  it('run through the SDK until the model stops calling them', async () => {
    await using client = await connectToShop()
    const response = (output: readonly object[]): object => ({
      id: 'r',
      object: 'response',
      model: 'm',
      output,
    })
    using server = await modelServer([
      response([
        { type: 'reasoning', id: 'rs', summary: [] },
        ...[...CALLS, ['7', 'receipt', '{}'] as const].map(([call_id, name, args]) => ({
          type: 'function_call',
          call_id,
          name,
          arguments: args,
        })),
      ]),
      response([{ type: 'message', id: 'm', role: 'assistant', status: 'completed', content: [] }]),
    ])
    const openai = new OpenAI({ apiKey: 'k', baseURL: server.url, maxRetries: 0 })
    const { tools, run } = await openAiResponsesTools(await hostTools(client))
    const first = await openai.responses.create({ model: 'm', tools, input: 'Go' })
    const input: OpenAI.Responses.ResponseInput = await run(first.output)
    const last = await openai.responses.create({ model: 'm', tools, input, previous_response_id: first.id })
    expect(await run(last.output)).toEqual([])

    expect(server.list(0, 'tools')).toContainEqual({
      type: 'function',
      name: 'get_order',
      description: 'An order by its number (MCP server: shop)',
      parameters: (await client.listTools())[0]?.inputSchema,
      strict: false,
    })
    const outputs = server.list(1, 'input')
    expect(outputs.map((item) => item['call_id'])).toEqual(['1', '2', '3', '4', '5', '6', '7'])
    expect(outputs.map((item) => item['output'])).toEqual([
      SAID[0],
      [
        { type: 'input_text', text: 'A dot' },
        { type: 'input_image', image_url: IMAGE, detail: 'auto' },
      ],
      ...SAID.slice(2),
      [
        { type: 'input_text', text: '[link: receipt, shop://receipts/1, application/pdf]' },
        {
          type: 'input_file',
          filename: 'document.pdf',
          file_data: 'data:application/pdf;base64,JVBERi0=',
        },
        { type: 'input_text', text: '[resource: shop://notes/1, text/plain]\nPaid in cash' },
        { type: 'input_text', text: '[audio: audio/wav, 6 bytes]' },
      ],
    ])
  })

  it.each([
    ['a.pdf', 'a.pdf'],
    ['file:///a/Bill.PDF', 'Bill.PDF'],
    [`file:///${'a'.repeat(251)}.pdf`, `${'a'.repeat(251)}.pdf`],
    [`file:///${'a'.repeat(252)}.pdf`, 'document.pdf'],
    ['file:///a.pdf/', 'document.pdf'],
    ['file:///long name.txt', 'document.pdf'],
  ])('name a document with the URI %s "%s"', (uri, filename) => {
    const resource = { uri, blob: 'JVBERi0=', mimeType: 'application/pdf' }
    const { output } = openAiCallOutput('1', toHostResult({ content: [{ type: 'resource', resource }] }))
    expect(output).toMatchObject([{ filename }])
  })

  it('return only text, marked as a failure, if the call fails', () => {
    const image = { type: 'image', data: PNG, mimeType: 'image/png' } as const
    expect(openAiCallOutput('1', toHostResult({ content: [image], isError: true }))).toEqual({
      type: 'function_call_output',
      call_id: '1',
      output: 'The tool failed: [image: image/png, 72 bytes]',
    })
  })

  it('ignore output items that are not function calls', async () => {
    const { run } = await openAiResponsesTools([])
    expect(await run([{}, { type: 'message' }])).toEqual([])
    const chat = await openAiChatTools([], { images: 'user-message' })
    expect(await chat.run([{ id: '1', type: 'custom' }])).toEqual([])
    expect(await chat.run(undefined)).toEqual([])
  })

  it('do not send documents as images, and identify the call that returned each image', async () => {
    const image = { type: 'image', data: PNG, mimeType: 'image/png' } as const
    const resource = { uri: 'a://b', blob: 'JVBERi0=', mimeType: 'application/pdf' }
    const source: ToolSource = {
      tools: async () =>
        ['none', 'some'].map((name) => ({
          server: 's',
          name,
          tool: { name, inputSchema: { type: 'object' } },
        })),
      callTool: async (name) => ({
        content: [{ type: 'resource', resource }, ...(name === 'some' ? [image, image] : [])],
      }),
    }
    const { run } = await openAiChatTools(await hostTools(source), { images: 'user-message' })
    const answers = await run([chatCall('1', 'none', ''), chatCall('2', 'some', '')])
    const url = { type: 'image_url', image_url: { url: IMAGE } }
    expect(answers.slice(2)).toEqual([
      { role: 'user', content: [{ type: 'text', text: 'Of the result of the call 2:' }, url, url] },
    ])
    expect((await run([chatCall('1', 'none', '')])).map(({ role }) => role)).toEqual(['tool'])
  })

  it("derive a document's name from its URI", () => {
    const resource = { uri: 'file:///a/Bill 1.pdf', blob: 'JVBERi0=', mimeType: 'application/pdf' }
    const { output } = openAiCallOutput('1', toHostResult({ content: [{ type: 'resource', resource }] }))
    expect(output).toMatchObject([{ filename: 'Bill 1.pdf' }])
  })

  it.each([
    ['no slash in 4 MB', 'a'.repeat(4_000_000)],
    ['a file name of 4 MB', `file:///${'a'.repeat(4_000_000)}.pdf`],
    ['only an extension', 'file:///a/.pdf'],
  ])("derive a document's name quickly if its URI has %s", (_, uri) => {
    const resource = { uri, blob: 'JVBERi0=', mimeType: 'application/pdf' }
    const start = process.cpuUsage()
    const { output } = openAiCallOutput('1', toHostResult({ content: [{ type: 'resource', resource }] }))
    expect(process.cpuUsage(start).user).toBeLessThan(1_000_000)
    expect(output).toMatchObject([{ filename: 'document.pdf' }])
  })
})

describe('tools that OpenAI rejects', () => {
  const strange: ToolSource = {
    tools: () =>
      Promise.resolve([
        {
          server: 'shop',
          name: 'orders/list',
          tool: {
            name: 'orders/list',
            description: 'x'.repeat(2_000),
            inputSchema: { type: 'object', properties: { ids: { type: 'array' } }, oneOf: [{}] },
          },
        },
      ]),
    callTool: (name, args) =>
      Promise.resolve({ content: [{ type: 'text', text: `${name} ${JSON.stringify(args)}` }] }),
  }

  it('are adapted to the API', async () => {
    const chat = await openAiChatTools(await hostTools(strange))
    const [{ function: made } = expect.fail('There is no tool')] = chat.tools
    expect(made.name).toMatch(/^orders_list_[0-9a-f]{8}$/)
    expect(made.description).toHaveLength(1_024)
    expect(made.description).toMatch(/x… \(MCP server: shop\)$/)
    expect(made.parameters).toEqual({ type: 'object', properties: { ids: { type: 'array', items: {} } } })
    expect(await chat.run([chatCall('1', made.name, '{"ids":[1]}')])).toMatchObject([
      { content: 'orders/list {"ids":[1]}' },
    ])
  })

  it('are not adapted if the host allows them', async () => {
    const { tools } = await openAiResponsesTools(await hostTools(strange), { maxDescription: Infinity })
    expect(tools[0]?.description).toHaveLength(2_000 + ' (MCP server: shop)'.length)
  })
})
