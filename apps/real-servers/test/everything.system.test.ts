import { Client, type ClientOptions, type ElicitRequest, McpError, type Progress } from '@jetway/client'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { TRANSPORTS } from './support/servers.ts'

const INFO = { name: 'real-servers', version: '1.0.0' }

describe.each(TRANSPORTS)('server-everything %s', (_, open) => {
  let server: Awaited<ReturnType<typeof open>>
  let client: Client
  const elicit = vi.fn<(request: ElicitRequest) => object>(() => ({
    action: 'accept',
    content: { name: 'Ann', check: 'true', integer: '42', email: 'ann@example.com' },
  }))
  const errors: Error[] = []
  const options: ClientOptions = {
    eras: false,
    handlers: {
      elicit: (request) => elicit(request) as never,
      elicitUrl: ({ url }) => ({ action: url.endsWith('/yes') ? 'accept' : 'decline' }),
      sample: ({ messages: [message], maxTokens }) => ({
        role: 'assistant',
        model: 'a-model',
        content: { type: 'text', text: `${maxTokens}: ${JSON.stringify(message?.content)}` },
      }),
      roots: [{ uri: 'file:///home/ann/work', name: 'Work' }],
    },
  }
  const text = async (tool: string, args: Readonly<Record<string, unknown>> = {}): Promise<string> => {
    const { content } = await client.callTool(tool, args)
    return content.map((block) => (block.type === 'text' ? block.text : block.type)).join('\n')
  }

  beforeAll(async () => {
    server = await open()
    client = new Client(INFO, options)
    client.on('error', (error) => void errors.push(error))
    await client.connect(server.dial)
    // The server adds some tools only after the handshake, depending on the client's capabilities.
    await vi.waitFor(async () =>
      expect((await client.listTools()).map(({ name }) => name)).toContain('simulate-research-query'),
    )
  })
  afterAll(async () => {
    await client.close()
    await server.close()
    expect(client.stats()).toMatchObject({ pending: 0, ignored: { requests: 0, malformed: 0 } })
    expect(errors).toEqual([])
  })

  it('returns its name, revision, capabilities and instructions', () => {
    expect(client.server).toMatchObject({
      info: { name: 'mcp-servers/everything', title: 'Everything Reference Server' },
      protocolVersion: '2025-11-25',
      capabilities: { resources: { subscribe: true }, logging: {}, completions: {}, tasks: {} },
      instructions: expect.stringContaining('Everything Server'),
    })
  })

  it('lists its tools with titles, schemas and hints', async () => {
    const tools = await client.listTools()
    expect(tools.length).toBeGreaterThan(14)
    expect(tools.find(({ name }) => name === 'echo')).toMatchObject({
      title: 'Echo Tool',
      inputSchema: { type: 'object', properties: { message: { type: 'string' } }, required: ['message'] },
      annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
    })
    expect(tools.map(({ name }) => name)).toContain('trigger-url-elicitation')
  })

  it('responds to concurrent calls, and names invalid arguments in its errors', async () => {
    expect(await text('get-sum', { a: 2, b: 40 })).toContain('42')
    const texts = await Promise.all(Array.from({ length: 50 }, (__, i) => text('echo', { message: `${i}` })))
    expect(texts).toEqual(texts.map((__, i) => `Echo: ${i}`))
    expect(await client.callTool('echo', {})).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining('expected string') }],
    })
  })

  it('returns images, annotations, links and embedded resources', async () => {
    const { content: picture } = await client.callTool('get-tiny-image')
    expect(picture).toContainEqual({
      type: 'image',
      mimeType: 'image/png',
      data: expect.stringMatching(/^iVBORw0KGgo/),
    })
    const { content: message } = await client.callTool('get-annotated-message', {
      messageType: 'error',
      includeImage: true,
    })
    expect(message).toMatchObject([
      { type: 'text', annotations: { priority: 1, audience: ['user', 'assistant'] } },
      { type: 'image', annotations: { audience: ['user'] } },
    ])
    const { content: links } = await client.callTool('get-resource-links', { count: 2 })
    const [link] = links.filter((block) => block.type === 'resource_link')
    expect(await client.readResource(link?.uri ?? '')).toMatchObject({ contents: [{ uri: link?.uri }] })
    const { content: embedded } = await client.callTool('get-resource-reference', {
      resourceType: 'Blob',
      resourceId: 3,
    })
    expect(embedded).toContainEqual(
      expect.objectContaining({
        type: 'resource',
        resource: expect.objectContaining({ blob: expect.any(String) }),
      }),
    )
  })

  it('returns structured content that matches its output schema', async () => {
    const { structuredContent, content } = await client.callTool('get-structured-content', {
      location: 'Chicago',
    })
    expect(structuredContent).toMatchObject({ temperature: 36, conditions: expect.any(String) })
    expect(content).toEqual([{ type: 'text', text: JSON.stringify(structuredContent) }])
  })

  it('completes arguments and returns prompts', async () => {
    expect((await client.listPrompts()).map(({ name }) => name)).toEqual([
      'simple-prompt',
      'args-prompt',
      'completable-prompt',
      'resource-prompt',
    ])
    const ref = { prompt: 'completable-prompt', argument: 'name' } as const
    const { values } = await client.complete(ref, '', { known: { department: 'Sales' } })
    expect(values).toContain('David')
    expect(await client.getPrompt('args-prompt', { city: 'Rome' })).toMatchObject({
      messages: [{ role: 'user', content: { type: 'text', text: "What's weather in Rome?" } }],
    })
    expect(
      await client.getPrompt('resource-prompt', { resourceType: 'Text', resourceId: '2' }),
    ).toMatchObject({
      messages: [{}, { content: { type: 'resource', resource: { text: expect.stringContaining('2') } } }],
    })
    await expect(client.getPrompt('no-prompt')).rejects.toMatchObject({ code: -32602 })
  })

  it('lists and reads resources and templates, both as text and as bytes', async () => {
    const resources = await client.listResources()
    expect(resources.map(({ name }) => name)).toContain('features.md')
    expect(await client.readResource(resources[0]?.uri ?? '')).toMatchObject({
      contents: [{ mimeType: 'text/markdown', text: expect.stringContaining('#') }],
    })
    expect((await client.listResourceTemplates()).map(({ uriTemplate }) => uriTemplate)).toEqual([
      'demo://resource/dynamic/text/{resourceId}',
      'demo://resource/dynamic/blob/{resourceId}',
    ])
    expect(await client.readResource('demo://resource/dynamic/blob/7')).toMatchObject({
      contents: [{ blob: expect.any(String) }],
    })
    await expect(client.readResource('demo://nothing')).rejects.toThrow(McpError)
  })

  it('notifies the client of new resources and of changes to subscribed resources', async () => {
    const changed = vi.fn<() => void>()
    const updated = vi.fn<(event: { readonly uri: string }) => void>()
    const off = [client.on('resourcesChanged', changed), client.on('resourceUpdated', updated)]
    const { content } = await client.callTool('gzip-file-as-resource', {
      name: 'hello.gz',
      data: 'data:text/plain,hello',
      outputType: 'resourceLink',
    })
    expect(content).toMatchObject([{ type: 'resource_link', mimeType: 'application/gzip' }])
    await vi.waitFor(() => expect(changed).toHaveBeenCalled())
    const uri = 'demo://resource/dynamic/text/1'
    await client.subscribe(uri)
    await client.callTool('toggle-subscriber-updates')
    await vi.waitFor(() => expect(updated).toHaveBeenCalledWith({ uri }))
    await client.callTool('toggle-subscriber-updates')
    await client.unsubscribe(uri)
    for (const stop of off) stop()
  })

  it('logs at the requested level', async () => {
    const log = vi.fn<(entry: { readonly level: string }) => void>()
    const off = client.on('log', log)
    await client.setLogLevel('debug')
    await client.callTool('toggle-simulated-logging')
    await vi.waitFor(() => expect(log).toHaveBeenCalled())
    await client.callTool('toggle-simulated-logging')
    await client.setLogLevel('emergency')
    off()
  })

  it('reports progress, and can be cancelled', async () => {
    const reports: Progress[] = []
    const onProgress = (progress: Progress): void => void reports.push(progress)
    await client.callTool('trigger-long-running-operation', { duration: 0.06, steps: 3 }, { onProgress })
    expect(reports).toEqual([1, 2, 3].map((progress) => ({ progress, total: 3 })))
    const controller = new AbortController()
    const call = client.callTool(
      'trigger-long-running-operation',
      { duration: 2, steps: 40 },
      { onProgress: () => controller.abort(new Error('Enough')), signal: controller.signal },
    )
    await expect(call).rejects.toThrow('Enough')
    expect(client.stats().pending).toBe(0)
    expect(await text('echo', { message: 'still there' })).toBe('Echo: still there')
  })

  it('elicits a form, and the client converts the values to their types and fills in defaults', async () => {
    const output = await text('trigger-elicitation-request')
    expect(output).toContain('User provided the requested information')
    const raw: unknown = JSON.parse(output.slice(output.indexOf('Raw result: ') + 12))
    expect(raw).toMatchObject({
      action: 'accept',
      content: { name: 'Ann', check: true, integer: 42, number: 3.14, titledMultipleSelectEnum: ['fish-1'] },
    })
    elicit.mockReturnValueOnce({ action: 'decline' })
    expect(await text('trigger-elicitation-request')).toContain('declined')
  })

  it('elicits a URL, which the user can open or decline', async () => {
    expect(await text('trigger-url-elicitation', { url: 'https://example.com/yes' })).toContain('completed')
    expect(await text('trigger-url-elicitation', { url: 'https://example.com/no' })).toContain('declined')
  })

  it('samples from the host’s model, and lists roots', async () => {
    expect(await text('trigger-sampling-request', { prompt: 'Why?', maxTokens: 7 })).toContain('a-model')
    await vi.waitFor(async () => expect(await text('get-roots-list')).toContain('file:///home/ann/work'))
  })

  it('serves two clients concurrently', async () => {
    await using other = await new Client(INFO, { eras: false }).connect(server.dial)
    expect((await other.listTools()).map(({ name }) => name)).not.toContain('trigger-sampling-request')
    expect((await other.callTool('echo', { message: 'x' })).content).toHaveLength(1)
    expect(await text('echo', { message: 'y' })).toBe('Echo: y')
  })
})
