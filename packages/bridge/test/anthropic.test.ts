import Anthropic from '@anthropic-ai/sdk'
import { describe, expect, it } from 'vitest'
import { anthropicResult, anthropicTools, hostTools, type HostTool, toHostResult } from '../src/index.ts'
import { modelServer } from './support/model-server.ts'
import { connectToShop, PNG } from './support/shop.ts'
import { sourceOf } from './support/source.ts'

const message = (content: readonly object[], stop_reason: string): object => ({
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  model: 'm',
  content,
  stop_reason,
  stop_sequence: null,
  usage: { input_tokens: 1, output_tokens: 1 },
})
const use = (id: string, name: string, input: object = {}): object => ({ type: 'tool_use', id, name, input })
const part = (value: object): ReturnType<typeof toHostResult> => toHostResult({ content: [value as never] })

describe("tools in Anthropic's Messages API", () => {
  it('run through the SDK until the model stops calling them', async () => {
    await using client = await connectToShop()
    using server = await modelServer([
      message(
        [
          { type: 'text', text: 'Let me see' },
          use('t1', 'get_order', { id: 'A1' }),
          use('t2', 'photo'),
          use('t3', 'refund'),
          use('t4', 'receipt'),
          use('t5', 'steal'),
        ],
        'tool_use',
      ),
      message([{ type: 'text', text: 'Done' }], 'end_turn'),
    ])
    const anthropic = new Anthropic({ apiKey: 'k', baseURL: server.url, maxRetries: 0 })
    const { tools, run } = await anthropicTools(await hostTools(client))
    const messages: Anthropic.MessageParam[] = [{ role: 'user', content: 'Go' }]
    const ask = (): Promise<Anthropic.Message> =>
      anthropic.messages.create({ model: 'm', max_tokens: 10, tools, messages })
    const first = await ask()
    messages.push({ role: 'assistant', content: first.content })
    messages.push({ role: 'user', content: await run(first.content) })
    expect((await ask()).content).toMatchObject([{ text: 'Done' }])

    expect(server.asked.map(({ path }) => path)).toEqual(['/v1/messages', '/v1/messages'])
    expect(server.list(0, 'tools')).toContainEqual({
      name: 'get_order',
      description: 'An order by its number (MCP server: shop)',
      input_schema: (await client.listTools())[0]?.inputSchema,
    })
    const [, , answer] = server.list(1, 'messages')
    expect(answer?.['content']).toEqual([
      {
        type: 'tool_result',
        tool_use_id: 't1',
        content: [{ type: 'text', text: '{"id":"A1","total":40}' }],
      },
      {
        type: 'tool_result',
        tool_use_id: 't2',
        content: [
          { type: 'text', text: 'A dot' },
          { type: 'image', source: { type: 'base64', media_type: 'image/png', data: PNG } },
        ],
      },
      {
        type: 'tool_result',
        tool_use_id: 't3',
        content: [{ type: 'text', text: 'The order is closed' }],
        is_error: true,
      },
      {
        type: 'tool_result',
        tool_use_id: 't4',
        content: [
          { type: 'text', text: '[link: receipt, shop://receipts/1, application/pdf]' },
          {
            type: 'document',
            source: { type: 'base64', media_type: 'application/pdf', data: 'JVBERi0=' },
          },
          { type: 'text', text: '[resource: shop://notes/1, text/plain]\nPaid in cash' },
          { type: 'text', text: '[audio: audio/wav, 6 bytes]' },
        ],
      },
      {
        type: 'tool_result',
        tool_use_id: 't5',
        content: [{ type: 'text', text: 'There is no tool "steal"' }],
        is_error: true,
      },
    ])
  })

  it.each([
    ['undefined', undefined, {}],
    ['null', null, {}],
    ['an empty string', '', {}],
    ['an object', { id: 'A1' }, { id: 'A1' }],
    ['an object as a string', '{"id":"A1"}', { id: 'A1' }],
    ['a list', [], undefined],
    ['a list as a string', '[]', undefined],
    ['a number', 0, undefined],
    ['invalid JSON', '{', undefined],
  ])('accept %s as arguments: %j', async (_, input, expected) => {
    const source = sourceOf('get', { type: 'object' })
    const { run } = await anthropicTools(await hostTools(source))
    const answers = await run([{ type: 'tool_use', id: 't', name: 'get', input }])
    expect(source.calls.map((call) => (call as readonly unknown[])[1])).toEqual(
      expected === undefined ? [] : [expected],
    )
    expect(answers.map(({ is_error: failed = false }) => failed)).toEqual([expected === undefined])
  })

  it('omit `anyOf` at the root of their schemas, and rename arguments whose names the API rejects', async () => {
    const source = sourceOf('list', {
      type: 'object',
      anyOf: [
        { properties: { 'filter[id]': { type: 'string' } }, required: ['filter[id]'] },
        { properties: { all: { type: 'boolean' } } },
      ],
    })
    const tools = await hostTools(source)
    const made = await anthropicTools(tools)
    expect(made.tools[0]?.input_schema).toEqual({
      type: 'object',
      properties: { filter_id_: { type: 'string' }, all: { type: 'boolean' } },
    })
    await made.run([use('t', 'list', { filter_id_: '5', all: true })])
    expect(source.calls).toEqual([['list', { 'filter[id]': '5', all: true }, {}]])
    expect(made.tool('list')).toBe(tools[0])
  })
})

describe('tool_result', () => {
  it('contains only text if the call failed', () => {
    const failed = toHostResult({
      content: [{ type: 'image', data: PNG, mimeType: 'image/png' }],
      isError: true,
    })
    expect(anthropicResult('t', failed)).toEqual({
      type: 'tool_result',
      tool_use_id: 't',
      content: [{ type: 'text', text: '[image: image/png, 72 bytes]' }],
      is_error: true,
    })
  })

  it.each([{ type: 'text', text: ' \n' }, undefined])(
    'contains a note if the result is empty: %j',
    (block) => {
      const result = toHostResult({ content: block === undefined ? [] : [block as never] })
      expect(anthropicResult('t', result).content).toEqual([{ type: 'text', text: '(no output)' }])
    },
  )

  it('omits images of unsupported types, and includes embedded images', () => {
    expect(
      anthropicResult('t', part({ type: 'image', data: 'AAAA', mimeType: 'image/tiff' })).content,
    ).toEqual([{ type: 'text', text: '[image: image/tiff, 3 bytes]' }])
    const resource = { type: 'resource', resource: { uri: 'a://b', blob: PNG, mimeType: 'image/png' } }
    expect(anthropicResult('t', part(resource)).content).toMatchObject([{ type: 'image' }])
  })
})

describe('tool calls in one message', () => {
  const watched = (concurrent: boolean): { tool: (name: string) => HostTool; log: string[] } => {
    const log: string[] = []
    return {
      log,
      tool: (name) =>
        ({
          name,
          server: 's',
          description: '',
          inputSchema: { type: 'object' },
          metadata: { concurrent },
          async execute() {
            log.push(`${name} begins`)
            await Promise.resolve()
            await Promise.resolve()
            log.push(`${name} ends`)
            return toHostResult({ content: [] })
          },
        }) as unknown as HostTool,
    }
  }

  it('run in order, or concurrently if the tools allow it', async () => {
    const alone = watched(false)
    await (await anthropicTools([alone.tool('a'), alone.tool('b')])).run([use('1', 'a'), use('2', 'b')])
    expect(alone.log).toEqual(['a begins', 'a ends', 'b begins', 'b ends'])
    const together = watched(true)
    await (await anthropicTools([together.tool('a'), together.tool('b')])).run([use('1', 'a'), use('2', 'b')])
    expect(together.log).toEqual(['a begins', 'b begins', 'a ends', 'b ends'])
  })

  it('stop when the signal aborts, without starting further calls', async () => {
    const { tool, log } = watched(false)
    const { run } = await anthropicTools([tool('a')])
    const control = new AbortController()
    const running = run([use('1', 'a'), use('2', 'a')], { signal: control.signal })
    control.abort(new Error('enough'))
    await expect(running).rejects.toThrow('enough')
    expect(log).toEqual(['a begins', 'a ends'])
  })

  it('produce an empty list if the model calls no tools', async () => {
    const { run } = await anthropicTools([])
    expect(await run([{ type: 'text', text: 'Hello' }])).toEqual([])
  })
})
