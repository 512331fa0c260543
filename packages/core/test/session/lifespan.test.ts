import { describe, expect, it, vi } from 'vitest'
import { createLifespan, ServerMounts } from '../../src/session/server-mounts.ts'
import { NOTHING_HELD } from '../../src/session/stats.ts'
import type { ServerMount } from '../../src/session/server-runtime.ts'
import { deferred } from '../../src/util/promises.ts'

describe('createLifespan', () => {
  it('is ready immediately if there is no `open` function', async () => {
    const lifespan = createLifespan(undefined)
    expect([lifespan.ready(), lifespan.value()]).toEqual([undefined, undefined])
    await lifespan.close()
  })

  it('opens once, for the first client, and stays ready', async () => {
    const open = vi.fn<() => unknown>(() => ({ db: 1 }))
    const lifespan = createLifespan(open)
    expect([open.mock.calls.length, lifespan.value()]).toEqual([0, undefined])
    const waits = [lifespan.ready(), lifespan.ready()]
    expect(waits[0]).toBe(waits[1])
    await waits[0]
    expect([open.mock.calls.length, lifespan.ready(), lifespan.value()]).toEqual([1, undefined, { db: 1 }])
  })

  it('tries again for the next client after opening has failed', async () => {
    let tries = 0
    const lifespan = createLifespan(() => {
      if (++tries === 1) throw new Error('down')
      return 'up'
    })
    await expect(lifespan.ready()).rejects.toMatchObject({
      code: 'ERR_MCP_LIFESPAN',
      cause: new Error('down'),
    })
    await lifespan.ready()
    expect(lifespan.value()).toBe('up')
  })

  it.each([
    ['both methods', ['async', 'sync'], ['async']],
    ['Symbol.asyncDispose', ['async'], ['async']],
    ['Symbol.dispose', ['sync'], ['sync']],
    ['no dispose method', [], []],
  ])('disposes its value once, with %s', async (_what, has, called) => {
    const calls: string[] = []
    const lifespan = createLifespan(() => ({
      ...(has.includes('async') && { [Symbol.asyncDispose]: async () => void calls.push('async') }),
      ...(has.includes('sync') && { [Symbol.dispose]: () => void calls.push('sync') }),
    }))
    const ready = lifespan.ready()
    await lifespan.close()
    await ready
    expect([calls, lifespan.value()]).toEqual([called, undefined])
    await lifespan.close()
    expect(calls).toEqual(called)
  })

  it.each([null, 'text', undefined])('does nothing on disposal if the value is %j', async (value) => {
    const lifespan = createLifespan(() => value)
    await lifespan.ready()
    await lifespan.close()
    expect(lifespan.value()).toBeUndefined()
  })
})

describe('ServerMounts', () => {
  const mountOf = (change: Partial<ServerMount> = {}) => {
    const { promise: closed, resolve } = deferred()
    const close = vi.fn<(options?: object) => Promise<void>>(async () => resolve())
    const mount = { closed, close, gauges: () => ({ ...NOTHING_HELD, sessions: 2 }), ...change }
    return { mount: mount as unknown as ServerMount, close, resolve, closed }
  }

  it('counts open mounts, but not hidden ones', async () => {
    const mounts = new ServerMounts()
    const [one, hidden] = [mountOf(), mountOf({ isMount: false })]
    for (const { mount } of [one, hidden]) mounts.attach(mount)
    expect([mounts.size, mounts.gauges().sessions, mounts.closed]).toEqual([1, 4, false])
    one.resolve()
    await one.closed
    expect([mounts.size, mounts.gauges().sessions]).toEqual([0, 2])
  })

  it('closes all mounts even if one fails, and then accepts no new mounts', async () => {
    const mounts = new ServerMounts()
    const failing = mountOf({ close: () => Promise.reject(new Error('stuck')) })
    const fine = mountOf()
    for (const { mount } of [failing, fine]) mounts.attach(mount)
    await expect(mounts.close({ deadline: 5 })).rejects.toThrow('stuck')
    expect(fine.close.mock.calls).toEqual([[{ deadline: 5 }]])
    expect(mounts.closed).toBe(true)
    expect(() => mounts.attach(fine.mount)).toThrow('This server is closed')
    await new ServerMounts().close({})
  })
})
