import { Method } from '@jetway/core/protocol'
import { describe, expect, it } from 'vitest'
import type { ServerConfig } from '../../src/config/server-config.ts'
import { startsProcess } from '../../src/transport/spawned.ts'
import type { Dial } from '../../src/transport/client-transport.ts'
import { scriptedDial, settled, withTools, world } from './support/world.ts'

/** Dials that are held until they are let go, and how many were open at once. */
function held(kind: 'stdio' | 'remote'): {
  readonly dial: () => Dial
  readonly now: () => number
  readonly most: () => number
  readonly go: () => Promise<void>
} {
  let now = 0
  let most = 0
  let waiting: (() => void)[] = []
  return {
    dial: () => {
      const { dial } = scriptedDial()
      const own: Dial = async () => {
        most = Math.max(most, ++now)
        await new Promise<void>((resolve) => waiting.push(resolve))
        now--
        return dial()
      }
      return kind === 'stdio' ? startsProcess(own, { command: 'none' }) : own
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

const many = (count: number, prefix: string, make: () => Dial): Record<string, Dial> =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`${prefix}${index}`, make()]))

describe('connecting many servers', () => {
  it('has two processes and five others in flight at most, both kinds at the same time', async () => {
    const { manager } = world()
    const stdio = held('stdio')
    const remote = held('remote')
    const all = manager.connectAll({ ...many(6, 'p', stdio.dial), ...many(12, 'r', remote.dial) })
    await settled()
    expect([stdio.now(), remote.now()]).toEqual([2, 5])
    await remote.go()
    await stdio.go()
    expect(await all).toEqual({ connected: 18, errors: [] })
    expect([stdio.most(), remote.most()]).toEqual([2, 5])
    expect(manager.names()).toHaveLength(18)
  })

  it('takes other numbers, and none below one', async () => {
    const { manager } = world({ connecting: { stdio: 1, remote: 2 } })
    const stdio = held('stdio')
    const remote = held('remote')
    const all = manager.connectAll({ ...many(3, 'p', stdio.dial), ...many(3, 'r', remote.dial) })
    await settled()
    expect([stdio.now(), remote.now()]).toEqual([1, 2])
    await stdio.go()
    await remote.go()
    expect(await all).toMatchObject({ connected: 6 })
    expect(() => world({ connecting: { stdio: 0 } })).toThrow(RangeError)
  })

  it('never rejects: what fails is told by name, and the others are there', async () => {
    const { manager } = world()
    const bad = scriptedDial()
    bad.down = new Error('refused')
    const config = { transport: 'carrier pigeon' } as unknown as ServerConfig
    const report = await manager.connectAll({
      a: scriptedDial().dial,
      bad: bad.dial,
      b: scriptedDial().dial,
      c: scriptedDial().dial,
      pigeon: config,
      nothing: null as unknown as ServerConfig,
      '': scriptedDial().dial,
    })
    expect(report.connected).toBe(3)
    expect(report.errors.map(({ server }) => server)).toEqual(['bad', 'pigeon', 'nothing', ''])
    expect(report.errors.map(({ error }) => error.message)).toEqual([
      'refused',
      expect.stringContaining("A server's transport is"),
      expect.stringContaining('A server is { command, args }'),
      expect.stringContaining("A server's name is"),
    ])
    expect(manager.names()).toEqual(['a', 'b', 'c'])
  })

  it('leaves nothing of one that fails: its name can be used again', async () => {
    const { manager, clock, events } = world()
    const a = scriptedDial()
    a.down = new Error('refused')
    await expect(manager.connect('a', a.dial)).rejects.toThrow('refused')
    expect(manager.stats().servers).toEqual([])
    expect(clock.waiting).toBe(0)
    expect(events).toEqual([])
    a.down = undefined
    await manager.connect('a', a.dial)
    expect(events).toEqual([['mcp_connected', { server: 'a' }]])
  })

  it('does not take a name twice, also while the first is being connected', async () => {
    const { manager } = world()
    const slow = held('remote')
    const first = manager.connect('a', slow.dial())
    await expect(manager.connect('a', scriptedDial().dial)).rejects.toThrow(/server a already/)
    await settled()
    await slow.go()
    await first
    await expect(manager.connect('a', scriptedDial().dial)).rejects.toThrow(/server a already/)
    expect(manager.names()).toEqual(['a'])
  })

  it('takes names of any printable characters, those of prototypes too', async () => {
    const { manager } = world()
    for (const name of ['__proto__', 'constructor', 'a b', 'é:/', 'x'.repeat(128)])
      await manager.connect(name, scriptedDial(withTools('t')).dial)
    expect(manager.names()).toHaveLength(5)
    expect(manager.get('toString')).toBeUndefined()
    expect(await manager.callTool('mcp____proto____t')).toMatchObject({ content: [{ text: 't' }] })
    for (const name of ['', '  ', 'a\nb', 'a\u202Eb', '\uD800', 'x'.repeat(129), 5 as unknown as string])
      await expect(manager.connect(name, scriptedDial().dial)).rejects.toThrow(TypeError)
  })

  it('has a limit for how many there are', async () => {
    const { manager } = world({ maxServers: 2 })
    const report = await manager.connectAll(many(4, 's', () => scriptedDial().dial))
    expect(report).toMatchObject({ connected: 2, errors: [{ server: 's2' }, { server: 's3' }] })
  })

  it('ends when its signal aborts, and whoever waits behind it has its turn', async () => {
    const { manager } = world({ connecting: { remote: 1 } })
    const never: Dial = () => new Promise(() => {})
    const first = new AbortController()
    const second = new AbortController()
    const one = manager.connect('one', never, { signal: first.signal })
    const two = manager.connect('two', never, { signal: second.signal })
    const three = manager.connect('three', scriptedDial().dial)
    await settled()
    second.abort(new Error('second'))
    await expect(two).rejects.toThrow('second')
    first.abort(new Error('first'))
    await expect(one).rejects.toThrow('first')
    await three
    expect(manager.names()).toEqual(['three'])
  })

  it('gives up on a dial that never comes back, and closes what it opens too late', async () => {
    const { manager, clock } = world({ client: { connectTimeoutMs: 500 } })
    const late = scriptedDial()
    let open = (): void => {}
    const slow: Dial = async () => {
      await new Promise<void>((resolve) => (open = resolve))
      return late.dial()
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

describe('closing', () => {
  it('ends what is being connected, and what waits to be', async () => {
    const { manager, clock } = world({ connecting: { remote: 1 } })
    const mute = scriptedDial({ [Method.Discover]: undefined, [Method.Initialize]: undefined })
    const report = manager.connectAll({ mute: mute.dial, behind: scriptedDial().dial })
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
    expect(clock.waiting).toBe(0)
  })

  it('has ended when it resolves, not before, and tells of nothing that it has cut short', async () => {
    const { manager, events } = world()
    const a = scriptedDial({ [Method.ListTools]: undefined })
    await manager.connect('a', a.dial)
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

  it('of one server is not felt by the others', async () => {
    const { manager, events } = world()
    const a = scriptedDial()
    const b = scriptedDial(withTools('t'))
    await manager.connectAll({ a: a.dial, b: b.dial })
    events.length = 0
    expect(await manager.close('a')).toBe(true)
    await a.server.closed
    expect(await manager.close('a')).toBe(false)
    expect(manager.names()).toEqual(['b'])
    expect(await manager.callTool('mcp__b__t')).toMatchObject({ content: [{ text: 't' }] })
    expect(events).toEqual([])
  })

  it('during a wait to reconnect ends the attempts: no event, no timer', async () => {
    const { manager, clock, events } = world()
    const a = scriptedDial()
    await manager.connect('a', a.dial)
    await a.server.close()
    await settled()
    await manager.close('a')
    events.length = 0
    expect(clock.waiting).toBe(0)
    await clock.advance(600_000)
    expect(events).toEqual([])
    expect(a.servers).toHaveLength(1)
  })

  it('during an attempt to reconnect ends that attempt', async () => {
    const { manager, clock, events } = world()
    let mute = false
    const a = scriptedDial()
    const silent = scriptedDial({ [Method.Discover]: undefined, [Method.Initialize]: undefined })
    await manager.connect('a', () => (mute ? silent : a).dial())
    mute = true
    await a.server.close()
    await settled()
    await clock.advance(1_000)
    expect(silent.servers).toHaveLength(1)
    await manager.closeAll()
    await silent.server.closed
    events.length = 0
    await clock.advance(600_000)
    expect(events).toEqual([])
    expect(clock.waiting).toBe(0)
  })

  it('of all, twice and from a listener, is one closing, after which no event comes', async () => {
    const { manager, clock, events } = world()
    const servers = [scriptedDial(), scriptedDial(), scriptedDial()]
    await manager.connectAll(Object.fromEntries(servers.map(({ dial }, at) => [`s${at}`, dial])))
    manager.on('mcp_reconnecting', async () => manager.closeAll())
    await servers[0]?.server.close()
    await settled()
    const again = manager.closeAll()
    await expect(manager.connect('late', scriptedDial().dial)).rejects.toMatchObject({ code: 'unavailable' })
    await Promise.all([again, manager.closeAll()])
    events.length = 0
    for (const { server } of servers) {
      server.notify('notifications/tools/list_changed')
      await server.closed
    }
    await clock.advance(600_000)
    expect(events).toEqual([])
    expect(manager.names()).toEqual([])
    expect(clock.waiting).toBe(0)
  })

  it('leaves a manager that can be used again', async () => {
    const { manager, named } = world()
    const a = scriptedDial(withTools('t'))
    await manager.connect('a', a.dial)
    await manager[Symbol.asyncDispose]()
    await manager.connect('a', a.dial)
    expect(await manager.callTool('mcp__a__t')).toMatchObject({ content: [{ text: 't' }] })
    expect(named('mcp_connected')).toHaveLength(2)
  })
})
