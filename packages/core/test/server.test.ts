import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import {
  definePrompt,
  defineResource,
  defineResourceTemplate,
  defineTool,
  McpServer,
  type ServerOptions,
} from '../src/index.ts'
import { settled } from './support/fake-clock.ts'
import { openPeer } from './support/peer.ts'

const info = { name: 'test', version: '1' }
const create = (options: ServerOptions = {}): McpServer => new McpServer(info, options)
const tool = (name: string): { name: string; handler: () => string } => ({ name, handler: () => name })

describe('what a server says of itself', () => {
  it('is projected to the revision: icons and website only where they exist', async () => {
    const facts = { ...info, title: 'Test', websiteUrl: 'https://x', icons: [{ src: 'https://x/i.png' }] }
    const server = new McpServer(facts)
    expect((await openPeer(server)).initialized.result).toMatchObject({ serverInfo: facts })
    const old = await openPeer(server, { version: '2025-03-26' })
    expect(old.initialized.result).toMatchObject({ serverInfo: info, protocolVersion: '2025-03-26' })
    expect(old.initialized.result['serverInfo']).toEqual(info)
  })

  it('gives instructions as a text, or as a function of the client', async () => {
    const fixed = await openPeer(create({ instructions: 'read me' }))
    expect(fixed.initialized.result).toMatchObject({ instructions: 'read me' })
    const asked = await openPeer(create({ instructions: async (client) => `hello ${client.info?.name}` }))
    expect(asked.initialized.result).toMatchObject({ instructions: 'hello peer' })
    expect((await openPeer(create())).initialized.result).not.toHaveProperty('instructions')
  })

  it('derives capabilities from what is registered, an empty list included', async () => {
    const server = create({ logging: false })
    expect((await openPeer(server)).initialized.result).toMatchObject({ capabilities: {} })
    server.setTools([])
    server.addPrompt({
      name: 'p',
      arguments: [{ name: 'a' }],
      complete: { a: () => ['x'] },
      handler: () => '',
    })
    server.addResource({ uri: 'x://y', name: 'y', handler: () => '' })
    expect((await openPeer(server)).initialized.result['capabilities']).toEqual({
      tools: { listChanged: true },
      prompts: { listChanged: true },
      resources: { subscribe: true, listChanged: true },
      completions: {},
    })
    expect(
      (await openPeer(server, { version: '2024-11-05' })).initialized.result['capabilities'],
    ).not.toHaveProperty('completions')
  })

  it.each([
    [{ name: '', version: '1' }, /name must be a string/],
    [{ name: 'x' } as never, /version must be a string/],
    [{ ...info, icons: [{ src: 'http://x/i.png' }] }, /ERR_MCP_INVALID_ICON/],
  ])('is checked at once: %j', (bad, message) => {
    expect(() => new McpServer(bad)).toThrow(message)
  })

  it.each([
    ['handlerTimeoutMs', 0],
    ['maxHandlerTimeoutMs', Number.NaN],
    ['pageSize', -1],
  ])('refuses %s of %d', (option, value) => {
    expect(() => create({ [option]: value })).toThrow(/ERR_MCP_OPTION/)
  })
})

describe('one definition, many clients', () => {
  it('serves clients of every revision at the same time', async () => {
    const server = create()
    server.addTool({ name: 'add', inputSchema: z.object({ a: z.number() }), outputSchema: z.object({ sum: z.number() }), handler: ({ a }) => ({ sum: a + 1 }) }) // prettier-ignore
    const versions = ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25']
    const answers = await Promise.all(
      versions.map(async (version, a) => {
        const peer = await openPeer(server, { version })
        return (await peer.request('tools/call', { name: 'add', arguments: { a } })).result
      }),
    )
    expect(answers).toEqual([
      { content: [{ type: 'text', text: '{"sum":1}' }] },
      { content: [{ type: 'text', text: '{"sum":2}' }] },
      { content: [{ type: 'text', text: '{"sum":3}' }], structuredContent: { sum: 3 } },
      { content: [{ type: 'text', text: '{"sum":4}' }], structuredContent: { sum: 4 } },
    ])
  })

  it('keeps a log level to the session that set it', async () => {
    const server = create()
    server.addTool({ name: 'log', handler: (_, ctx) => ctx.log.info('hello') })
    const [quiet, chatty] = [await openPeer(server), await openPeer(server)]
    await quiet.request('logging/setLevel', { level: 'error' })
    await Promise.all([quiet, chatty].map((peer) => peer.request('tools/call', { name: 'log' })))
    expect(quiet.notifications).toEqual([])
    expect(chatty.notifications).toMatchObject([
      { method: 'notifications/message', params: { data: 'hello' } },
    ])
  })

  it('tells subscribers, and only them, that a resource has changed', async () => {
    const server = create()
    server.addResource({ uri: 'x://y', name: 'y', handler: () => '' })
    const [subscriber, other] = [await openPeer(server), await openPeer(server)]
    await subscriber.request('resources/subscribe', { uri: 'x://y' })
    const notification = subscriber.nextNotification()
    server.notifyResourceUpdated('x://y')
    expect(await notification).toMatchObject({
      method: 'notifications/resources/updated',
      params: { uri: 'x://y' },
    })
    await settled()
    expect(other.notifications).toEqual([])
    await subscriber.request('resources/unsubscribe', { uri: 'x://y' })
    server.notifyResourceUpdated('x://y')
    await settled()
    expect(subscriber.notifications).toHaveLength(1)
  })
})

describe('changes while clients are connected', () => {
  it('many in one tick give one notification to each client', async () => {
    const server = create()
    const peers = [await openPeer(server), await openPeer(server)]
    for (let index = 0; index < 50; index++) server.addTool(tool(`t${index}`))
    server.removeTool('t0')
    await settled()
    for (const peer of peers) {
      expect(peer.notifications.map(({ method }) => method)).toEqual(['notifications/tools/list_changed'])
    }
  })

  it('of resources and templates together are one, and prompts have their own', async () => {
    const server = create()
    const peer = await openPeer(server)
    server.addResource({ uri: 'x://y', name: 'y', handler: () => '' })
    server.addResourceTemplate({ uriTemplate: 'x://{a}', name: 'a', handler: ({ a }) => a })
    server.addPrompt({ name: 'p', handler: () => 'hi' })
    await settled()
    expect(
      peer.notifications.map(({ method }) => String(method)).toSorted((a, b) => a.localeCompare(b)),
    ).toEqual(['notifications/prompts/list_changed', 'notifications/resources/list_changed'])
  })

  it('are seen by the next list', async () => {
    const server = create()
    const handle = server.addTool(tool('a'))
    const peer = await openPeer(server)
    const names = async (): Promise<unknown> =>
      ((await peer.request('tools/list')).result['tools'] as { name: string }[]).map(({ name }) => name)
    server.addTool(tool('b'))
    expect(await names()).toEqual(['a', 'b'])
    handle.remove()
    expect(await names()).toEqual(['b'])
    server.setTools([tool('c')])
    expect(await names()).toEqual(['c'])
  })
})

describe('definitions in files of their own', () => {
  it('are offered together by server.add, each as what it is', async () => {
    const server = create()
    server.add(
      defineTool({ name: 't', inputSchema: z.object({ a: z.string() }), handler: ({ a }) => a }),
      defineResource({ uri: 'x://y', name: 'y', handler: () => 'text' }),
      defineResourceTemplate({ uriTemplate: 'x://{id}/z', name: 'z', handler: ({ id }) => id }),
      definePrompt({ name: 'p', argsSchema: z.object({ a: z.string() }), handler: ({ a }) => a }),
    )
    const peer = await openPeer(server)
    const listed = async (method: string, member: string): Promise<unknown> =>
      (await peer.request(method)).result[member]
    expect(await listed('tools/list', 'tools')).toMatchObject([{ name: 't' }])
    expect(await listed('resources/list', 'resources')).toMatchObject([{ uri: 'x://y' }])
    expect(await listed('resources/templates/list', 'resourceTemplates')).toMatchObject([{ name: 'z' }])
    expect(await listed('prompts/list', 'prompts')).toMatchObject([{ name: 'p', arguments: [{ name: 'a' }] }])
  })
})

describe('lifespan', () => {
  it('opens once with the first client, reaches handlers typed, and is disposed on close', async () => {
    const events: string[] = []
    const server = new McpServer(info, {
      lifespan: async () => {
        events.push('open')
        return { db: 'db', async [Symbol.asyncDispose]() { events.push('dispose') } } // prettier-ignore
      },
    })
    server.addTool({ name: 'db', handler: (_, ctx) => ctx.app.db })
    expect(events).toEqual([])
    const [peer] = await Promise.all([openPeer(server), openPeer(server)])
    expect((await peer.request('tools/call', { name: 'db' })).result).toMatchObject({
      content: [{ text: 'db' }],
    })
    await server.close()
    expect(events).toEqual(['open', 'dispose'])
  })
})

describe('closing a server', () => {
  it('closes its connections and takes no new ones', async () => {
    const server = create()
    await openPeer(server)
    await server.close()
    await expect(openPeer(server)).rejects.toThrow(/ERR_MCP_CLOSED/)
  })
})

describe('middleware of a server', () => {
  it('wraps one method by name, or all', async () => {
    const server = create()
    server.addTool(tool('t'))
    const seen: string[] = []
    server.use('tools/call', async (ctx, next) => {
      const result = await next()
      return { ...result, _meta: { by: ctx.client.info?.name } }
    })
    server.use(async (ctx, next) => {
      seen.push(ctx.message.method)
      return next()
    })
    const peer = await openPeer(server)
    expect((await peer.request('tools/call', { name: 't' })).result).toMatchObject({ _meta: { by: 'peer' } })
    expect((await peer.request('tools/list')).result).toMatchObject({ tools: [{ name: 't' }] })
    expect(seen).toEqual(['tools/call', 'tools/list'])
  })
})

describe('errors of handlers', () => {
  it('reach onError and the logger with the reference that the peer saw, and stderr without a logger', async () => {
    const seen: string[] = []
    const logged: string[] = []
    const log = (_: object, message: string): void => void logged.push(message)
    const server = create({
      logger: { debug: log, info: log, warn: log, error: log },
      onError: (error, ctx, reference) =>
        seen.push(`${String(error)} in ${ctx.message.method} as ${reference}`),
    })
    server.addTool({ name: 'bad', handler: () => { throw new Error('secret') } }) // prettier-ignore
    const peer = await openPeer(server)
    const { result } = await peer.request('tools/call', { name: 'bad' })
    const [{ text }] = result['content'] as [{ text: string }]
    const reference = /reference ([\w-]+)/.exec(text)?.[1]
    expect(seen).toEqual([`Error: secret in tools/call as ${reference}`])
    expect(logged).toHaveLength(1)
  })
})
