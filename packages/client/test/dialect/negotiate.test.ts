import { FakeClock, requestMeta, settled } from '@jetway-apps/test-support'
import type { JsonObject } from '@jetway/core/protocol'
import { Method, Notification, SESSION_DATES } from '../support/dates.ts'
import { describe, expect, it, vi } from 'vitest'
import { Client } from '../../src/client/client.ts'
import type { ClientOptions } from '../../src/options/options.ts'
import { createEraCache } from '../../src/options/era-cache.ts'
import { ConnectionClosedError, TransportError, UnsupportedRevisionError } from '../../src/errors.ts'
import type { ClientTransport } from '../../src/transport/client-transport.ts'
import { FakeTransport } from '../support/fake-transport.ts'
import {
  INFO,
  metaOf,
  modern,
  type Script,
  scripted,
  ScriptedServer,
  sessions,
  listener,
} from '../support/scripted.ts'

const REFUSED = { error: { code: -32602, message: 'No session' } }

describe('era negotiation', () => {
  it('does not send initialize if the server responds to server/discover', async () => {
    const { client, server } = await scripted({ ...modern(), [Method.ListTools]: { tools: [] } })
    await client.listTools()
    expect(server.methods).toEqual([Method.Discover, Method.ListTools])
    expect(metaOf(server.heard[1])).toMatchObject({
      ...requestMeta(),
      'io.modelcontextprotocol/clientInfo': INFO,
    })
  })

  it.each<[string, JsonObject]>([
    ['an unknown method', { error: { code: -32601, message: 'Method not found' } }],
    ['invalid parameters', REFUSED],
    ['an unknown code', { error: { code: -32000, message: 'Bad Request' } }],
    ['the result of another method', { result: { tools: [] } }],
    ['a malformed result', { result: 'hello' }],
    ['an error without an id', { id: null, error: { code: -32600, message: 'Not initialized' } }],
  ])('falls back to initialize after %s', async (_, answer) => {
    const { client, server } = await scripted({
      ...sessions(),
      [Method.Discover]: ({ id }, own) => own.say({ jsonrpc: '2.0', id, ...answer }),
    })
    expect(client.server?.protocolVersion).toBe('2025-11-25')
    expect(server.methods).toEqual([Method.Discover, Method.Initialize, Notification.Initialized])
  })

  it('retries server/discover with a version that both sides support', async () => {
    let asked = 0
    const { server } = await scripted({
      ...modern(),
      [Method.Discover]: () =>
        asked++ === 0
          ? { error: { code: -32022, message: 'Unsupported', data: { supported: ['2026-07-28'] } } }
          : { supportedVersions: ['2026-07-28'], capabilities: {} },
    })
    expect(server.methods).toEqual([Method.Discover, Method.Discover])
  })

  it('does not retry a request after another error, even if the error names a version', async () => {
    const error = { code: -32000, message: 'No', data: { supported: ['2026-07-28'] } }
    const { client, server } = await scripted({ ...modern(), [Method.ListTools]: { error } })
    await expect(client.listTools()).rejects.toMatchObject({ code: -32000 })
    expect(server.of(Method.ListTools)).toHaveLength(1)
  })

  it('retries server/discover only once', async () => {
    const refusal = { error: { code: -32022, message: 'Unsupported', data: { supported: ['2026-07-28'] } } }
    const server = new ScriptedServer({ [Method.Discover]: refusal, [Method.Initialize]: REFUSED })
    await expect(new Client(INFO).connect(server.transport)).rejects.toMatchObject({ code: -32602 })
    expect(server.methods).toEqual([Method.Discover, Method.Discover, Method.Initialize])
  })

  it.each([-32020, -32021])(
    'does not fall back to initialize after error %i, which only modern servers return',
    async (code) => {
      const server = new ScriptedServer({ [Method.Discover]: { error: { code, message: 'No' } } })
      await expect(new Client(INFO).connect(server.transport)).rejects.toMatchObject({ code })
      expect(server.methods).toEqual([Method.Discover])
    },
  )

  it('sends initialize if the response to server/discover contains only unknown versions', async () => {
    const { client } = await scripted({ ...sessions(), ...modern(['2099-01-01']) })
    expect(client.server?.protocolVersion).toBe('2025-11-25')
  })

  it('sends only one of the two requests if only one era is allowed', async () => {
    const old = await scripted(sessions(), { revisions: ['2025-06-18', '2025-11-25'] })
    expect(old.server.methods).toEqual([Method.Initialize, Notification.Initialized])
    const server = new ScriptedServer(modern(['2099-01-01']))
    const client = new Client(INFO, { revisions: ['2026-07-28'] })
    await expect(client.connect(server.transport)).rejects.toThrow(UnsupportedRevisionError)
    expect(server.methods).toEqual([Method.Discover])
  })
})

/** Starts to connect to a server with this script, with a clock that only the test advances. */
async function attempted(script: Script, options: ClientOptions = {}) {
  const clock = new FakeClock()
  const server = new ScriptedServer(script)
  const attempt = new Client(INFO, { clock, ...options }).connect(server.transport)
  attempt.catch(() => {})
  await settled()
  return { clock, server, attempt }
}

describe('a server that does not respond to server/discover in time', () => {
  it('receives initialize after 3 s, which then determines the era', async () => {
    const { clock, server, attempt } = await attempted({ ...sessions(), [Method.Discover]: undefined })
    await clock.advance(2_999)
    expect(server.methods).toEqual([Method.Discover])
    await clock.advance(1)
    const client = await attempt
    expect(client.server?.protocolVersion).toBe('2025-11-25')
    await settled()
    expect(server.methods).toEqual([Method.Discover, Method.Initialize, Notification.Initialized])
    expect(clock.pending).toBe(0)
  })

  it('may still respond to server/discover later and reject initialize', async () => {
    const { clock, server, attempt } = await attempted({
      ...modern(),
      [Method.Discover]: undefined,
      [Method.Initialize]: { error: { code: -32601, message: 'Method not found' } },
    })
    await clock.advance(3_000)
    expect(server.methods).toEqual([Method.Discover, Method.Initialize])
    server.answer(1, { supportedVersions: ['2026-07-28'], capabilities: {} })
    expect((await attempt).server?.protocolVersion).toBe('2026-07-28')
    expect(clock.pending).toBe(0)
  })

  it('may respond to both requests late, in which case the first response counts', async () => {
    const { clock, server, attempt } = await attempted({ [Method.ListTools]: { tools: [] } })
    await clock.advance(3_000)
    server.answer(1, { supportedVersions: ['2026-07-28'], capabilities: { tools: {} } })
    server.answer(2, { protocolVersion: '2025-11-25', capabilities: {}, serverInfo: INFO })
    const client = await attempt
    await client.listTools()
    expect(client.server?.protocolVersion).toBe('2026-07-28')
    expect(metaOf(server.of(Method.ListTools)[0])).toHaveProperty(['io.modelcontextprotocol/protocolVersion'])
    expect(server.methods).not.toContain(Notification.Initialized)
  })

  it('makes connect fail after `connectTimeoutMs`, without sending a cancellation', async () => {
    const { clock, server, attempt } = await attempted({}, { connectTimeoutMs: 10_000 })
    await clock.advance(10_000)
    await expect(attempt).rejects.toMatchObject({ code: 'timeout' })
    expect(server.methods).toEqual([Method.Discover, Method.Initialize])
    expect(await server.closed).toEqual({ kind: 'end' })
    expect(clock.pending).toBe(0)
  })

  it('receives initialize on a new connection if it closes the first one', async () => {
    const servers: ScriptedServer[] = []
    const target = (): ClientTransport => {
      const server = new ScriptedServer({
        ...sessions(),
        [Method.Discover]: (_, own) => own.close(),
      })
      servers.push(server)
      return server.transport
    }
    const client = await new Client(INFO).connect(target)
    expect(client.server?.protocolVersion).toBe('2025-11-25')
    expect(servers.map(({ methods }) => methods[0])).toEqual([Method.Discover, Method.Initialize])
    expect(client.isAlive).toBe(true)
  })
})

describe('the era cache', () => {
  it("stores the era under the transport's key", async () => {
    const eras = createEraCache()
    const connect = async (): Promise<ScriptedServer> => {
      const server = new ScriptedServer(sessions(), 'node old.js')
      await new Client(INFO, { eras }).connect(server.transport)
      return server
    }
    expect((await connect()).methods[0]).toBe(Method.Discover)
    expect((await connect()).methods[0]).toBe(Method.Initialize)
  })

  it('replaces an era that turns out to be wrong', async () => {
    const eras = createEraCache()
    eras.set('it', 'legacy')
    const target = (): ClientTransport =>
      new ScriptedServer({ ...modern(), [Method.Initialize]: REFUSED }, 'it').transport
    const client = await new Client(INFO, { eras }).connect(target)
    expect(client.server?.protocolVersion).toBe('2026-07-28')
    expect(eras.get('it')).toBe('modern')
  })

  it('stores the eras of 1,024 servers and evicts the oldest', () => {
    const eras = createEraCache()
    for (let i = 0; i < 1_024; i++) eras.set(`server ${i}`, 'modern')
    expect(eras.get('server 0')).toBe('modern')
    eras.set('server 1024', 'modern')
    expect([0, 1, 1_024].map((i) => eras.get(`server ${i}`))).toEqual([undefined, 'modern', 'modern'])
  })
})

describe('a cached era', () => {
  it.each<[string, ClientOptions['revisions'], string[]]>([
    ['is used', undefined, [Method.Initialize, Notification.Initialized]],
    ['is ignored if the client does not speak it', ['2026-07-28'], [Method.Discover]],
  ])('%s', async (_, revisions, methods) => {
    const eras = createEraCache()
    eras.set('it', 'legacy')
    const server = new ScriptedServer({ ...sessions(), ...(revisions && modern()) }, 'it')
    await new Client(INFO, { eras, ...(revisions && { revisions }) }).connect(server.transport)
    await settled()
    expect(server.methods).toEqual(methods)
    expect(eras.get('it')).toBe(revisions === undefined ? 'legacy' : 'modern')
  })

  it('makes connect fail if it is wrong and the transport cannot be recreated', async () => {
    const eras = createEraCache()
    eras.set('it', 'legacy')
    const server = new ScriptedServer({ ...modern(), [Method.Initialize]: REFUSED }, 'it')
    await expect(new Client(INFO, { eras }).connect(server.transport)).rejects.toMatchObject({ code: -32602 })
    expect([server.methods, eras.get('it')]).toEqual([[Method.Initialize], 'legacy'])
  })

  it('is not read if the transport has no key or the cache is disabled', async () => {
    const looked: string[] = []
    const eras = {
      get: (key: string) => void looked.push(`get ${key}`),
      set: (key: string, era: string) => void looked.push(`set ${key} ${era}`),
      delete: () => false,
    } as unknown as NonNullable<ClientOptions['eras']>
    await new Client(INFO, { eras }).connect(new ScriptedServer(modern()).transport)
    await new Client(INFO, { eras: false }).connect(new ScriptedServer(modern(), 'it').transport)
    expect(looked).toEqual([])
    await new Client(INFO, { eras }).connect(new ScriptedServer(modern(), 'it').transport)
    expect(looked).toEqual(['get it', 'set it modern'])
  })
})

describe('initialize', () => {
  it.each(SESSION_DATES)('negotiates %s if the server responds with it', async (date) => {
    const { client, server } = await scripted(sessions(date))
    expect(client.server).toMatchObject({ protocolVersion: date, info: { name: 'scripted' } })
    expect(server.of(Method.Initialize)[0]).toMatchObject({
      params: { protocolVersion: '2025-11-25', clientInfo: INFO, capabilities: {} },
    })
  })

  it('closes the connection if the server responds with an unknown version', async () => {
    const server = new ScriptedServer(sessions('1999-01-01'))
    const failed = await new Client(INFO).connect(server.transport).catch((error: unknown) => error)
    expect(failed).toBeInstanceOf(UnsupportedRevisionError)
    expect(failed).toMatchObject({ offered: ['1999-01-01'] })
    expect(await server.closed).toEqual({ kind: 'end' })
    expect(server.methods).not.toContain(Notification.Initialized)
  })

  it('treats capabilities as empty if they are a string', async () => {
    const answer = { protocolVersion: '2025-11-25', capabilities: 'all', serverInfo: INFO }
    const { client } = await scripted({ ...sessions(), [Method.Initialize]: answer })
    expect(client.server?.capabilities).toEqual({})
  })

  it('is retried with a version that the server names in an error', async () => {
    const { client } = await scripted({
      ...sessions(),
      [Method.Initialize]: ({ params }) => {
        const version = (params as { protocolVersion: string }).protocolVersion
        if (version === '2025-03-26') return { protocolVersion: version, capabilities: {}, serverInfo: INFO }
        return {
          error: { code: -32602, message: 'Unsupported', data: { supported: ['2025-03-26', '2024-11-05'] } },
        }
      },
    })
    expect(client.server?.protocolVersion).toBe('2025-03-26')
  })

  it('is sent only once for concurrent calls to connect', async () => {
    const server = new ScriptedServer(sessions())
    const client = new Client(INFO)
    await Promise.all([1, 2, 3].map(() => client.connect(server.transport)))
    await client.connect(server.transport)
    await settled()
    expect(server.of(Method.Initialize)).toHaveLength(1)
    expect(server.of(Notification.Initialized)).toHaveLength(1)
  })

  it('delivers a notification that arrives before the response', async () => {
    const server = new ScriptedServer({
      ...sessions(),
      [Method.Initialize]: (_, own) => {
        own.notify(Notification.Message, { level: 'info', data: 'starting' })
        return sessions()[Method.Initialize] as never
      },
    })
    const client = new Client(INFO)
    const log = listener(client, 'log')
    await client.connect(server.transport)
    expect(log).toHaveBeenCalledWith({ level: 'info', data: 'starting' })
  })

  it('does not prevent the client from responding to requests that arrive before the response', async () => {
    const server = new ScriptedServer({
      ...sessions(),
      [Method.Initialize]: async (_, own) => {
        own.say({ jsonrpc: '2.0', id: 'p', method: 'ping' })
        own.say({ jsonrpc: '2.0', id: 'q', method: 'elicitation/create', params: { message: 'Who?' } })
        await own.hears(({ id }) => id === 'p')
        await own.hears(({ id }) => id === 'q')
        return sessions()[Method.Initialize] as never
      },
    })
    await new Client(INFO).connect(server.transport)
    expect(server.heard).toContainEqual({ jsonrpc: '2.0', id: 'p', result: {} })
    expect(server.heard).toContainEqual({ jsonrpc: '2.0', id: 'q', result: { action: 'cancel' } })
  })
})

describe('connect', () => {
  it('can be called again after a failure', async () => {
    const client = new Client(INFO)
    await expect(client.connect(new ScriptedServer(sessions('1999-01-01')).transport)).rejects.toThrow()
    expect(client.server).toBeUndefined()
    await client.connect(new ScriptedServer(sessions()).transport)
    expect(client.isAlive).toBe(true)
  })

  it('rejects with the reason of its signal', async () => {
    const server = new ScriptedServer({})
    const controller = new AbortController()
    const connecting = new Client(INFO).connect(server.transport, { signal: controller.signal })
    await server.hears(Method.Discover)
    controller.abort(new Error('Changed my mind'))
    await expect(connecting).rejects.toThrow('Changed my mind')
    expect(await server.closed).toEqual({ kind: 'end' })
  })

  it('rejects when the server disconnects', async () => {
    const server = new ScriptedServer({
      ...sessions(),
      [Method.Initialize]: (_, own) => own.close(),
    })
    await expect(new Client(INFO).connect(server.transport)).rejects.toThrow(ConnectionClosedError)
  })

  it('rejects when the client is closed, and opens no more connections', async () => {
    const servers: ScriptedServer[] = []
    const client = new Client(INFO)
    const connecting = client.connect(() => {
      servers.push(new ScriptedServer({}))
      return (servers.at(-1) as ScriptedServer).transport
    })
    const failed = connecting.catch((error: unknown) => error)
    await vi.waitFor(() => expect(servers[0]?.methods).toEqual([Method.Discover]))
    await client.close()
    expect(await failed).toMatchObject({ code: 'closed', message: 'The client was closed' })
    expect(servers).toHaveLength(1)
    expect(await servers[0]?.closed).toEqual({ kind: 'end' })
    expect(client.stats().pending).toBe(0)
  })

  it('does not create a transport if its signal is already aborted', async () => {
    const target = vi.fn<() => ClientTransport>(() => new ScriptedServer(modern()).transport)
    const signal = AbortSignal.abort(new Error('Too late'))
    await expect(new Client(INFO).connect(target, { signal })).rejects.toThrow('Too late')
    expect(target).not.toHaveBeenCalled()
  })

  it('closes a transport that is created after the signal has been aborted', async () => {
    const server = new ScriptedServer(modern())
    const controller = new AbortController()
    let create = (_transport: ClientTransport): void => {}
    const target = (): Promise<ClientTransport> => new Promise((resolve) => (create = resolve))
    const connecting = new Client(INFO).connect(target, { signal: controller.signal })
    controller.abort(new Error('Too slow'))
    await expect(connecting).rejects.toThrow('Too slow')
    const closed = vi.spyOn(server.transport, 'close')
    create(server.transport)
    await vi.waitFor(() => expect(closed).toHaveBeenCalledOnce())
    expect(server.methods).toEqual([])
  })

  it('does not wait for the transport to start after an abort, and reports an error from its close()', async () => {
    const transport: ClientTransport = {
      streamPerRequest: false,
      start: () => new Promise(() => {}),
      send: () => {},
      close: () => Promise.reject(new Error('It is stuck')),
    }
    const client = new Client(INFO)
    const errors = listener(client, 'error')
    const controller = new AbortController()
    const connecting = client.connect(transport, { signal: controller.signal })
    controller.abort(new Error('Too slow'))
    await expect(connecting).rejects.toThrow('Too slow')
    expect(errors).toHaveBeenCalledExactlyOnceWith(new Error('It is stuck'))
  })

  it('rejects if the client is closed or already has another target', async () => {
    const { client } = await scripted(sessions())
    await expect(client.connect(new ScriptedServer(sessions()).transport)).rejects.toThrow('another target')
    await client.close()
    await expect(client.connect(new ScriptedServer(sessions()).transport)).rejects.toThrow(
      ConnectionClosedError,
    )
  })

  it('must be called before any request, which otherwise rejects with not-connected', async () => {
    const client = new Client(INFO)
    expect(client.isAlive).toBe(false)
    await expect(client.listTools()).rejects.toMatchObject({ code: 'not-connected' })
    await client.close()
  })
})

describe('a transport with a stream per request', () => {
  /**
   * Responds to the handshake of a server with sessions, or throws as the HTTP transport does for an error
   * status.
   */
  const failing = (failure: (method: string) => Error | undefined): FakeTransport =>
    new FakeTransport(({ method }) => failure(String(method)) ?? { result: sessions()[String(method)] })

  it.each([400, 404, 405, 406, 500, 501, 503])('falls back to initialize after status %i', async (status) => {
    const transport = failing((method) =>
      method === Method.Discover ? new TransportError('No', { status }) : undefined,
    )
    const client = await new Client(INFO).connect(transport)
    expect(client.server?.protocolVersion).toBe('2025-11-25')
  })

  it.each([399, 401, 402, 403, 407, 429, undefined])('reports status %s', async (status) => {
    const transport = failing(() => new TransportError('No', status === undefined ? {} : { status }))
    await expect(new Client(INFO).connect(transport)).rejects.toMatchObject({ code: 'transport', status })
    expect(transport.methods).toEqual([Method.Discover])
  })
})
