import type { McpServer } from '@jetway/core'
import { REVISIONS } from '@jetway/core/protocol'
import { describe, expect, it, vi } from 'vitest'
import type { Client } from '../../src/client/client.ts'
import type { ClientOptions } from '../../src/options/options.ts'
import { addNumbers, connectTo, everything } from '../support/servers.ts'
import { mount } from '../support/mounted.ts'
import { listener } from '../support/scripted.ts'

type Connect = (server: McpServer, options: ClientOptions) => Promise<Client>
const WAYS: Readonly<Record<string, Connect>> = {
  'in memory': connectTo,
  'over HTTP': (server, options) => mount(server).connect(options),
}

describe.each(
  REVISIONS.flatMap((revision) =>
    Object.entries(WAYS).map(([way, connectBy]) => ({ revision, way, connectBy })),
  ),
)('a client that uses $revision.version $way', ({ revision, connectBy }) => {
  const { version } = revision
  const connect = (options: ClientOptions = {}, server = everything()): Promise<Client> =>
    connectBy(server, { revisions: [version], ...options })

  it("provides the server's name, instructions and capabilities", async () => {
    const client = await connect()
    expect(client.server).toMatchObject({
      protocolVersion: version,
      info: { name: 'all', version: '1.2.3' },
      instructions: 'Ask away',
      capabilities: { tools: {}, resources: {}, prompts: {} },
    })
    expect(client.isAlive).toBe(true)
    await client.ping()
  })

  it('lists all pages of tools, prompts and resources', async () => {
    const client = await connect()
    const tools = await client.listTools()
    expect(tools.map(({ name }) => name)).toEqual([
      'add',
      'book',
      'hello',
      'fail',
      'slow',
      'chatty',
      'wait',
      'picture',
    ])
    expect((await client.listToolsPage()).items).toHaveLength(2)
    expect(await client.listPrompts()).toMatchObject([{ name: 'brief' }])
    expect(await client.listResources()).toMatchObject([{ uri: 'note://one' }])
    expect(await client.listResourceTemplates()).toMatchObject([{ uriTemplate: 'note://{name}/text' }])
  })

  it('calls tools, reads resources, gets prompts and completes arguments', async () => {
    const client = await connect()
    await client.listTools()
    const sum = await client.callTool(addNumbers, { a: 2 })
    expect(sum.content).toEqual([{ type: 'text', text: '{"sum":3}' }])
    if (
      revision.projectTool({ name: 'x', inputSchema: {}, outputSchema: { type: 'object' } })['outputSchema']
    )
      expect(sum.structuredContent?.sum).toBe(3)
    expect(await client.callTool('fail')).toMatchObject({ isError: true })
    expect(await client.readResource('note://one')).toMatchObject({ contents: [{ text: 'First' }] })
    expect(await client.getPrompt('brief', { city: 'Rome' })).toMatchObject({
      messages: [{ role: 'user', content: { text: 'Tell me about Rome' } }],
    })
    const names = await client.complete({ template: 'note://{name}/text', argument: 'name' }, 'a')
    expect(names.values).toEqual(['anna', 'alma'])
  })

  it('receives progress notifications for its own calls', async () => {
    const client = await connect()
    const onProgress = vi.fn<(progress: { progress: number }) => void>()
    await client.callTool('slow', {}, { onProgress })
    expect(onProgress.mock.calls.map(([{ progress }]) => progress)).toEqual([1, 2, 3])
  })

  it('receives log messages at the level that it has set', async () => {
    const client = await connect()
    const log = listener(client, 'log')
    await client.setLogLevel('info')
    await client.callTool('chatty')
    expect(log).toHaveBeenCalledWith(expect.objectContaining({ level: 'info', data: 'working' }))
  })

  it("answers a tool's input requests with its handlers", async () => {
    const client = await connect({
      handlers: {
        elicit: ({ message }) => ({
          action: 'accept',
          content: { count: message.includes('Friday') ? '4' : 0 },
        }),
        roots: [{ uri: 'file:///work' }],
        sample: () => ({ role: 'assistant', model: 'm', content: { type: 'text', text: 'a window' } }),
      },
    })
    const booking = client.callTool('book', { day: 'Friday' })
    if (revision.forms === undefined) return expect(booking).rejects.toThrow('cannot be asked')
    return expect(booking).resolves.toMatchObject({
      content: [{ type: 'text', text: 'Friday: 4, file:///work, a window' }],
    })
  })

  it("cancels a call's handler on the server", async () => {
    const client = await connect()
    const controller = new AbortController()
    const call = client.callTool('wait', {}, { signal: controller.signal })
    controller.abort(new Error('No longer needed'))
    await expect(call).rejects.toThrow('No longer needed')
    expect(client.stats().pending).toBe(0)
    await client.callTool('hello')
  })

  it('receives change notifications', async () => {
    const server = everything()
    const client = await connect({}, server)
    const changed = listener(client, 'toolsChanged')
    const updated = listener(client, 'resourceUpdated')
    await client.subscribe('note://one')
    // Over HTTP, the session's stream is opened in the background.
    await vi.waitFor(() => {
      server.addTool({ name: `new-${Math.random()}`, handler: () => 'new' })
      server.notify.resourceUpdated('note://one')
      expect(changed).toHaveBeenCalled()
      expect(updated).toHaveBeenCalledWith({ uri: 'note://one' })
    })
    await client.unsubscribe('note://one')
  })
})
