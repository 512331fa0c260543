import { ErrorCode, McpError, type CallToolResult, type Tool } from '@jetway/core/protocol'
import { describe, expect, it, vi } from 'vitest'
import {
  callToolText,
  hostTools,
  type HostToolResult,
  ToolFailedError,
  toHostResult,
  type ToolSource,
} from '../src/index.ts'
import { ClientError } from '@jetway/client'
import { connectToShop, PNG } from './support/shop.ts'

const listed = (tool: Partial<Tool> = {}): Tool => ({
  name: 'x',
  inputSchema: { type: 'object' },
  ...tool,
})
const source = (
  tools: readonly Tool[],
  callTool: ToolSource['callTool'] = () => Promise.resolve({ content: [] }),
  server = 'shop',
): ToolSource => ({
  tools: () => Promise.resolve(tools.map((tool) => ({ server, name: `mcp__${server}__${tool.name}`, tool }))),
  callTool,
})
const of = (content: readonly object[], more: object = {}): CallToolResult =>
  ({ content, ...more }) as unknown as CallToolResult

describe('hostTools', () => {
  it("calls a tool by its name in the source, with the caller's arguments, signal and limits", async () => {
    const callTool = vi.fn<ToolSource['callTool']>(() => Promise.resolve({ content: [] }))
    const [tool] = await hostTools(source([listed()], callTool))
    expect(tool?.name).toBe('mcp__shop__x')
    const { signal } = new AbortController()
    await tool?.execute({ a: 1 }, { signal, timeoutMs: 5 })
    expect(callTool).toHaveBeenCalledWith('mcp__shop__x', { a: 1 }, { signal, timeoutMs: 5 })
  })

  it.each<[Partial<Tool>, string, string]>([
    [{ description: 'Buys' }, 'shop', 'Buys (MCP server: shop)'],
    [{ annotations: { title: 'Buy' } }, 'shop', 'Buy (MCP server: shop)'],
    [{ title: 'Buy', annotations: { title: 'Sell' } }, 'shop', 'Buy (MCP server: shop)'],
    [{ description: 5 as never }, 'shop', 'x (MCP server: shop)'],
    [{ description: '  ', title: 'Buy' }, 'shop', 'Buy (MCP server: shop)'],
    [{}, 'shop', 'x (MCP server: shop)'],
    [{ description: 'Buys' }, '', 'Buys'],
    [{ description: 'Buys' }, 'a\nb\u202E \u0000', 'Buys (MCP server: a b)'],
    [{ description: 'Buys' }, 's'.repeat(100), `Buys (MCP server: ${'s'.repeat(64)})`],
  ])('names the server in the description: tool %j, server %j', async (tool, server, description) => {
    const [made] = await hostTools(source([listed(tool)], undefined, server))
    expect(made?.description).toBe(description)
    const title = tool.title ?? tool.annotations?.title
    expect(made && 'title' in made ? made.title : 'none').toBe(title ?? 'none')
  })

  it("preserves the server's schemas", async () => {
    const inputSchema = {
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      type: 'object',
      $defs: { day: { type: 'string', format: 'date', 'x-own': true } },
      properties: { on: { $ref: '#/$defs/day' }, by: { oneOf: [{ type: 'string' }, { type: 'null' }] } },
      additionalProperties: false,
    }
    const outputSchema = { type: 'object', $defs: { a: {} } }
    const [tool] = await hostTools(source([listed({ inputSchema, outputSchema })]))
    expect(tool?.inputSchema).toBe(inputSchema)
    expect(tool?.outputSchema).toBe(outputSchema)
    const [without] = await hostTools(source([listed()]))
    expect(without).not.toHaveProperty('outputSchema')
  })

  const DANGEROUS = {
    readOnly: false,
    destructive: true,
    idempotent: false,
    openWorld: true,
    concurrent: false,
  }
  const SAFE = { readOnly: true, destructive: false, idempotent: true, openWorld: false, concurrent: true }
  const harmless = { readOnlyHint: true, destructiveHint: false, openWorldHint: false }

  it.each([
    ['a tool from another server', 'other', harmless, DANGEROUS],
    ['a tool from a trusted server', 'shop', harmless, SAFE],
    [
      'a tool from a trusted server with one annotation',
      'shop',
      { idempotentHint: true },
      { ...DANGEROUS, idempotent: true },
    ],
    [
      'a tool from a trusted server that is not destructive',
      'shop',
      { destructiveHint: false, openWorldHint: false },
      { ...DANGEROUS, destructive: false, openWorld: false },
    ],
    [
      'a tool from a trusted server with contradictory annotations',
      'shop',
      { readOnlyHint: true, destructiveHint: true, idempotentHint: false },
      { ...SAFE, openWorld: true },
    ],
    [
      'a tool from a trusted server with invalid values',
      'shop',
      { readOnlyHint: 1, openWorldHint: 0 },
      DANGEROUS,
    ],
    ['a tool from a trusted server without annotations', 'shop', undefined, DANGEROUS],
  ])('uses annotations only from trusted servers: %s', async (_, trusted, annotations, expected) => {
    const [tool] = await hostTools(
      source([listed({ ...(annotations !== undefined && { annotations: annotations as object }) })]),
      { trusted: [trusted] },
    )
    expect(tool?.metadata).toEqual(expected)
  })

  it('omits duplicates, and tools intended only for user interfaces', async () => {
    const tools = await hostTools(
      source([
        listed({ name: 'both', _meta: { ui: { visibility: ['model', 'app'] } } }),
        listed({ name: 'app', _meta: { ui: { visibility: ['app'] } } }),
        listed({ name: 'text', _meta: { ui: { visibility: 'app' } } }),
        listed({ name: 'other', _meta: { ui: 'app' } }),
        listed({ name: 'plain', description: 'first' }),
        listed({ name: 'plain', description: 'second' }),
      ]),
    )
    expect(tools.map(({ name }) => name)).toEqual([
      'mcp__shop__both',
      'mcp__shop__text',
      'mcp__shop__other',
      'mcp__shop__plain',
    ])
    expect(tools[3]?.description).toContain('first')
  })

  it("lists a single client's tools under their own names", async () => {
    await using client = await connectToShop('my shop')
    const tools = await hostTools(client)
    expect(tools.map(({ name, server }) => [name, server])).toEqual([
      ['get_order', 'my shop'],
      ['photo', 'my shop'],
      ['refund', 'my shop'],
      ['receipt', 'my shop'],
    ])
    expect(tools[0]).toMatchObject({ description: 'An order by its number (MCP server: my shop)' })
    expect(tools[2]).toMatchObject({
      title: 'Give money back',
      description: 'Give money back (MCP server: my shop)',
    })
    expect(await tools[0]?.execute({ id: 'A1' })).toEqual({
      text: '{"id":"A1","total":40}',
      parts: [{ type: 'text', text: '{"id":"A1","total":40}' }],
      structured: { id: 'A1', total: 40 },
      isError: false,
    })
  })

  it("uses the server's own name if the host did not name the server", async () => {
    await using client = await connectToShop()
    expect((await hostTools(client))[0]?.server).toBe('shop')
  })
})

describe('failed calls of hostTools', () => {
  const failing = async (error: Error, signal?: AbortSignal): Promise<HostToolResult | undefined> => {
    const callTool = vi.fn<ToolSource['callTool']>().mockRejectedValue(error)
    const [tool] = await hostTools(source([listed()], callTool))
    return tool?.execute({}, signal === undefined ? {} : { signal })
  }

  it.each([
    new McpError(ErrorCode.InvalidParams, 'There is no such tool'),
    new ClientError('timeout', 'No answer to tools/call within 5 ms'),
  ])('resolve to a result for the model: %s', async (error) => {
    expect(await failing(error)).toEqual({
      text: error.message,
      parts: [{ type: 'text', text: error.message }],
      structured: undefined,
      isError: true,
      error,
    })
  })

  it('reject if the caller aborts them', async () => {
    const signal = AbortSignal.abort(new Error('enough'))
    await expect(failing(new ClientError('closed', 'gone'), signal)).rejects.toThrow('enough')
  })

  it('reject on any other error', async () => {
    await expect(failing(new TypeError('a bug'))).rejects.toThrow('a bug')
  })
})

describe('results of hostTools', () => {
  it('preserve every type of content, and describe binary data as text', () => {
    const annotations = { audience: ['user'], priority: 1 }
    const result = toHostResult(
      of([
        { type: 'text', text: 'Hello', annotations },
        { type: 'image', data: PNG, mimeType: 'image/png' },
        { type: 'audio', data: 'UklGRg==', mimeType: 'audio/wav' },
        { type: 'resource_link', uri: 'a://b', name: 'b', description: 'A thing', mimeType: 'text/plain' },
        { type: 'resource', resource: { uri: 'a://c', text: 'Inside', mimeType: 'text/plain' } },
        { type: 'resource', resource: { uri: 'a://d', blob: 'JVBERi0=' } },
      ]),
    )
    expect(result.parts).toEqual([
      { type: 'text', text: 'Hello', annotations },
      { type: 'image', data: PNG, mimeType: 'image/png' },
      { type: 'audio', data: 'UklGRg==', mimeType: 'audio/wav' },
      { type: 'link', uri: 'a://b', name: 'b', description: 'A thing', mimeType: 'text/plain' },
      { type: 'resource', uri: 'a://c', text: 'Inside', mimeType: 'text/plain' },
      { type: 'resource', uri: 'a://d', data: 'JVBERi0=', mimeType: 'application/pdf' },
    ])
    expect(result.text.split('\n')).toEqual([
      'Hello',
      '[image: image/png, 72 bytes]',
      '[audio: audio/wav, 6 bytes]',
      '[link: b, a://b, text/plain, A thing]',
      '[resource: a://c, text/plain]',
      'Inside',
      '[resource: a://d, application/pdf, 6 bytes]',
    ])
  })

  it.each([
    { type: 'hologram', data: [1] },
    { type: 'text', text: 5 },
    { type: 'image', mimeType: 'image/png' },
    { type: 'resource', resource: { uri: 'a://b' } },
    { type: 'resource_link', name: 'b' },
    { type: 'image', data: 5, mimeType: 'image/png' },
    { type: 'resource', resource: { text: 'b' } },
    { type: 'resource', resource: 'a://b' },
    { type: 'resource', resource: { uri: 'a://b', blob: 5 } },
  ])('contain unknown content as JSON: %j', (block) => {
    expect(toHostResult(of([block])).text).toBe(JSON.stringify(block))
  })

  it.each<[object, string]>([
    [{ type: 'resource_link', uri: 'a://b' }, '[link: a://b, a://b]'],
    [{ type: 'resource_link', uri: 'a://b', name: 'b', title: 'B' }, '[link: B, a://b]'],
    [{ type: 'resource', resource: { uri: 'a://b', text: '' } }, '[resource: a://b]\n'],
    [
      { type: 'resource', resource: { uri: 'a://b', blob: 'AAAA' } },
      '[resource: a://b, application/octet-stream, 3 bytes]',
    ],
    [{ type: 'resource', resource: { uri: 'a://b', blob: '!' } }, '[resource: a://b, no readable data]'],
    [{ type: 'audio', data: '!' }, '[audio: no readable data]'],
    [{ type: 'audio', data: 'AAAA' }, '[audio: application/octet-stream, 3 bytes]'],
    [{ type: 'audio', data: 'A'.repeat(13_332), mimeType: 'a/b' }, '[audio: a/b, 9999 bytes]'],
    [{ type: 'audio', data: 'A'.repeat(13_336), mimeType: 'a/b' }, '[audio: a/b, 10 kB]'],
    [{ type: 'audio', data: 'A'.repeat(14_000), mimeType: 'a/b' }, '[audio: a/b, 11 kB]'],
    [{ type: 'audio', data: 'AAAA', mimeType: 'x'.repeat(512) }, `[audio: ${'x'.repeat(512)}, 3 bytes]`],
    [{ type: 'audio', data: 'AAAA', mimeType: 'x'.repeat(513) }, `[audio: ${'x'.repeat(512)}…, 3 bytes]`],
  ])('describe %j', (block, text) => {
    expect(toHostResult(of([block])).text).toBe(text)
  })

  it('are marked as failed if the tool failed', () => {
    expect(toHostResult(of([{ type: 'text', text: 'No' }], { isError: true }))).toMatchObject({
      text: 'No',
      isError: true,
    })
  })

  it('contain the structured value, and also its JSON as text unless the tool returned text', () => {
    const image = { type: 'image', data: PNG, mimeType: 'image/png' }
    expect(toHostResult(of([], { structuredContent: { a: 1 } }))).toMatchObject({
      text: '{"a":1}',
      structured: { a: 1 },
    })
    expect(toHostResult(of([image], { structuredContent: [1] })).parts).toHaveLength(2)
    expect(toHostResult(of([{ ...image, data: '' }], { structuredContent: [1] })).text).toBe(
      '[image: image/png, no readable data]\n[1]',
    )
    expect(
      toHostResult(of([{ type: 'text', text: '{ "a": 1 }' }], { structuredContent: { a: 1 } })).text,
    ).toBe('{ "a": 1 }')
    expect(toHostResult(of([], { structuredContent: null })).text).toBe('null')
    expect(toHostResult(of([]))).toEqual({ text: '', parts: [], structured: undefined, isError: false })
  })

  it('are truncated at the text limit, but never within a character', () => {
    const texts = ['abc', 'd🙂f', 'later'].map((text) => ({ type: 'text', text }))
    const { text, parts } = toHostResult(of(texts), { maxText: 5 })
    expect(text).toBe('abc\nd\n[left out: 8 more characters]')
    expect(parts).toHaveLength(3)
    expect(toHostResult(of([{ type: 'text', text: 'x'.repeat(100_001) }])).text).toBe(
      `${'x'.repeat(100_000)}\n[left out: 1 more characters]`,
    )
  })

  it.each<[string, number, string]>([
    ['the limit', 9, 'abc\nd🙂f\nxx'],
    ['one character less', 8, 'abc\nd🙂f\nx\n[left out: 1 more characters]'],
    ['two characters less', 7, 'abc\nd🙂f\n[left out: 2 more characters]'],
    ['none', 0, '[left out: 9 more characters]'],
  ])('contain only the allowed number of characters: %s', (_, maxText, expected) => {
    const image = { type: 'image', data: PNG, mimeType: 'image/png' }
    const texts = ['abc', 'd🙂f', 'xx'].map((text) => ({ type: 'text', text }))
    const { text } = toHostResult(of([image, ...texts]), { maxText })
    expect(text).toBe(`[image: image/png, 72 bytes]\n${expected}`)
  })

  it.each([
    [PNG.length, 1],
    [PNG.length - 1, 0],
    [PNG.length * 2, 2],
    [undefined, 2],
  ])('contain only the allowed number of base64 characters: %s', (maxData, count) => {
    const image = { type: 'image', data: PNG, mimeType: 'image/png' }
    const limits = maxData === undefined ? {} : { maxData }
    const { parts } = toHostResult(of([image, image]), limits)
    expect(parts.filter(({ type }) => type === 'image')).toHaveLength(count)
  })

  it('contain at most 20 MiB of base64 unless the host allows more', () => {
    const image = { type: 'image', data: 'A'.repeat(20_971_520), mimeType: 'image/png' }
    const more = { type: 'image', data: 'AAAA', mimeType: 'image/png' }
    expect(toHostResult(of([image])).parts).toMatchObject([{ type: 'image' }])
    expect(toHostResult(of([image, more])).parts).toMatchObject([{ type: 'image' }, { type: 'text' }])
  })

  it('contain at most the allowed number of parts', () => {
    const texts = ['a', 'b', 'c'].map((text) => ({ type: 'text', text }))
    const textOf = (limits: object): string => toHostResult(of(texts), limits).text
    expect(textOf({ maxParts: 3 })).toBe('a\nb\nc')
    expect(textOf({ maxParts: 2 })).toBe('a\nb\n[left out: 1 more parts]')
    expect(textOf({ maxParts: 2, maxText: 1 })).toBe('a\n[left out: 1 more characters, 1 more parts]')
  })

  it('omit binary data beyond the limit', () => {
    const image = { type: 'image', data: PNG, mimeType: 'image/png' }
    const { parts } = toHostResult(of([image, image]), { maxData: PNG.length * 1.5 })
    expect(parts).toEqual([
      image,
      { type: 'text', text: '[image: image/png, 72 bytes, left out: too large]' },
    ])
  })

  it('contain descriptions of limited length', () => {
    const long = 'x'.repeat(1_000_000)
    const { text } = toHostResult(
      of([
        { type: 'image', data: 'AAAA', mimeType: long },
        { type: 'resource', resource: { uri: long, blob: 'AAAA', mimeType: long } },
        { type: 'resource', resource: { uri: long, blob: '', mimeType: long } },
      ]),
    )
    expect(text.length).toBeLessThan(3_500)
    expect(text).toContain('x…, 3 bytes]')
  })

  it('contain at most 1,000 parts by default', () => {
    const { text } = toHostResult(of(Array.from({ length: 1_003 }, () => ({ type: 'text', text: '' }))))
    expect(text.trim()).toBe('[left out: 3 more parts]')
  })
})

describe('callToolText', () => {
  it('returns the text, or undefined for an empty result', async () => {
    await using client = await connectToShop()
    expect(await callToolText(client, 'get_order', { id: 'A1' })).toBe('{"id":"A1","total":40}')
    const silent = { callTool: () => Promise.resolve({ content: [] }) }
    expect(await callToolText(silent, 'x')).toBeUndefined()
  })

  it("throws the tool's error", async () => {
    await using client = await connectToShop()
    const failed = await callToolText(client, 'refund').catch((error: unknown) => error)
    expect(failed).toBeInstanceOf(ToolFailedError)
    expect(failed).toMatchObject({
      message: 'The order is closed',
      tool: 'refund',
      result: { isError: true },
    })
    const silent = { callTool: () => Promise.resolve({ content: [], isError: true }) }
    await expect(callToolText(silent, 'x')).rejects.toThrow('The tool x failed')
  })
})
