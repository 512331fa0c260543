import {
  deferred,
  initialize,
  INITIALIZED,
  MODERN,
  notification,
  ping,
  request,
  requestMeta,
  settled,
} from '@jetway-apps/test-support'
import { describe, expect, it } from 'vitest'
import { type Bus, CHANGES_TOPIC } from '../../src/stores/bus.ts'
import { serveTransport } from '../../src/duplex/connection.ts'
import { complete } from '../../src/call/result.ts'
import { gatedTool } from '../support/gated-tool.ts'
import { createTestRuntime, type TestRuntime } from '../support/runtime.ts'
import { ScriptedTransport } from '../support/transport.ts'

const call = (id: string | number, key: string): object => request('tools/call', { key }, id)

type Overrides = Parameters<typeof createTestRuntime>[1]

interface Connected extends ReturnType<typeof gatedTool> {
  readonly runtime: TestRuntime
  readonly transport: ScriptedTransport
  readonly connection: ReturnType<typeof serveTransport>
}

/** A connection before `initialize`. */
function connect(overrides?: Overrides): Connected {
  const tool = gatedTool()
  const runtime = createTestRuntime({ 'tools/call': tool.entry }, overrides)
  const transport = new ScriptedTransport()
  return { ...tool, runtime, transport, connection: serveTransport(runtime, transport) }
}

const cancel = (requestId: unknown): object => notification('notifications/cancelled', { requestId })

/** A connection whose session is open. */
async function open(overrides?: Overrides, version?: string): Promise<Connected> {
  const connected = connect(overrides)
  await connected.transport.receive(initialize(version))
  connected.transport.sent.length = 0
  return connected
}

describe('initialize, https://modelcontextprotocol.io/specification/2025-11-25/basic/lifecycle', () => {
  it('returns the requested version, the capabilities and the server info', async () => {
    const { transport } = connect({ instructions: () => 'read me' })
    await transport.receive(initialize('2025-03-26'))
    expect(transport.sent).toEqual([
      {
        jsonrpc: '2.0',
        id: 1,
        result: {
          protocolVersion: '2025-03-26',
          capabilities: { tools: { listChanged: true } },
          serverInfo: { name: 'test', version: '1' },
          instructions: 'read me',
        },
      },
    ])
  })

  it('delays later messages until the session is open, and then handles them in order', async () => {
    const lifespan = deferred()
    const { transport } = connect({ ready: () => lifespan.promise })
    void transport.receive(initialize())
    void transport.receive(ping(2))
    await settled()
    expect(transport.sent).toEqual([])
    lifespan.resolve()
    await settled()
    expect(transport.sent).toMatchObject([{ id: 1 }, { id: 2, result: {} }])
  })

  it('must come before every message except a ping', async () => {
    const { started, transport } = connect()
    await transport.receive(call(1, 'a'))
    await transport.receive(ping(2))
    expect(transport.sent).toMatchObject([
      { id: 1, error: { code: -32600 } },
      { id: 2, result: {} },
    ])
    expect(started).toEqual([])
  })

  it('is rejected if the session is already open, and leaves the session unchanged', async () => {
    const { transport } = await open({}, '2025-06-18')
    await transport.receive(initialize('2024-11-05', { id: 5 }))
    await transport.receive(ping(6))
    expect(transport.sent).toMatchObject([
      { id: 5, error: { code: -32600 } },
      { id: 6, result: {} },
    ])
  })

  it.each([
    ['a missing version', {}],
    ['capabilities that are not an object', { protocolVersion: '2025-11-25', capabilities: [] }],
    ['a clientInfo of 20 KiB', { protocolVersion: '2025-11-25', clientInfo: { name: 'x'.repeat(20_000) } }],
  ])('returns error -32602 for %s', async (_, params) => {
    const { transport } = connect()
    await transport.receive({ ...initialize(), params })
    expect(transport.sent).toMatchObject([{ id: 1, error: { code: -32602 } }])
  })

  it('returns an error without the cause if the lifespan fails, and can then be retried', async () => {
    let fails = true
    const { transport } = connect({ ready: () => (fails ? Promise.reject(new Error('canary')) : undefined) })
    await transport.receive(initialize())
    expect(JSON.stringify(transport.sent)).not.toContain('canary')
    fails = false
    await transport.receive(initialize('2025-11-25', { id: 2 }))
    expect(transport.sent).toMatchObject([
      { id: 1, error: { code: -32603 } },
      { id: 2, result: {} },
    ])
  })
})

describe('an unreadable message', () => {
  it.each([
    ['text that is not JSON', '{', -32700],
    ['an array in a revision without batches', [call(1, 'a')], -32600],
    ['a message without a version', { id: 3, method: 'ping' }, -32600],
  ])('causes an error response, and does not affect the next message: %s', async (_, message, code) => {
    const { transport } = await open()
    await transport.receive(message)
    await transport.receive(ping(9))
    expect(transport.sent).toMatchObject([{ error: { code } }, { id: 9, result: {} }])
  })
})

describe('concurrent requests', () => {
  it('receive responses in the order in which they finish', async () => {
    const { release, transport } = await open()
    for (const key of ['a', 'b']) void transport.receive(call(key, key))
    release('b')
    await settled()
    release('a')
    await settled()
    expect(transport.sent).toMatchObject([{ id: 'b' }, { id: 'a' }])
  })

  it('receive separate responses even if they share an id', async () => {
    const { release, transport } = await open()
    const keys = Array.from({ length: 12 }, (_, index) => `k${index}`)
    for (const key of keys) void transport.receive(call(1, key))
    for (const key of keys.toReversed()) release(key)
    await settled()
    const answered = transport.sent.map(
      (frame) => (frame as { result: { content: [{ text: string }] } }).result.content[0].text,
    )
    expect(answered.toSorted()).toEqual(keys.map((key) => `${key} in a session`).toSorted())
  })

  it('receive a "busy" error if all limits are exceeded', async () => {
    const { transport } = await open({ limits: { running: 1, inFlight: 1 } })
    void transport.receive(call(1, 'a'))
    void transport.receive(call(2, 'b'))
    expect(transport.sent).toMatchObject([{ id: 2, error: { code: -32603 } }])
  })
})

describe('cancellation, https://modelcontextprotocol.io/specification/2025-11-25/basic/utilities/cancellation', () => {
  it('ends the given call without a response', async () => {
    const { release, transport } = await open()
    void transport.receive(call(1, 'a'))
    void transport.receive(call('1', 'b'))
    await transport.receive(cancel(1))
    release('a')
    release('b')
    await settled()
    expect(transport.sent).toMatchObject([{ id: '1' }])
  })

  it.each([
    ['an unknown id', 99],
    ['a missing id', undefined],
    ['a finished call', 5],
  ])('is ignored for %s', async (_, id) => {
    const { release, transport } = await open()
    void transport.receive(call(5, 'done'))
    release('done')
    await settled()
    void transport.receive(call(1, 'a'))
    await transport.receive(cancel(id))
    release('a')
    await settled()
    expect(transport.sent).toMatchObject([{ id: 5 }, { id: 1 }])
  })

  it('is ignored if several running calls have the same id', async () => {
    const { release, transport } = await open()
    for (const key of ['a', 'b']) void transport.receive(call(1, key))
    await transport.receive(cancel(1))
    for (const key of ['a', 'b']) release(key)
    await settled()
    expect(transport.sent).toHaveLength(2)
  })
})

describe('batches, https://modelcontextprotocol.io/specification/2025-03-26/basic#batching', () => {
  it('receive a single array, which has no entries for notifications', async () => {
    const { transport } = await open({}, '2025-03-26')
    await transport.receive([ping(1), INITIALIZED, ping(2)])
    expect(transport.sent).toMatchObject([[{ id: 1 }, { id: 2 }]])
  })

  it('count towards the in-flight limit, which pauses reading', async () => {
    const { release, transport } = await open({ limits: { running: 1, inFlight: 2 } }, '2025-03-26')
    const held = transport.receive([call(1, 'a'), call(2, 'b')])
    expect(held).toBeInstanceOf(Promise)
    for (const key of ['a', 'b']) {
      release(key)
      await settled()
    }
    await held
    expect(transport.sent).toMatchObject([[{ id: 1 }, { id: 2 }]])
  })

  it('still receive the other responses if one of the calls is cancelled', async () => {
    const { release, transport } = await open({}, '2025-03-26')
    await transport.receive([call(1, 'a'), call(2, 'b')])
    await transport.receive(cancel(1))
    release('b')
    await settled()
    expect(transport.sent).toMatchObject([[{ id: 2 }]])
  })

  it.each([
    ['no messages', 0],
    ['101 messages', 101],
  ])('are rejected if they contain %s', async (_, length) => {
    const { transport } = await open({}, '2025-03-26')
    await transport.receive(Array.from({ length }, (__, id) => ping(id)))
    expect(transport.sent).toMatchObject([{ error: { code: -32600 } }])
  })
})

describe('change notifications', () => {
  it('reach the client, unless they concern resources without a subscription', async () => {
    const { runtime, transport } = await open()
    await runtime.bus.publish(CHANGES_TOPIC, { kind: 'tools' })
    await runtime.bus.publish(CHANGES_TOPIC, { kind: 'resource', uri: 'x://y' })
    expect(transport.sent).toEqual([{ jsonrpc: '2.0', method: 'notifications/tools/list_changed' }])
  })

  it('are not sent before initialize', async () => {
    const { runtime, transport } = connect()
    await runtime.bus.publish(CHANGES_TOPIC, { kind: 'tools' })
    expect(transport.sent).toEqual([])
  })
})

describe('a 2026-07-28 request that arrives before the server is ready', () => {
  it('is delayed, and pauses reading', async () => {
    const { promise: ready, resolve } = deferred()
    const { started, release, transport } = connect({ ready: () => ready })
    let reads = false
    const params = { key: 'a', _meta: requestMeta({}, MODERN) }
    const read = Promise.resolve(transport.receive(request('tools/call', params, 7)))
    void read.then(() => (reads = true))
    await settled()
    expect([reads, started]).toEqual([false, []])
    resolve()
    await read
    expect(started).toEqual(['a'])
    release('a')
    await settled()
    expect(transport.sent).toMatchObject([{ id: 7, result: {} }])
  })
})

describe('a slow client', () => {
  /** A transport whose peer, from the first write on, does not catch up until the test says so. */
  class SlowTransport extends ScriptedTransport {
    caughtUp: (() => void) | undefined
    override send(message: string): void | Promise<void> {
      void super.send(message)
      return new Promise((resolve) => (this.caughtUp = resolve))
    }
  }

  async function openSlow(runtime: TestRuntime): Promise<SlowTransport> {
    const transport = new SlowTransport()
    serveTransport(runtime, transport)
    void transport.receive(initialize())
    await settled()
    transport.caughtUp?.()
    await settled()
    transport.sent.length = 0
    return transport
  }

  it('receives every response, but only the log messages sent before it became slow', async () => {
    const runtime = createTestRuntime({
      'tools/call': {
        handle: (_, ctx) => {
          for (let index = 0; index < 1_000; index++) ctx.log.error(index)
          return complete({ content: [] })
        },
      },
    })
    const transport = await openSlow(runtime)
    void transport.receive(call(1, 'a'))
    expect(transport.sent).toMatchObject([{ params: { data: 0 } }, { id: 1 }])
  })

  it('receives every notification that the handler awaits', async () => {
    const runtime = createTestRuntime({
      'tools/call': {
        handle: async (_, ctx) => {
          for (let index = 1; index <= 3; index++) await ctx.progress(index)
          return complete({ content: [] })
        },
      },
    })
    const transport = await openSlow(runtime)
    void transport.receive({ ...call(1, 'a'), params: { _meta: { progressToken: 1 } } })
    for (let index = 0; index < 4; index++) {
      await settled()
      transport.caughtUp?.()
    }
    await settled()
    expect(transport.sent).toMatchObject([
      { params: { progress: 1 } },
      { params: { progress: 2 } },
      { params: { progress: 3 } },
      { id: 1 },
    ])
  })

  it('receives each change notification once after it catches up', async () => {
    const runtime = createTestRuntime({})
    const transport = await openSlow(runtime)
    void transport.receive(ping(1))
    for (let index = 0; index < 100; index++) await runtime.bus.publish(CHANGES_TOPIC, { kind: 'tools' })
    expect(transport.sent).toMatchObject([{ id: 1 }])
    transport.caughtUp?.()
    await settled()
    expect(transport.sent).toMatchObject([{ id: 1 }, { method: 'notifications/tools/list_changed' }])
  })
})

const ENDED = { code: -32603, message: 'The server ended the call' }

describe('closing a connection', () => {
  it('lets running calls finish, rejects new calls, and then closes the transport', async () => {
    const { connection, release, transport } = await open()
    void transport.receive(call(1, 'a'))
    const closing = connection.close()
    void transport.receive(call(2, 'b'))
    expect(transport.ended).toBe(false)
    release('a')
    await closing
    await connection.closed
    expect(transport.sent).toMatchObject([
      { id: 2, error: { code: -32603 } },
      { id: 1, result: {} },
    ])
    expect(transport.ended).toBe(true)
  })

  it('ignores later messages in both directions', async () => {
    const { connection, runtime, transport } = await open()
    await connection.close()
    for (const message of [ping(2), '{', initialize()]) await transport.receive(message)
    await runtime.bus.publish(CHANGES_TOPIC, { kind: 'tools' })
    expect(transport.sent).toEqual([])
  })

  it('ends running calls at the deadline, and then resolves for all callers', async () => {
    const { connection, runtime, transport } = await open()
    void transport.receive(call(1, 'a'))
    const closing = [connection.close({ deadline: 1_000 }), connection.close()]
    await runtime.clock.advance(1_000)
    await Promise.all(closing)
    expect(transport.sent).toMatchObject([{ id: 1, error: ENDED }])
    expect(transport.ended).toBe(true)
    expect(runtime.clock.pending).toBe(0)
  })

  it('uses the earliest deadline if close() is called several times', async () => {
    const { connection, runtime, transport } = await open()
    void transport.receive(call(1, 'a'))
    const closing = connection.close({ deadline: 60_000 })
    void connection.close({ deadline: 100 })
    await runtime.clock.advance(100)
    await closing
    expect(runtime.clock.pending).toBe(0)
  })

  it('gives running calls two seconds when the peer closes the connection', async () => {
    const { connection, release, runtime, transport } = await open()
    void transport.receive(call(1, 'quick'))
    void transport.receive(call(2, 'slow'))
    transport.end()
    release('quick')
    await settled()
    await runtime.clock.advance(2_000)
    await connection.closed
    expect(transport.sent).toMatchObject([
      { id: 1, result: {} },
      { id: 2, error: ENDED },
    ])
  })
})

describe('a failing transport', () => {
  const broken = new Error('broken pipe')

  it.each([
    ['throws', () => { throw broken }], // prettier-ignore
    ['rejects', () => Promise.reject(broken)],
  ])('closes the connection if a write %s, without an unhandled rejection', async (_, fail) => {
    const { connection, release, runtime, transport } = await open()
    void transport.receive(call(1, 'a'))
    transport.send = fail
    await transport.receive(ping(2))
    await runtime.bus.publish(CHANGES_TOPIC, { kind: 'tools' })
    await transport.receive('{')
    release('a')
    await connection.closed
    expect(transport.ended).toBe(true)
    expect(runtime.logs.filter((line) => line.startsWith('The transport failed'))).toHaveLength(1)
  })

  it.each([
    ['is closed', (transport: ScriptedTransport) => transport.end()],
    [
      'fails to write',
      (transport: ScriptedTransport) => {
        transport.send = () => {
          throw broken
        }
        void transport.receive(ping(2))
      },
    ],
  ])('is unsubscribed from change notifications after it %s', async (_, end) => {
    const listeners = new Set<unknown>()
    const bus: Bus = {
      publish: () => {},
      subscribe: (_topic, listener) => (listeners.add(listener), () => listeners.delete(listener)),
    }
    const { connection, transport } = await open({ bus })
    expect(listeners.size).toBe(1)
    end(transport)
    await connection.closed
    expect(listeners.size).toBe(0)
  })

  it('counts as closed even if its close() fails', async () => {
    const { connection, runtime, transport } = await open()
    transport.close = () => Promise.reject(broken)
    transport.end()
    await connection.closed
    await connection.close()
    expect(runtime.logs).toEqual(['A transport failed to close ["err"]'])
  })

  it('leaves nothing running if start() throws', async () => {
    const runtime = createTestRuntime({})
    const transport = new ScriptedTransport()
    transport.start = () => {
      throw broken
    }
    expect(() => serveTransport(runtime, transport)).toThrow(broken)
    await runtime.mounts[0]?.closed
    expect(transport.ended).toBe(false)
  })

  it('is not started on a closed server', () => {
    const refuse = (): never => {
      throw new Error('closed')
    }
    let started = false
    const transport = new ScriptedTransport()
    transport.start = () => void (started = true)
    expect(() => serveTransport(createTestRuntime({}, { attach: refuse }), transport)).toThrow('closed')
    expect(started).toBe(false)
  })
})
