import { settled } from '@jetway-apps/test-support'
import { describe, expect, it, vi } from 'vitest'
import { z } from 'zod'
import {
  definePrompt,
  defineResource,
  defineResourceTemplate,
  defineTool,
  type Logger,
  McpServer,
  type ServerOptions,
} from '../../src/index.ts'
import { NOTHING_HELD } from '../../src/session/stats.ts'
import { openPeer } from '../support/peer.ts'

const info = { name: 'test', version: '1' }
const create = (options: ServerOptions = {}): McpServer => new McpServer(info, options)
const silent: Logger = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} }
const fail = (): never => {
  throw new Error('The logger is broken')
}
const failingLogger: Logger = { debug: fail, info: fail, warn: fail, error: fail }
const recordingLogger = (): { logger: Logger; logged: string[] } => {
  const logged: string[] = []
  const log = (fields: object, message: string): void =>
    void logged.push(`${message} ${String((fields as { err?: unknown }).err)}`)
  return { logger: { debug: log, info: log, warn: log, error: log }, logged }
}
const tool = (name: string): { name: string; handler: () => string } => ({ name, handler: () => name })

describe('McpServer', () => {
  it.each([
    ['limits.running', { limits: { running: 0 } }],
    ['limits.inFlight', { limits: { inFlight: Number.NaN } }],
    ['handlerTimeoutMs', { limits: { handlerTimeoutMs: 2 ** 31 } }],
    ['maxHandlerTimeoutMs', { limits: { maxHandlerTimeoutMs: Number.POSITIVE_INFINITY } }],
    ['limits.anonymous.running', { limits: { anonymous: { running: 0 } } }],
    ['limits.maxResultBytes', { limits: { maxResultBytes: 1023 } }],
    ['limits.maxResultBytes', { limits: { maxResultBytes: 1024.5 } }],
    ['limits.inputTimeoutMs', { limits: { inputTimeoutMs: 0 } }],
    ['limits.maxInputRounds', { limits: { maxInputRounds: 0 } }],
    ['progressHeartbeat', { progressHeartbeat: 0 }],
    ['progressHeartbeat', { progressHeartbeat: 2 ** 31 }],
    ['requestState.ttlMs', { requestState: { ttlMs: 0 } }],
    ['requestState.maxBytes', { requestState: { maxBytes: 1023 } }],
    ['requestState.singleUse', { requestState: { singleUse: 'yes' as never } }],
    ['tasks.maxTtlMs', { tasks: { maxTtlMs: 0 } }],
    ['tasks.defaultTtlMs', { tasks: { defaultTtlMs: 2, maxTtlMs: 1 } }],
    ['telemetry', { telemetry: { attach: () => {} } as never }],
    ['loger', { loger: silent } as never],
    ['pageSize', { limits: { pageSize: 0 } }],
    ['logging', { logging: true as never }],
    ['logging.level', { logging: { level: 'loud' as never } }],
    ['experimental', { experimental: { a: true as never } }],
    ['experimental', { experimental: { a: { at: new Date(0) } } }],
    ['experimental', { experimental: { a: { call: () => {} } } }],
    ['experimental', { experimental: [] as never }],
  ] satisfies [string, ServerOptions][])('rejects an invalid %s', (name, options) => {
    expect(() => create(options)).toThrow(new RegExp(`${name}.*ERR_MCP_OPTION`))
  })

  it.each<ServerOptions>([
    { limits: { maxResultBytes: 1024, pageSize: 1, anonymous: { running: 1 } } },
    { progressHeartbeat: false },
    { progressHeartbeat: 2 ** 31 - 1 },
    { requestState: { maxBytes: 1024, singleUse: false } },
    { tasks: { defaultTtlMs: 5, maxTtlMs: 5 } },
    { tasks: { maxTtlMs: 5 } },
  ])('accepts options at their limits: %j', (options) => {
    expect(() => create(options)).not.toThrow()
  })

  it('rejects server options that are passed in the same object as name and version', () => {
    expect(() => new McpServer({ ...info, limits: {} } as never)).toThrow(
      'The first argument of new McpServer has limits, which is an option',
    )
  })

  it('sends icons and website only in revisions that support them', async () => {
    const facts = { ...info, title: 'Test', websiteUrl: 'https://x', icons: [{ src: 'https://x/i.png' }] }
    const server = new McpServer(facts)
    expect((await openPeer(server)).initialized.result).toMatchObject({ serverInfo: facts })
    const old = await openPeer(server, { version: '2025-03-26' })
    expect(old.initialized.result).toMatchObject({ serverInfo: info, protocolVersion: '2025-03-26' })
    expect(old.initialized.result['serverInfo']).toEqual(info)
  })

  it('accepts instructions as a string or as a function that receives the client', async () => {
    const fixed = await openPeer(create({ instructions: 'read me' }))
    expect(fixed.initialized.result).toMatchObject({ instructions: 'read me' })
    const asked = await openPeer(create({ instructions: async (client) => `hello ${client.info?.name}` }))
    expect(asked.initialized.result).toMatchObject({ instructions: 'hello test' })
    expect((await openPeer(create())).initialized.result).not.toHaveProperty('instructions')
  })

  it('derives capabilities from the registered definitions, including empty lists', async () => {
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
  ])('throws immediately if the server info is invalid: %j', (bad, message) => {
    expect(() => new McpServer(bad)).toThrow(message)
  })

  it.each([
    ['handlerTimeoutMs', 0],
    ['maxHandlerTimeoutMs', Number.NaN],
    ['pageSize', 0],
    ['pageSize', -1],
    ['pageSize', 1.5],
    ['pageSize', Number.NaN],
    ['pageSize', Number.POSITIVE_INFINITY],
    ['pageSize', '5'],
  ])('rejects limits.%s if its value is %s', (option, value) => {
    expect(() => create({ limits: { [option]: value } })).toThrow(`The option limits.${option} must`)
  })
})

describe('a server with many clients', () => {
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

  it('applies a log level only to the session that set it', async () => {
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

  it('notifies only the clients that have subscribed to a changed resource', async () => {
    const server = create()
    server.addResource({ uri: 'x://y', name: 'y', handler: () => '' })
    const [subscriber, other] = [await openPeer(server), await openPeer(server)]
    await subscriber.request('resources/subscribe', { uri: 'x://y' })
    const notification = subscriber.nextNotification()
    server.notify.resourceUpdated('x://y')
    expect(await notification).toMatchObject({
      method: 'notifications/resources/updated',
      params: { uri: 'x://y' },
    })
    await settled()
    expect(other.notifications).toEqual([])
    await subscriber.request('resources/unsubscribe', { uri: 'x://y' })
    server.notify.resourceUpdated('x://y')
    await settled()
    expect(subscriber.notifications).toHaveLength(1)
  })
})

describe('definitions', () => {
  const handler = (): string => ''
  it.each<
    [
      string,
      string,
      (server: McpServer) => unknown,
      (server: McpServer) => boolean,
      (server: McpServer) => void,
    ]
  >([
    [
      'tools',
      'tools/list',
      (s) => s.addTool(tool('a')),
      (s) => s.removeTool('a'),
      (s) => s.setTools([tool('b')]),
    ],
    [
      'prompts',
      'prompts/list',
      (s) => s.addPrompt({ name: 'a', handler }),
      (s) => s.removePrompt('a'),
      (s) => s.setPrompts([{ name: 'b', handler }]),
    ],
    [
      'resources',
      'resources/list',
      (s) => s.addResource({ uri: 'x://a', name: 'a', handler }),
      (s) => s.removeResource('x://a'),
      (s) => s.setResources([{ uri: 'x://b', name: 'b', handler }]),
    ],
    [
      'resourceTemplates',
      'resources/templates/list',
      (s) => s.addResourceTemplate({ uriTemplate: 'x://a/{id}', name: 'a', handler }),
      (s) => s.removeResourceTemplate('x://a/{id}'),
      (s) => s.setResourceTemplates([{ uriTemplate: 'x://b/{id}', name: 'b', handler }]),
    ],
  ])('can be added, removed by key, and replaced: %s', async (member, method, add, remove, replace) => {
    const server = create()
    add(server)
    const peer = await openPeer(server)
    const names = async (): Promise<unknown> => {
      const { result } = await peer.request(method)
      return (result[member] as { name: string }[]).map(({ name }) => name)
    }
    expect(await names()).toEqual(['a'])
    expect([remove(server), remove(server)]).toEqual([true, false])
    expect(await names()).toEqual([])
    add(server)
    replace(server)
    expect(await names()).toEqual(['b'])
  })
})

describe('changing definitions while clients are connected', () => {
  it('sends each client one notification for all changes in one tick', async () => {
    const server = create()
    server.setTools([])
    const peers = [await openPeer(server), await openPeer(server)]
    for (let index = 0; index < 50; index++) server.addTool(tool(`t${index}`))
    server.removeTool('t0')
    await settled()
    for (const peer of peers) {
      expect(peer.notifications.map(({ method }) => method)).toEqual(['notifications/tools/list_changed'])
    }
  })

  it('does not notify a client without the capability, but affects its next list', async () => {
    const server = create()
    server.setPrompts([])
    const peer = await openPeer(server)
    server.addTool(tool('late'))
    server.addResource({ uri: 'x://y', name: 'y', handler: () => '' })
    server.addPrompt({ name: 'p', handler: () => 'hi' })
    await settled()
    expect(peer.notifications.map(({ method }) => method)).toEqual(['notifications/prompts/list_changed'])
    expect((await peer.request('tools/list')).result).toMatchObject({ tools: [{ name: 'late' }] })
  })

  it('sends one notification for resources and templates, and another for prompts', async () => {
    const server = create()
    server.setResources([])
    server.setPrompts([])
    const peer = await openPeer(server)
    server.addResource({ uri: 'x://y', name: 'y', handler: () => '' })
    server.addResourceTemplate({ uriTemplate: 'x://{a}', name: 'a', handler: ({ a }) => a })
    server.addPrompt({ name: 'p', handler: () => 'hi' })
    await settled()
    expect(
      peer.notifications.map(({ method }) => String(method)).toSorted((a, b) => a.localeCompare(b)),
    ).toEqual(['notifications/prompts/list_changed', 'notifications/resources/list_changed'])
  })

  it('takes effect in the next list', async () => {
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

describe('server.add', () => {
  it('rejects definitions that were not created by a define function', () => {
    expect(() => create().add({ name: 'a', handler: () => 'x' } as never)).toThrow(
      /server\.add takes what defineTool.*ERR_MCP_INVALID_DEFINITION/,
    )
  })

  it('registers definitions of all kinds', async () => {
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
  it('opens once, for the first client, and is disposed when the server closes', async () => {
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

describe('a lifespan that fails to open', () => {
  it.each([
    ['at once', () => { throw new Error('canary') }], // prettier-ignore
    ['later', () => Promise.reject(new Error('canary'))],
  ])('is opened again for the next client if it fails %s', async (_, open) => {
    let fails = true
    const server = create({ lifespan: () => (fails ? open() : { db: 'db' }), logger: silent })
    const refused = await openPeer(server)
    expect(refused.initialized.error).toMatchObject({ code: -32603 })
    expect(JSON.stringify(refused.initialized)).not.toContain('canary')
    fails = false
    expect((await openPeer(server)).initialized.result).toMatchObject({ serverInfo: info })
  })
})

describe('server.close', () => {
  it('disposes the lifespan even if a mount fails to close', async () => {
    let disposed = false
    const server = create({ lifespan: () => ({ [Symbol.dispose]: () => void (disposed = true) }) })
    await openPeer(server)
    const broken = {
      closed: new Promise<void>(() => {}),
      close: () => Promise.reject(new Error('stuck')),
      gauges: () => NOTHING_HELD,
    }
    server.runtime.attach(broken)
    await expect(server.close()).rejects.toThrow('stuck')
    expect(disposed).toBe(true)
  })

  it('is called by `asyncDispose`, which waits for it to finish', async () => {
    const events: string[] = []
    const end = async (): Promise<void> => {
      await settled()
      events.push('disposed')
    }
    const server = create({ lifespan: () => ({ [Symbol.asyncDispose]: end }) })
    await openPeer(server)
    await server[Symbol.asyncDispose]()
    expect(events).toEqual(['disposed'])
    await expect(openPeer(server)).rejects.toThrow(/ERR_MCP_CLOSED/)
  })

  it('detaches telemetry once, and unsubscribes once from observed sources', async () => {
    const detach = vi.fn()
    const unsubscribe = vi.fn()
    const telemetry = { attach: () => detach, received: () => undefined, sent: () => undefined }
    const server = create({ telemetry: telemetry as never })
    server.observe({ tools: () => [tool('a')], onChange: () => unsubscribe })
    for (let time = 0; time < 2; time++) await server.close()
    expect(detach).toHaveBeenCalledTimes(1)
    expect(unsubscribe).toHaveBeenCalledTimes(1)
  })

  it('closes open connections, and refuses new ones', async () => {
    const server = create()
    await openPeer(server)
    await server.close()
    await expect(openPeer(server)).rejects.toThrow(/ERR_MCP_CLOSED/)
  })
})

describe('an McpServer with `logging: false`', () => {
  it('neither sends log messages nor accepts logging/setLevel requests', async () => {
    const server = create({ logging: false })
    server.addTool({ name: 'chatty', handler: (_, ctx) => ctx.log.emergency('fire') })
    const peer = await openPeer(server)
    expect((await peer.request('logging/setLevel', { level: 'debug' })).error).toMatchObject({ code: -32601 })
    await peer.request('tools/call', { name: 'chatty' })
    await settled()
    expect(peer.notifications).toEqual([])
  })
})

describe('invalid listeners and middleware', () => {
  it.each<[string, (server: McpServer) => unknown, string]>([
    ['an unknown event', (s) => s.on('nothing' as 'reject', () => {}), 'server.on takes one of'],
    ['a missing listener', (s) => s.on('reject', 1 as never), 'server.on takes one of'],
    ['missing middleware', (s) => s.use('ping', 1 as never), 'server.use needs a function of (ctx, next)'],
  ])('are rejected: %s', (_, act, message) => {
    expect(() => act(create())).toThrow(message)
  })
})

describe('server.use', () => {
  it('sends the client an error if middleware returns nothing, and logs a remedy', async () => {
    const { logger, logged } = recordingLogger()
    const server = create({ logger })
    server.addTool(tool('t'))
    server.use(async (_ctx, next) => {
      await next()
      return undefined as never
    })
    const peer = await openPeer(server)
    expect((await peer.request('ping')).error).toMatchObject({ code: -32603 })
    expect((await peer.request('tools/call', { name: 't' })).result).toMatchObject({ isError: true })
    expect(logged.join('\n')).toMatch(/around ping returned no result: return the result of next\(\)/)
  })

  it('accepts middleware that does not return a promise', async () => {
    const server = create()
    server.use('ping', () => ({ early: true }) as never)
    expect((await (await openPeer(server)).request('ping')).result).toEqual({ early: true })
  })

  it('rejects an unknown method name, and lists the known ones', () => {
    const through = async <R>(_: unknown, next: () => Promise<R>): Promise<R> => next()
    expect(() => create().use('tool/call' as 'tools/call', through)).toThrow(
      /"tool\/call".*tools\/call.*ERR_MCP_OPTION/,
    )
    expect(() => create().use('initialize' as 'ping', through)).toThrow(/ERR_MCP_OPTION/)
    expect(() => create().use(undefined as never)).toThrow(/ERR_MCP_OPTION/)
  })

  it('wraps a single named method, or all methods if none is named', async () => {
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
    expect((await peer.request('tools/call', { name: 't' })).result).toMatchObject({ _meta: { by: 'test' } })
    expect((await peer.request('tools/list')).result).toMatchObject({ tools: [{ name: 't' }] })
    expect(seen).toEqual(['tools/call', 'tools/list'])
  })
})

describe('errors in handlers', () => {
  it.each([
    ['an onError that throws', { onError: () => { throw new Error('hook') } }], // prettier-ignore
    ['an onError that rejects', { onError: (): unknown => Promise.reject(new Error('hook')) }],
    ['a logger that throws', { logger: failingLogger }],
  ] satisfies [string, ServerOptions][])('lead to an error response despite %s', async (_, options) => {
    const server = create({ logger: silent, ...options })
    server.addTool({ name: 'sync', handler: () => { throw new Error('secret') } }) // prettier-ignore
    server.addTool({ name: 'async', handler: async () => Promise.reject(new Error('secret')) })
    const peer = await openPeer(server)
    for (const name of ['sync', 'async'])
      expect((await peer.request('tools/call', { name })).result).toMatchObject({ isError: true })
    expect((await peer.request('ping')).result).toEqual({})
  })

  it('are passed to `onError` with the reference sent to the client, and are logged', async () => {
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
