import { settled } from '@jetway-apps/test-support'
import type { JsonObject } from '@jetway/core/protocol'
import { describe, expect, it, vi } from 'vitest'
import { Client } from '../../src/client/client.ts'
import { SessionLostError } from '../../src/errors.ts'
import { Method, Notification } from '../support/dates.ts'
import { FakeTransport } from '../support/fake-transport.ts'
import {
  INFO,
  modern,
  scripted,
  type Script,
  type ScriptedServer,
  sessions,
  listener,
  timed,
} from '../support/scripted.ts'

const SUBSCRIPTION = 'io.modelcontextprotocol/subscriptionId'

function acknowledge(server: ScriptedServer, { id, params }: JsonObject, agreed?: object): void {
  const { notifications } = params as { notifications: object }
  server.notify(Notification.Acknowledged, {
    _meta: { [SUBSCRIPTION]: id },
    notifications: agreed ?? notifications,
  })
}

const listening = (agreed?: object): Script => ({
  ...modern(),
  [Method.Listen]: (message, server) => acknowledge(server, message, agreed),
})
const filters = (server: ScriptedServer): unknown[] =>
  server.of(Method.Listen).map(({ params }) => (params as { notifications: unknown }).notifications)

describe('a client whose server has no sessions', () => {
  it('does not subscribe if there are no listeners', async () => {
    const { client, server } = await scripted(listening())
    client.on('error', () => {})
    client.on('log', () => {})
    await settled()
    expect(server.of(Method.Listen)).toEqual([])
  })

  it('opens only one subscription, and replaces it without a gap', async () => {
    const { client, server } = await scripted(listening())
    const changed = vi.fn<() => void>()
    const updated = vi.fn<(event: object) => void>()
    const gap = listener(client, 'changesMissed')
    const off = client.on('toolsChanged', changed)
    await server.hears(Method.Listen)
    await settled()
    expect(gap).toHaveBeenCalledTimes(1)
    client.on('resourceUpdated', updated)
    await client.subscribe('note://a')
    expect(filters(server)).toEqual([
      { toolsListChanged: true },
      { toolsListChanged: true, resourceSubscriptions: ['note://a'] },
    ])
    const [first, second] = server.of(Method.Listen).map(({ id }) => id)
    expect(server.of(Notification.Cancelled)).toMatchObject([{ params: { requestId: first } }])
    expect(server.methods.lastIndexOf(Method.Listen)).toBeLessThan(
      server.methods.indexOf(Notification.Cancelled),
    )

    const _meta = (id: unknown): object => ({ _meta: { [SUBSCRIPTION]: id } })
    server.notify(Notification.ToolsListChanged, { ..._meta(first) })
    server.notify(Notification.ToolsListChanged, { ..._meta(second) })
    server.notify(Notification.ResourceUpdated, { uri: 'note://a', ..._meta(second) })
    await settled()
    expect(changed).toHaveBeenCalledTimes(1)
    expect(updated).toHaveBeenCalledWith({ uri: 'note://a' })

    await client.unsubscribe('note://a')
    off()
    await vi.waitFor(() => expect(server.of(Notification.Cancelled)).toHaveLength(3))
    expect(server.of(Method.Listen)).toHaveLength(3)
  })

  it('makes subscribe() reject for a resource that the server does not accept', async () => {
    const { client, server } = await scripted(listening({}))
    await expect(client.subscribe('note://secret')).rejects.toMatchObject({ code: 'not-supported' })
    await client.subscribe('note://secret').catch(() => {})
    expect(server.of(Method.Listen)).toHaveLength(2)
  })

  it('applies the request timeout to subscribe()', async () => {
    const { client, clock } = await timed({ ...modern(), [Method.Listen]: undefined })
    const subscribing = client.subscribe('note://a').catch((error: unknown) => error)
    await settled()
    await clock.advance(60_000)
    expect(await subscribing).toMatchObject({ code: 'timeout' })
    expect(clock.pending).toBe(0)
  })

  it('reopens a subscription that the server ends, and emits changesMissed', async () => {
    const { client, server, clock } = await timed(listening())
    const gap = listener(client, 'changesMissed')
    await client.subscribe('note://a')
    const end = async (): Promise<void> => {
      server.answer(server.of(Method.Listen).at(-1)?.['id'], { resultType: 'complete' })
      await settled()
    }
    await end()
    await clock.advance(999)
    expect(server.of(Method.Listen)).toHaveLength(1)
    await clock.advance(201)
    expect(server.of(Method.Listen)).toHaveLength(2)
    expect(gap).toHaveBeenCalledTimes(1)
    await end()
    await client.close()
    await clock.advance(60_000)
    expect(server.of(Method.Listen)).toHaveLength(2)
    expect(clock.pending).toBe(0)
  })

  it('does not subscribe to a resource again while the subscription is about to be reopened', async () => {
    const { client, server, clock } = await timed(listening())
    await client.subscribe('note://a')
    server.answer(server.of(Method.Listen)[0]?.['id'], { resultType: 'complete' })
    await settled()
    await client.subscribe('note://a')
    expect(server.of(Method.Listen)).toHaveLength(1)
    await clock.advance(1_200)
    const filter = { resourceSubscriptions: ['note://a'] }
    expect(filters(server)).toEqual([filter, filter])
  })

  it('opens a subscription at most 10 times a minute if the server keeps ending it', async () => {
    const { client, server, clock } = await timed({
      ...modern(),
      [Method.Listen]: (message, scriptedServer) => {
        acknowledge(scriptedServer, message)
        return { resultType: 'complete' }
      },
    })
    client.on('toolsChanged', () => {})
    await settled()
    await clock.advance(60_000)
    expect(server.of(Method.Listen).length).toBeGreaterThan(1)
    expect(server.of(Method.Listen).length).toBeLessThanOrEqual(10)
    await client.close()
  })

  it('emits changesMissed if subscribe() is called while the subscription is about to be reopened', async () => {
    const { client, server, clock } = await timed(listening())
    const gap = listener(client, 'changesMissed')
    await client.subscribe('note://a')
    server.answer(server.of(Method.Listen).at(-1)?.['id'], { resultType: 'complete' })
    await settled()
    await client.subscribe('note://b')
    await clock.advance(60_000)
    expect(server.of(Method.Listen)).toHaveLength(2)
    expect(gap).toHaveBeenCalledTimes(1)
  })

  it('does not reopen a subscription after an error response', async () => {
    const { client, server, clock } = await timed({
      ...modern(),
      [Method.Listen]: { error: { code: -32603, message: 'No' } },
    })
    const errors = listener(client, 'error')
    client.on('toolsChanged', () => {})
    await settled()
    await clock.advance(60_000)
    expect(server.of(Method.Listen)).toHaveLength(1)
    expect(errors).toHaveBeenCalledTimes(1)
  })

  it('logs the problem, but emits no error, if the server lacks subscriptions/listen', async () => {
    const { client, server } = await scripted({
      ...modern(),
      [Method.Listen]: { error: { code: -32601, message: 'Method not found' } },
    })
    const errors = listener(client, 'error')
    const logged = listener(client, 'log')
    client.on('toolsChanged', () => {})
    await settled()
    expect(server.of(Method.Listen)).toHaveLength(1)
    expect(errors).not.toHaveBeenCalled()
    expect(logged.mock.calls).toEqual([
      [{ level: 'info', logger: '@jetway/client', data: expect.stringContaining('subscriptions/listen') }],
    ])
    await expect(client.subscribe('note://a')).rejects.toMatchObject({ code: -32601 })
  })

  it('may miss changes to a declared list unless a subscription includes that list', async () => {
    const { client, server, clock } = await timed(listening({ toolsListChanged: true }))
    const missed = (): boolean[] =>
      (['tools', 'prompts', 'resources'] as const).map((list) => client.missesChanges(list))
    expect(missed()).toEqual([true, true, true])
    client.on('toolsChanged', () => {})
    client.on('promptsChanged', () => {})
    // The update is still running, and changesMissed is emitted when it ends.
    expect(missed()).toEqual([false, false, false])
    await settled()
    expect(missed()).toEqual([false, true, true])
    server.answer(server.of(Method.Listen).at(-1)?.['id'], { resultType: 'complete' })
    await settled()
    expect(missed()).toEqual([true, true, true])
    await clock.advance(1_200)
    expect(missed()).toEqual([false, true, true])
  })

  it('cannot miss changes to a list that never changes', async () => {
    const supportedVersions = ['2026-07-28']
    const { client } = await scripted({
      [Method.Discover]: { resultType: 'complete', supportedVersions, capabilities: { tools: {} } },
    })
    expect(client.missesChanges('tools')).toBe(false)
    const { client: other } = await scripted(sessions())
    expect(other.missesChanges('tools')).toBe(false)
    expect(new Client(INFO).missesChanges('tools')).toBe(false)
  })

  it('sends the log level with every request', async () => {
    const { client, server } = await scripted({ ...modern(), [Method.ListTools]: { tools: [] } })
    await client.setLogLevel('warning')
    await client.listTools()
    expect(server.of(Method.ListTools)).toMatchObject([
      { params: { _meta: { 'io.modelcontextprotocol/logLevel': 'warning' } } },
    ])
  })
})

describe('a client whose server has lost the session', () => {
  it('opens a new session, restores its state, and retries the request', async () => {
    let lost = false
    const transport = new FakeTransport(({ method }) => {
      if (method === Method.Initialize) {
        lost = false
        return { result: sessions()[Method.Initialize] as object }
      }
      if (method === Method.Discover) return { error: { code: -32601, message: 'No' } }
      return lost ? new SessionLostError() : { result: { tools: [], content: [] } }
    })
    const client = await new Client(INFO).connect(transport)
    const gap = listener(client, 'changesMissed')
    await client.subscribe('note://a')
    await client.setLogLevel('error')
    transport.sent.length = 0
    lost = true
    const both = await Promise.all([client.callTool('a'), client.callTool('b')])
    expect(both).toHaveLength(2)
    expect(transport.of(Method.Initialize)).toHaveLength(1)
    expect(transport.of(Method.SetLogLevel)).toMatchObject([{ message: { params: { level: 'error' } } }])
    expect(transport.of(Method.Subscribe)).toMatchObject([{ message: { params: { uri: 'note://a' } } }])
    expect(transport.of(Method.CallTool)).toHaveLength(4)
    expect(transport.of(Method.Initialize)[0]?.context.revision).toBeUndefined()
    expect(gap).toHaveBeenCalledTimes(1)
    expect(transport.negotiated).toHaveBeenCalledTimes(2)
  })

  it('rejects the request if the server immediately loses the new session too', async () => {
    const transport = new FakeTransport(({ method }) => {
      if (method === Method.Initialize) return { result: sessions()[Method.Initialize] as object }
      return method === Method.CallTool ? new SessionLostError() : { error: { code: -32601, message: 'No' } }
    })
    const client = await new Client(INFO).connect(transport)
    await expect(client.callTool('a')).rejects.toThrow(SessionLostError)
    expect(transport.of(Method.CallTool)).toHaveLength(2)
  })
})

describe('a request with its own stream', () => {
  const server = (tools: readonly object[] = []): FakeTransport =>
    new FakeTransport(({ method }) => {
      if (method === Method.Discover) return { result: modern()[Method.Discover] as object }
      if (method === Method.ListTools) return { result: { tools } }
      return method === Method.CallTool ? undefined : { result: { contents: [], messages: [] } }
    })

  it('copies parameters with `x-mcp-header` into headers, encoded if necessary', async () => {
    const properties = {
      region: { type: 'string', 'x-mcp-header': 'Region' },
      count: { type: 'integer', 'x-mcp-header': 'Count' },
      dry: { type: 'boolean', 'x-mcp-header': 'Dry' },
      none: { type: 'string', 'x-mcp-header': 'None' },
      lines: { type: 'string', 'x-mcp-header': 'Lines' },
      huge: { type: 'integer', 'x-mcp-header': 'Huge' },
      inner: { type: 'object', properties: { deep: { type: 'string', 'x-mcp-header': 'Deep' } } },
    }
    const transport = server([{ name: 'wetter/größe', inputSchema: { type: 'object', properties } }])
    const client = await new Client(INFO).connect(transport)
    await client.listTools()
    const args = {
      region: 'Hello, 世界',
      count: 42,
      dry: false,
      none: null,
      lines: 'a\r\nAuthorization: b',
      huge: 2 ** 53,
      inner: { deep: ' padded ' },
    }
    const controller = new AbortController()
    const call = client.callTool('wetter/größe', args, { signal: controller.signal })
    const [sent] = transport.of(Method.CallTool)
    expect(sent?.context.headers).toEqual({
      'Mcp-Method': 'tools/call',
      'Mcp-Name': '=?base64?d2V0dGVyL2dyw7bDn2U=?=',
      'Mcp-Param-Region': '=?base64?SGVsbG8sIOS4lueVjA==?=',
      'Mcp-Param-Count': '42',
      'Mcp-Param-Dry': 'false',
      'Mcp-Param-Lines': '=?base64?YQ0KQXV0aG9yaXphdGlvbjogYg==?=',
      'Mcp-Param-Deep': '=?base64?IHBhZGRlZCA=?=',
    })
    expect(sent?.context.revision?.version).toBe('2026-07-28')
    controller.abort(new Error('Enough'))
    await expect(call).rejects.toThrow('Enough')
    await client.readResource('note://a')
    expect(transport.of(Method.ReadResource)[0]?.context.headers).toMatchObject({ 'Mcp-Name': 'note://a' })
  })

  it('is cancelled by closing its stream, without a notification', async () => {
    const transport = server()
    const client = await new Client(INFO).connect(transport)
    const controller = new AbortController()
    const call = client.callTool('x', {}, { signal: controller.signal })
    await settled()
    const signal = transport.of(Method.CallTool)[0]?.context.signal
    expect(signal?.aborted).toBe(false)
    controller.abort(new Error('Enough'))
    await expect(call).rejects.toThrow('Enough')
    expect(signal?.aborted).toBe(true)
    expect(transport.of(Notification.Cancelled)).toEqual([])
  })

  it('fails if its stream ends before the response', async () => {
    const transport = server()
    const client = await new Client(INFO).connect(transport)
    const call = client.callTool('x').catch((error: unknown) => error)
    await settled()
    const id = transport.of(Method.CallTool)[0]?.message['id'] as number
    transport.handlers.requestFailed(id, new Error('The proxy has hung up'))
    expect(await call).toMatchObject({ message: 'The proxy has hung up' })
    expect(client.stats().pending).toBe(0)
  })

  it.each([
    ['an empty header name', { 'x-mcp-header': '' }],
    ['a header name with a space', { 'x-mcp-header': 'a b' }],
    ['a header name with a line break', { 'x-mcp-header': 'a\r\nb' }],
    [
      'the same header twice',
      { properties: { b: { type: 'string', 'x-mcp-header': 'N' } }, 'x-mcp-header': 'n' },
    ],
    ['a header for a number', { type: 'number', 'x-mcp-header': 'N' }],
    ['a header in a subschema', { anyOf: [{ type: 'string', 'x-mcp-header': 'N' }] }],
  ])('cannot call a tool with %s, which is also omitted from the list', async (_, property) => {
    const bad = {
      name: 'bad',
      inputSchema: { type: 'object', properties: { a: { type: 'string', ...property } } },
    }
    const transport = server([bad, { name: 'good', inputSchema: { type: 'object' } }])
    const client = await new Client(INFO).connect(transport)
    const errors = listener(client, 'error')
    expect((await client.listTools()).map(({ name }) => name)).toEqual(['good'])
    expect(errors.mock.calls[0]?.[0].message).toContain('The tool bad is left out')
  })

  it('is retried after listing the tools again if the server rejects its headers', async () => {
    let listed = 0
    const transport = new FakeTransport(({ method }) => {
      if (method === Method.Discover) return { result: modern()[Method.Discover] as object }
      const header = { type: 'string', ...(listed++ > 0 && { 'x-mcp-header': 'Region' }) }
      if (method === Method.ListTools)
        return {
          result: { tools: [{ name: 'x', inputSchema: { type: 'object', properties: { a: header } } }] },
        }
      const sent = transport.of(Method.CallTool).at(-1)?.context.headers?.['Mcp-Param-Region']
      return sent === 'eu'
        ? { result: { content: [] } }
        : { error: { code: -32020, message: 'Header missing' } }
    })
    const client = await new Client(INFO).connect(transport)
    await client.listTools()
    expect(await client.callTool('x', { a: 'eu' })).toEqual({ content: [] })
    expect(transport.of(Method.CallTool)).toHaveLength(2)
    expect(transport.of(Method.ListTools)).toHaveLength(2)
  })
})
