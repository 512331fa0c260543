import { type JsonObject, Method } from '@jetway/core/protocol'
import { describe, expect, it } from 'vitest'
import { SessionLostError, TransportError } from '../../src/errors.ts'
import type { ClientTransport } from '../../src/transport/client-transport.ts'
import type { Script } from '../support/scripted.ts'
import { connected, connectedPair, scriptedTarget, settled, withTools, world } from './support/world.ts'

const DONE = { content: [{ type: 'text', text: 'x' }] }

/** Wraps a transport so that sending a message throws the error that `fail` returns. */
function failing(
  transport: ClientTransport,
  fail: (message: JsonObject) => Error | undefined,
): ClientTransport {
  return {
    streamPerRequest: transport.streamPerRequest,
    start: (handlers) => transport.start(handlers),
    send(message, context) {
      const error = fail(message as unknown as JsonObject)
      if (error !== undefined) throw error
      return transport.send(message, context)
    },
    close: () => transport.close(),
    get alive() {
      return transport.alive ?? true
    },
  }
}

/** Connects to a server whose messages fail with the given errors, keyed by method. */
async function flaky(errors: { [method: string]: Error[] }, script: Script = {}) {
  const a = scriptedTarget({ ...withTools('x'), ...script })
  const made = { ...world(), a, errors }
  await made.manager.connect('a', () =>
    failing(a.target() as ClientTransport, ({ method }) => errors[String(method)]?.shift()),
  )
  return made
}

const unreached = (): TransportError => new TransportError('ECONNREFUSED', { unprocessed: true })

describe('callTool', () => {
  it('calls the tool on its server with the arguments and options', async () => {
    const { manager, a } = await connected(withTools('x'))
    expect(await manager.callTool('mcp__a__x', { n: 1 }, { _meta: { 'test/k': 1 } })).toEqual(DONE)
    expect(await manager.callTool({ server: 'a', tool: 'x', args: { n: 2 } })).toEqual(DONE)
    expect(a.server.of(Method.CallTool).map(({ params }) => params)).toEqual([
      { name: 'x', arguments: { n: 1 }, _meta: { 'test/k': 1 } },
      { name: 'x', arguments: { n: 2 } },
    ])
  })

  it('retries a call that cannot have reached the server', async () => {
    const { manager, named, a, errors } = await flaky({ 'tools/call': [unreached()] })
    expect(await manager.callTool('mcp__a__x')).toEqual(DONE)
    expect(a.server.of(Method.CallTool)).toHaveLength(1)
    expect(named('reconnecting')).toEqual([])
    errors['tools/call'] = [unreached(), unreached()]
    await expect(manager.callTool('mcp__a__x')).rejects.toThrow('ECONNREFUSED')
    expect(a.server.of(Method.CallTool)).toHaveLength(1)
  })

  it('waits for a reconnect, and retries the call on the new connection', async () => {
    const { manager, clock, named, a } = await flaky({ 'tools/call': [unreached()], ping: [unreached()] })
    const call = manager.callTool('mcp__a__x')
    await settled()
    expect(named('reconnecting')).toHaveLength(1)
    await clock.advance(1_000)
    expect(await call).toEqual(DONE)
    expect(a.servers.map((server) => server.of(Method.CallTool).length)).toEqual([0, 1])
    expect(named('reconnected')).toEqual([{ server: 'a', attempt: 1 }])
  })

  it('retries the call on a new connection if the session is lost', async () => {
    const lost = (): Error => new SessionLostError()
    const { manager, clock, named, a } = await flaky({ 'tools/call': [lost(), lost()] })
    const call = manager.callTool('mcp__a__x')
    await settled()
    await clock.advance(1_000)
    expect(await call).toEqual(DONE)
    expect(a.servers.map((server) => server.of(Method.CallTool).length)).toEqual([0, 1])
    expect(named('reconnected')).toHaveLength(1)
  })

  it('retries the call on a new connection if no new session can be opened', async () => {
    const { manager, clock, a, errors } = await flaky({})
    errors['tools/call'] = [new SessionLostError()]
    errors['initialize'] = [
      new TransportError('initialize was answered with HTTP status 404', { status: 404 }),
    ]
    const call = manager.callTool('mcp__a__x')
    await settled()
    await clock.advance(1_000)
    expect(await call).toEqual(DONE)
    expect(a.servers).toHaveLength(2)
  })

  it('does not retry a call that may have been processed', async () => {
    const { manager, clock, named, a } = await connected({ ...withTools('x'), [Method.CallTool]: undefined })
    const call = manager.callTool('mcp__a__x')
    await a.server.hears(Method.CallTool)
    const failed = expect(call).rejects.toMatchObject({
      code: 'closed',
      message: expect.stringMatching(/^The connection to the server a ended .* is not sent again$/),
    })
    await a.server.close()
    await failed
    await clock.advance(1_000)
    expect(named('reconnected')).toHaveLength(1)
    expect(a.server.of(Method.CallTool)).toEqual([])
  })

  it('pings the server instead of retrying a call whose response was lost', async () => {
    const { manager, named, a } = await flaky({
      'tools/call': [new TransportError('The stream ended')],
      ping: [new TransportError('gone', { status: 502 })],
    })
    await expect(manager.callTool('mcp__a__x')).rejects.toThrow('The stream ended')
    await settled()
    expect(named('reconnecting')).toHaveLength(1)
    expect(a.server.of(Method.CallTool)).toEqual([])
  })

  const noAccess = new TransportError('Who are you?', { status: 401 })
  const noCredentials = new TransportError('The vault is closed', { authFailed: true })
  const cut = new TransportError('cut')

  it.each([
    ['an HTTP status about the caller', noAccess, undefined, 0],
    ['missing credentials', noCredentials, undefined, 0],
    ['a failure, if the server answers a ping', cut, undefined, 1],
    ['a failure, if the server rejects the credentials of a ping', cut, noAccess, 0],
    ['a failure, if credentials for a ping are missing', cut, noCredentials, 0],
  ])('does not reconnect to the server after %s', async (_, error, onPing, pings) => {
    const { manager, named, a } = await flaky(
      { 'tools/call': [error], ping: onPing === undefined ? [] : [onPing] },
      { [Method.Ping]: { error: { code: -32601, message: 'no ping' } } },
    )
    await expect(manager.callTool('mcp__a__x')).rejects.toBe(error)
    await settled()
    expect(a.server.of(Method.Ping)).toHaveLength(pings)
    expect(named('reconnecting')).toEqual([])
    expect(await manager.callTool('mcp__a__x')).toEqual(DONE)
  })

  it('does not start a task twice if polling fails', async () => {
    const task = { taskId: 't', status: 'working', createdAt: '', lastUpdatedAt: '', ttl: null }
    const { manager, a } = await flaky(
      { 'tasks/get': Array.from({ length: 10 }, unreached) },
      { [Method.CallTool]: { task } },
    )
    await expect(manager.callTool('mcp__a__x')).rejects.toThrow('ECONNREFUSED')
    expect(a.server.of(Method.CallTool)).toHaveLength(1)
  })

  it('does not retry a call if the answers of a later round cannot be sent', async () => {
    const { manager } = world({ handlers: { elicit: () => ({ action: 'decline' }) } })
    const question = { method: 'elicitation/create', params: { message: 'Sure?', requestedSchema: {} } }
    const a = scriptedTarget({
      [Method.Discover]: {
        resultType: 'complete',
        supportedVersions: ['2026-07-28'],
        capabilities: { tools: {} },
      },
      [Method.ListTools]: { resultType: 'complete', tools: [{ name: 'x', inputSchema: { type: 'object' } }] },
      [Method.CallTool]: {
        resultType: 'input_required',
        inputRequests: { sure: question },
        requestState: 's',
      },
    })
    let calls = 0
    await manager.connect('a', () =>
      failing(a.target() as ClientTransport, ({ method }) =>
        method === 'tools/call' && ++calls === 2 ? unreached() : undefined,
      ),
    )
    await expect(manager.callTool('mcp__a__x')).rejects.toThrow('ECONNREFUSED')
    expect(calls).toBe(2)
  })
})

describe('callTool during a reconnect', () => {
  it('waits until `reconnectWaitMs` has elapsed or the signal is aborted', async () => {
    const { manager, clock, a } = await connected(withTools('x'), { reconnectWaitMs: 900 })
    await manager.tools()
    await a.lose()
    const late = expect(manager.callTool('mcp__a__x')).rejects.toMatchObject({
      code: 'unavailable',
      message: 'The server a is being reconnected, which takes more than 900 ms',
    })
    const stop = new AbortController()
    const stopped = expect(manager.callTool('mcp__a__x', {}, { signal: stop.signal })).rejects.toThrow('stop')
    await settled()
    stop.abort(new Error('stop'))
    await stopped
    await clock.advance(900)
    await late
    const call = manager.callTool('mcp__a__x')
    await clock.advance(100)
    expect(await call).toEqual(DONE)
    expect(clock.pending).toBe(0)
  })

  it('rejects when the server is removed or closed', async () => {
    const { manager, clock, a, b } = await connectedPair(withTools('x'), withTools('x'), {
      reconnect: { maxAttempts: 1 },
    })
    await manager.tools()
    a.down = new Error('down')
    await Promise.all([a.server.close(), b.server.close()])
    await settled()
    const calls = ['a', 'b'].map((server) =>
      expect(manager.callTool({ server, tool: 'x' })).rejects.toMatchObject({
        code: 'unavailable',
        message: server === 'a' ? 'The server a has been removed' : 'The server b has been closed',
      }),
    )
    await settled()
    await manager.close('b')
    await clock.advance(1_000)
    await Promise.all(calls)
  })

  it('rejects if 1,024 calls are already waiting', async () => {
    const { manager, a } = await connected(withTools('x'))
    await manager.tools()
    await a.lose()
    const calls = Array.from({ length: 1_024 }, () => manager.callTool({ server: 'a', tool: 'x' }))
    const all = Promise.allSettled(calls)
    await settled()
    await expect(manager.callTool({ server: 'a', tool: 'x' })).rejects.toThrow(/1024 requests wait for it/)
    await manager.closeAll()
    expect((await all).every(({ status }) => status === 'rejected')).toBe(true)
  })
})
