import { notification } from '@jetway-apps/test-support'
import { type JsonObject, McpError } from '@jetway/core/protocol'
import { describe, expect, it, vi } from 'vitest'
import { Client } from '../../src/client/client.ts'
import type { ClientTransportHandlers } from '../../src/transport/client-transport.ts'
import { Method, Notification } from '../support/dates.ts'
import { FakeTransport } from '../support/fake-transport.ts'
import { INFO, scripted, sessions } from '../support/scripted.ts'

const DONE = { content: [{ type: 'text', text: 'done' }] }

describe('a response', () => {
  it('resolves the request with the same id, and request ids count up from 1', async () => {
    const { client, server } = await scripted(sessions(), { revisions: ['2025-11-25'] })
    const call = client.callTool('x')
    const { id } = await server.hears(Method.CallTool)
    expect([server.heard[0]?.['id'], id]).toEqual([1, 2])
    server.answer(id, DONE)
    expect(await call).toEqual(DONE)
  })

  it('is matched to its request even if the id is a string, as are progress notifications', async () => {
    const { client, server } = await scripted(sessions())
    const onProgress = vi.fn<(report: object) => void>()
    const call = client.callTool('x', {}, { onProgress })
    const { id } = await server.hears(Method.CallTool)
    server.notify(Notification.Progress, { progressToken: String(id), progress: 1 })
    server.answer(String(id), DONE)
    expect(await call).toEqual(DONE)
    expect(onProgress).toHaveBeenCalledExactlyOnceWith({ progress: 1 })
    expect(client.stats().ignored).toMatchObject({ responses: 0, progress: 0 })
  })

  it('may contain unknown members', async () => {
    const { client, server } = await scripted(sessions())
    const call = client.callTool('x')
    const { id } = await server.hears(Method.CallTool)
    server.say({ jsonrpc: '2.0', id, result: DONE, message: 'Not an error', method: undefined })
    expect(await call).toEqual(DONE)
  })
})

describe('data that the protocol does not define', () => {
  it('is preserved in capabilities, members and content types', async () => {
    const capabilities = { tools: { 'com.example/fast': true }, 'com.example/new': { a: 1 } }
    const result = {
      content: [
        { type: 'com.example/hologram', depth: 3 },
        { type: 'text', text: 'x', 'com.example/tone': 'low' },
      ],
      'com.example/cost': 5,
    }
    const { client } = await scripted({
      ...sessions(),
      [Method.Initialize]: {
        protocolVersion: '2025-11-25',
        capabilities,
        serverInfo: { name: 's', version: '1' },
      },
      [Method.CallTool]: result,
    })
    expect(client.server?.capabilities).toEqual(capabilities)
    expect(await client.callTool('x')).toEqual(result)
  })

  it('can be requested with any method and parameters', async () => {
    const { client, server } = await scripted({ ...sessions(), 'com.example/turn': { degrees: 90 } })
    expect(await client.request('com.example/turn', { to: 'left' })).toEqual({ degrees: 90 })
    expect(await server.hears('com.example/turn')).toMatchObject({ params: { to: 'left' } })
    await client.notify('com.example/turned')
    await server.hears('com.example/turned')
  })
})

describe('a custom request from the server', () => {
  it('calls the handler for its method, whatever its id', async () => {
    const ask = vi.fn<(params: object, ctx: { readonly name: string | undefined }) => { depth: number }>(
      () => ({ depth: 7 }),
    )
    const { server } = await scripted(sessions(), {
      name: 'deep',
      handlers: { requests: { 'com.example/ask': ask } },
    })
    for (const id of [0, '', 'a']) {
      server.say({ jsonrpc: '2.0', id, method: 'com.example/ask', params: { at: 'home' } })
      expect(await server.hears((message) => message['id'] === id && 'result' in message)).toMatchObject({
        result: { depth: 7 },
      })
    }
    expect(ask).toHaveBeenCalledWith({ at: 'home' }, expect.objectContaining({ name: 'deep' }))
  })

  it("fails with the handler's error, without internal details", async () => {
    const { server, client } = await scripted(sessions(), {
      handlers: {
        requests: {
          meant: () => {
            throw new McpError(4_711, 'Not today')
          },
          slipped: () => Promise.reject(new Error('secret')),
        },
      },
    })
    client.on('error', () => {})
    for (const [method, error] of [
      ['meant', { code: 4_711, message: 'Not today' }],
      ['slipped', { code: -32603, message: expect.not.stringContaining('secret') }],
      ['toString', { code: -32601 }],
    ] as const) {
      server.say({ jsonrpc: '2.0', id: method, method })
      expect(await server.hears((message) => message['id'] === method && 'error' in message)).toMatchObject({
        error,
      })
    }
  })

  it('cannot use a protocol method', async () => {
    const roots = vi.fn<() => JsonObject>(() => ({ roots: [] }))
    const { server } = await scripted(sessions(), { handlers: { requests: { 'roots/list': roots } } })
    server.say({ jsonrpc: '2.0', id: 1, method: 'roots/list' })
    expect(await server.hears((message) => message['id'] === 1 && 'error' in message)).toMatchObject({
      error: { code: -32601 },
    })
    expect(roots).not.toHaveBeenCalled()
  })
})

describe('a transport', () => {
  /** A transport that delivers messages before it has started. */
  class Eager extends FakeTransport {
    constructor() {
      super(({ method }) => ({ result: method === Method.Initialize ? sessions()[Method.Initialize] : {} }), {
        streamPerRequest: false,
      })
    }
    override start(handlers: ClientTransportHandlers): void {
      super.start(handlers)
      for (const data of ['one', 'two', 'three'])
        void handlers.message(notification('notifications/message', { level: 'info', data }))
    }
  }

  it('may deliver messages while it is starting, and is started only once', async () => {
    const transport = new Eager()
    const client = new Client(INFO, { revisions: ['2025-11-25'] })
    const heard: unknown[] = []
    client.on('log', ({ data }) => void heard.push(data))
    await Promise.all([client.connect(transport), client.connect(transport)])
    await Promise.all(Array.from({ length: 20 }, () => client.ping()))
    expect(heard).toEqual(['one', 'two', 'three'])
    expect(transport.starts).toBe(1)
    await client.close()
  })
})

it('listToolsPage sends a cursor and `_meta`', async () => {
  const { client, server } = await scripted({ ...sessions(), [Method.ListTools]: { tools: [] } })
  await client.listToolsPage('page 2', { _meta: { 'com.example/trace': 'a' } })
  expect((await server.hears(Method.ListTools))['params']).toEqual({
    cursor: 'page 2',
    _meta: { 'com.example/trace': 'a' },
  })
})
