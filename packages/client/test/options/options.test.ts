import { describe, expect, it } from 'vitest'
import { Client } from '../../src/client/client.ts'
import { resolveOptions } from '../../src/options/options.ts'
import { Method, Notification } from '../support/dates.ts'
import { INFO, modern, scripted, sessions } from '../support/scripted.ts'

describe('the client options', () => {
  it('have defaults', () => {
    expect(resolveOptions({ timeoutMs: undefined } as object)).toEqual({
      handlers: {},
      capabilities: {},
      tasks: false,
      timeoutMs: 60_000,
      maxTotalMs: 300_000,
      connectTimeoutMs: 60_000,
      handlerTimeoutMs: 600_000,
      maxRounds: 8,
      maxPages: 64,
      maxItems: 10_000,
      maxListBytes: 67_108_864,
      strictCapabilities: true,
      validateOutput: true,
      eras: expect.any(Map) as object,
      clock: expect.any(Object) as object,
    })
  })

  it.each([
    ['sampling', 'its name is sample'],
    ['auth', 'it is an option of the transport'],
  ])('reject %s and suggest the correct name', (name, hint) => {
    expect(() => new Client(INFO, { [name]: {} })).toThrow(hint)
  })
})

describe('a client', () => {
  it('has nothing but a name before it is connected', () => {
    const client = new Client(INFO, { name: 'weather' })
    expect([client.name, client.server, client.session, client.isAlive]).toEqual([
      'weather',
      undefined,
      undefined,
      false,
    ])
    const none = { responses: 0, progress: 0, requests: 0, malformed: 0 }
    expect(client.stats()).toEqual({ pending: 0, ignored: none })
  })

  it('is closed at the end of its scope', async () => {
    const { client, server } = await scripted(sessions())
    await client[Symbol.asyncDispose]()
    expect(client.isAlive).toBe(false)
    expect(await server.closed).toEqual({ kind: 'end' })
  })

  it.each([
    ['ping', sessions(), Method.Ping],
    ['server/discover in a revision without ping', modern(), Method.Discover],
  ])('pings the server with %s', async (_, handshake, method) => {
    const { client, server } = await scripted({ ...handshake, [Method.Ping]: {} })
    const before = server.of(method).length
    await client.ping()
    expect(server.of(method)).toHaveLength(before + 1)
  })

  it('sends custom notifications and requests', async () => {
    const { client, server } = await scripted({ ...sessions(), 'example/add': { sum: 3 } })
    expect(await client.request('example/add', { a: 1 }, { _meta: { b: 2 } })).toEqual({ sum: 3 })
    expect(await client.request('example/add')).toEqual({ sum: 3 })
    await client.notify('notifications/example', { a: 1 })
    await client.notify('notifications/example')
    expect(server.of('example/add').map(({ params }) => params)).toEqual([
      { a: 1, _meta: { b: 2 } },
      undefined,
    ])
    expect((await server.hears('notifications/example'))['params']).toEqual({ a: 1 })
    expect(server.of('notifications/example').at(-1)).toEqual({
      jsonrpc: '2.0',
      method: 'notifications/example',
    })
  })

  it.each([
    ['with sessions', sessions(), 1],
    ['without sessions', modern(), 0],
  ])(
    'notifies a server %s that the roots have changed if the revision allows it',
    async (_, handshake, times) => {
      const { client, server } = await scripted({ ...handshake, example: {} })
      await client.rootsChanged()
      await client.request('example')
      expect(server.of(Notification.RootsListChanged)).toHaveLength(times)
    },
  )
})

describe('a capability that the server has not declared', () => {
  const bare = { protocolVersion: '2025-11-25', capabilities: { resources: {} }, serverInfo: {} }

  it.each<[string, (client: Client) => Promise<unknown>]>([
    ['tools', (client) => client.callTool('x')],
    ['tools', (client) => client.startTask('x')],
    ['tools', (client) => client.listToolsPage()],
    ['prompts', (client) => client.getPrompt('x')],
    ['prompts', (client) => client.listPrompts()],
    ['logging', (client) => client.setLogLevel('info')],
    ['resources.subscribe', (client) => client.subscribe('a://b')],
  ])('causes requests that need it to reject: %s', async (capability, request) => {
    const { client, server } = await scripted({ ...sessions(), [Method.Initialize]: bare })
    const before = server.heard.length
    await expect(request(client)).rejects.toMatchObject({
      code: 'not-supported',
      message: expect.stringContaining(capability) as string,
    })
    expect(server.heard).toHaveLength(before)
  })

  it('causes readResource and listResourceTemplates to reject', async () => {
    const { client } = await scripted({
      ...sessions(),
      [Method.Initialize]: { ...bare, capabilities: { prompts: {} } },
    })
    await expect(client.readResource('a://b')).rejects.toMatchObject({ code: 'not-supported' })
    await expect(client.listResourceTemplates()).rejects.toMatchObject({ code: 'not-supported' })
  })
})
