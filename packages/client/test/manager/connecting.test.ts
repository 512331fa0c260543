import { Method } from '@jetway/core/protocol'
import { describe, expect, it } from 'vitest'
import type { ServerConfig } from '../../src/config/server-config.ts'
import type { TransportFactory } from '../../src/transport/client-transport.ts'
import { connected, connectedPair, scriptedTarget, settled, withTools, world } from './support/world.ts'

/** Returns factories that wait until the test releases them, and counts how many wait at the same time. */
function held(kind: 'stdio' | 'remote') {
  let now = 0
  let most = 0
  let waiting: (() => void)[] = []
  return {
    target: () => {
      const { target } = scriptedTarget()
      const own: TransportFactory = async () => {
        most = Math.max(most, ++now)
        await new Promise<void>((resolve) => waiting.push(resolve))
        now--
        return target()
      }
      return kind === 'stdio' ? Object.assign(own, { process: { command: 'none' } }) : own
    },
    now: () => now,
    most: () => most,
    async go() {
      while (waiting.length > 0) {
        for (const resolve of waiting.splice(0)) resolve()
        await settled()
      }
    },
  }
}

const many = (
  count: number,
  prefix: string,
  make: () => TransportFactory,
): Record<string, TransportFactory> =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`${prefix}${index}`, make()]))

describe('connect and connectAll', () => {
  it('connect to at most two processes and five other servers at a time', async () => {
    const { manager } = world()
    const stdio = held('stdio')
    const remote = held('remote')
    const all = manager.connectAll({
      ...many(6, 'p', stdio.target),
      ...many(12, 'r', remote.target),
    })
    await settled()
    expect([stdio.now(), remote.now()]).toEqual([2, 5])
    await remote.go()
    await stdio.go()
    expect(await all).toEqual({ connected: 18, errors: [] })
    expect([stdio.most(), remote.most()]).toEqual([2, 5])
    expect(manager.names()).toHaveLength(18)
  })

  it('accept other limits, but not 0', async () => {
    const { manager } = world({ maxConnecting: { stdio: 1, remote: 2 } })
    const stdio = held('stdio')
    const remote = held('remote')
    const all = manager.connectAll({
      ...many(3, 'p', stdio.target),
      ...many(3, 'r', remote.target),
    })
    await settled()
    expect([stdio.now(), remote.now()]).toEqual([1, 2])
    await stdio.go()
    await remote.go()
    expect(await all).toMatchObject({ connected: 6 })
    expect(() => world({ maxConnecting: { stdio: 0 } })).toThrow(RangeError)
  })

  it('count an unresponsive server towards the limit for only 10 s', async () => {
    const { manager, clock } = world({ maxConnecting: { remote: 2 } })
    const silent = manager.connectAll(many(2, 'silent', () => () => new Promise(() => {})))
    const good = scriptedTarget()
    const connecting = manager.connect('good', good.target)
    await settled()
    await clock.advance(9_999)
    expect(good.servers).toHaveLength(0)
    await clock.advance(1)
    await connecting
    expect(manager.names()).toEqual(['good'])
    await clock.advance(50_000)
    expect(await silent).toMatchObject({ connected: 0 })
    expect(clock.pending).toBe(0)
  })

  it('still enforce the limit after a waiting attempt is aborted', async () => {
    const { manager } = world({ maxConnecting: { remote: 1 } })
    const remote = held('remote')
    const abort = new AbortController()
    const others = manager.connectAll(many(2, 'r', remote.target))
    const aborted = manager.connect('aborted', remote.target(), { signal: abort.signal })
    await settled()
    abort.abort(new Error('Enough'))
    await expect(aborted).rejects.toThrow('Enough')
    await settled()
    expect(remote.now()).toBe(1)
    await remote.go()
    expect(await others).toMatchObject({ connected: 2 })
    expect(remote.most()).toBe(1)
  })

  it('report failures by server name, and connectAll does not reject', async () => {
    const { manager } = world()
    const bad = scriptedTarget()
    bad.down = new Error('refused')
    const config = { transport: 'carrier pigeon' } as unknown as ServerConfig
    const report = await manager.connectAll({
      a: scriptedTarget().target,
      bad: bad.target,
      b: scriptedTarget().target,
      c: scriptedTarget().target,
      pigeon: config,
      nothing: null as unknown as ServerConfig,
      '': scriptedTarget().target,
    })
    expect(report.connected).toBe(3)
    expect(report.errors.map(({ server }) => server)).toEqual(['bad', 'pigeon', 'nothing', ''])
    expect(report.errors.map(({ error }) => error.message)).toEqual([
      'refused',
      expect.stringContaining("A server's transport must"),
      expect.stringContaining('A server must be { command, args }'),
      expect.stringContaining("A server's name is"),
    ])
    expect(manager.names()).toEqual(['a', 'b', 'c'])
  })

  it('make the name available again after a failure', async () => {
    const { manager, clock, events } = world()
    const a = scriptedTarget()
    a.down = new Error('refused')
    await expect(manager.connect('a', a.target)).rejects.toThrow('refused')
    expect(manager.stats().servers).toEqual([])
    expect(clock.pending).toBe(0)
    expect(events).toEqual([])
    a.down = undefined
    await manager.connect('a', a.target)
    expect(events).toEqual([['connected', { server: 'a' }]])
  })

  it('reject a name that is in use, even during the first attempt to connect', async () => {
    const { manager } = world()
    const slow = held('remote')
    const first = manager.connect('a', slow.target())
    await expect(manager.connect('a', scriptedTarget().target)).rejects.toThrow(/server a already/)
    await settled()
    await slow.go()
    await first
    await expect(manager.connect('a', scriptedTarget().target)).rejects.toThrow(/server a already/)
    expect(manager.names()).toEqual(['a'])
  })

  it('accept server names of printable characters, including __proto__ and constructor', async () => {
    const { manager } = world()
    for (const name of ['__proto__', 'constructor', 'a b', 'é:/', 'x'.repeat(128)])
      await manager.connect(name, scriptedTarget(withTools('t')).target)
    expect(manager.names()).toHaveLength(5)
    expect(manager.get('toString')).toBeUndefined()
    expect(await manager.callTool('mcp____proto____t')).toMatchObject({ content: [{ text: 't' }] })
    for (const name of ['', '  ', 'a\nb', 'a\u202Eb', '\uD800', 'x'.repeat(129), 5 as unknown as string])
      await expect(manager.connect(name, scriptedTarget().target)).rejects.toThrow(TypeError)
  })

  it('enforce `maxServers`', async () => {
    const { manager } = world({ maxServers: 2 })
    const report = await manager.connectAll(many(4, 's', () => scriptedTarget().target))
    expect(report).toMatchObject({ connected: 2, errors: [{ server: 's2' }, { server: 's3' }] })
  })

  it('stop when the signal is aborted, which lets the next server connect', async () => {
    const { manager } = world({ maxConnecting: { remote: 1 } })
    const never: TransportFactory = () => new Promise(() => {})
    const first = new AbortController()
    const second = new AbortController()
    const one = manager.connect('one', never, { signal: first.signal })
    const two = manager.connect('two', never, { signal: second.signal })
    const three = manager.connect('three', scriptedTarget().target)
    await settled()
    second.abort(new Error('second'))
    await expect(two).rejects.toThrow('second')
    first.abort(new Error('first'))
    await expect(one).rejects.toThrow('first')
    await three
    expect(manager.names()).toEqual(['three'])
  })

  it('time out if the transport is not created in time, and close a transport that is created later', async () => {
    const { manager, clock } = world({ client: { connectTimeoutMs: 500 } })
    const late = scriptedTarget()
    let open = (): void => {}
    const slow: TransportFactory = async () => {
      await new Promise<void>((resolve) => (open = resolve))
      return late.target()
    }
    const connecting = manager.connect('slow', slow)
    const failed = expect(connecting).rejects.toMatchObject({ code: 'timeout' })
    await settled()
    await clock.advance(500)
    await failed
    open()
    await settled()
    await late.server.closed
    expect(manager.stats().servers).toEqual([])
  })
})

describe('close and closeAll', () => {
  it('cancel running and waiting attempts to connect', async () => {
    const { manager, clock } = world({ maxConnecting: { remote: 1 } })
    const mute = scriptedTarget({ [Method.Discover]: undefined, [Method.Initialize]: undefined })
    const report = manager.connectAll({ mute: mute.target, behind: scriptedTarget().target })
    await settled()
    expect(mute.servers).toHaveLength(1)
    await manager.closeAll()
    await mute.server.closed
    expect(await report).toMatchObject({
      connected: 0,
      errors: [
        { server: 'mute', error: { code: 'unavailable' } },
        { server: 'behind', error: { code: 'unavailable' } },
      ],
    })
    expect(clock.pending).toBe(0)
  })

  it('resolve when everything is closed, and emit no events afterwards', async () => {
    const { manager, events, a } = await connected({ [Method.ListTools]: undefined })
    const { transport } = a.server
    const end = transport.close.bind(transport)
    let ended = false
    transport.close = async () => {
      await settled()
      await end()
      ended = true
    }
    const tools = manager.tools()
    await a.server.hears(Method.ListTools)
    events.length = 0
    await manager.closeAll()
    expect(ended).toBe(true)
    expect(await tools).toEqual([])
    expect(events).toEqual([])
  })

  it('keep a server that connects under the same name while close is running', async () => {
    const { manager } = world()
    const mute = scriptedTarget({ [Method.Discover]: undefined, [Method.Initialize]: undefined })
    const again = manager.connect('a', mute.target).catch(() => manager.connect('a', scriptedTarget().target))
    await settled()
    const { transport } = mute.server
    const end = transport.close.bind(transport)
    transport.close = async () => {
      await settled()
      await end()
    }
    await manager.close('a')
    await again
    expect(manager.names()).toEqual(['a'])
  })

  it('leave other servers connected', async () => {
    const { manager, events, a } = await connectedPair({}, withTools('t'))
    events.length = 0
    expect(await manager.close('a')).toBe(true)
    await a.server.closed
    expect(await manager.close('a')).toBe(false)
    expect(manager.names()).toEqual(['b'])
    expect(await manager.callTool('mcp__b__t')).toMatchObject({ content: [{ text: 't' }] })
    expect(events).toEqual([])
  })

  it('cancel a scheduled reconnect, and leave no events or timers behind', async () => {
    const { manager, clock, events, a } = await connected()
    await a.lose()
    await manager.close('a')
    events.length = 0
    expect(clock.pending).toBe(0)
    await clock.advance(600_000)
    expect(events).toEqual([])
    expect(a.servers).toHaveLength(1)
  })

  it('cancel a running attempt to reconnect', async () => {
    const { manager, clock, events } = world()
    let mute = false
    const a = scriptedTarget()
    const silent = scriptedTarget({ [Method.Discover]: undefined, [Method.Initialize]: undefined })
    await manager.connect('a', () => (mute ? silent : a).target())
    mute = true
    await a.lose()
    await clock.advance(1_000)
    expect(silent.servers).toHaveLength(1)
    await manager.closeAll()
    await silent.server.closed
    events.length = 0
    await clock.advance(600_000)
    expect(events).toEqual([])
    expect(clock.pending).toBe(0)
  })

  it('close each server only once, even if called repeatedly and from a listener', async () => {
    const { manager, clock, events } = world()
    const servers = [scriptedTarget(), scriptedTarget(), scriptedTarget()]
    await manager.connectAll(Object.fromEntries(servers.map(({ target }, at) => [`s${at}`, target])))
    manager.on('reconnecting', async () => manager.closeAll())
    await servers[0]?.server.close()
    await settled()
    const again = manager.closeAll()
    await expect(manager.connect('late', scriptedTarget().target)).rejects.toMatchObject({
      code: 'unavailable',
    })
    await Promise.all([again, manager.closeAll()])
    events.length = 0
    for (const { server } of servers) {
      server.notify('notifications/tools/list_changed')
      await server.closed
    }
    await clock.advance(600_000)
    expect(events).toEqual([])
    expect(manager.names()).toEqual([])
    expect(clock.pending).toBe(0)
  })

  it('leave the manager usable', async () => {
    const { manager, named, a } = await connected(withTools('t'))
    await manager[Symbol.asyncDispose]()
    await manager.connect('a', a.target)
    expect(await manager.callTool('mcp__a__t')).toMatchObject({ content: [{ text: 't' }] })
    expect(named('connected')).toHaveLength(2)
  })
})
