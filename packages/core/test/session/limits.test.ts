import { FakeClock, settled } from '@jetway-apps/test-support'
import { describe, expect, it, vi } from 'vitest'
import { ConcurrencyLimit } from '../../src/session/call-pool.ts'
import { Drainable } from '../../src/session/drainable.ts'
import { DEFAULT_LIMITS } from '../../src/session/server-runtime.ts'
import { NOTHING_HELD, Refusals, sumOf } from '../../src/session/stats.ts'
import { SubscribedResources } from '../../src/session/session.ts'

describe('ConcurrencyLimit', () => {
  const limitOf = (running: number, inFlight: number, onIdle?: () => void): ConcurrencyLimit =>
    new ConcurrencyLimit({ ...DEFAULT_LIMITS, running, inFlight }, onIdle)

  it('runs calls up to the limit, queues further calls in order, and refuses the rest', async () => {
    const limit = limitOf(2, 4)
    const entered: string[] = []
    const states: unknown[] = []
    const enter = (name: string): void => {
      states.push([limit.inFlight, limit.saturated])
      const place = limit.enter()
      if (place instanceof Promise) void place.then(() => entered.push(name))
      else entered.push(place ?? name)
    }
    for (const name of ['a', 'b', 'c', 'd', 'e']) enter(name)
    expect(entered).toEqual(['a', 'b', 'busy'])
    expect(states).toEqual([
      [0, false],
      [1, false],
      [2, true],
      [3, true],
      [4, true],
    ])
    limit.leave()
    await settled()
    expect(entered).toEqual(['a', 'b', 'busy', 'c'])
    expect([limit.inFlight, limit.saturated]).toEqual([3, true])
    for (let i = 0; i < 2; i++) limit.leave()
    await settled()
    expect(entered.at(-1)).toBe('d')
    expect([limit.inFlight, limit.saturated]).toEqual([1, false])
  })

  it('reports when the last call has ended', () => {
    const idle = vi.fn<() => void>()
    const limit = limitOf(1, 2, idle)
    void limit.enter()
    void limit.enter()
    limit.leave()
    expect(idle).not.toHaveBeenCalled()
    limit.leave()
    expect(idle).toHaveBeenCalledTimes(1)
  })

  it('resolves capacity() when another call can start', async () => {
    const limit = limitOf(1, 2)
    void limit.enter()
    expect(limit.capacity()).toBeUndefined()
    void limit.enter()
    let free = 0
    for (const wait of [limit.capacity(), limit.capacity()]) void wait?.then(() => free++)
    await settled()
    expect(free).toBe(0)
    limit.leave()
    await settled()
    expect(free).toBe(2)
    expect(limit.capacity()).toBeUndefined()
  })
})

describe('Drainable', () => {
  it('waits for running work, and then calls `finish` exactly once', async () => {
    const clock = new FakeClock()
    const steps: string[] = []
    const work = new Drainable(clock, {
      begin: () => void steps.push('begin'),
      finish: () => void steps.push('finish'),
    })
    void work.closed.then(() => steps.push('closed'))
    work.begin()
    work.begin()
    expect(work.closing).toBe(false)
    const closing = [work.close(), work.close()]
    expect([work.closing, steps]).toEqual([true, ['begin']])
    work.end()
    await settled()
    expect(steps).toEqual(['begin'])
    work.end()
    await Promise.all(closing)
    expect(steps).toEqual(['begin', 'finish', 'closed'])
    await work.close()
    expect([steps.length, clock.pending]).toEqual([3, 0])
  })

  it.each([
    ['ten seconds', [undefined], 10_000],
    ['its deadline', [500], 500],
    ['the earliest of several deadlines', [5_000, 300, 10_000], 300],
  ])('waits no longer than %s', async (_what, deadlines, ms) => {
    const clock = new FakeClock()
    const finish = vi.fn<() => void>()
    const work = new Drainable(clock, { finish })
    work.begin()
    const closing = deadlines.map((deadline) => work.close({ deadline }))
    await clock.advance(ms - 1)
    expect(finish).not.toHaveBeenCalled()
    await clock.advance(1)
    await Promise.all(closing)
    expect([finish.mock.calls.length, clock.pending]).toEqual([1, 0])
  })

  it('is closed as soon as its owner calls `finish`', async () => {
    const work = new Drainable(new FakeClock(), { finish: () => {} })
    work.finish()
    await work.closed
    expect(work.closing).toBe(false)
  })
})

describe('statistics', () => {
  it('are summed by `sumOf`', () => {
    const one = { ...NOTHING_HELD, sessions: 1, queuedBytes: 2 }
    const two = { ...NOTHING_HELD, sessions: 3, tasks: 4 }
    expect(sumOf([one, two])).toEqual({ ...NOTHING_HELD, sessions: 4, queuedBytes: 2, tasks: 4 })
    expect(sumOf([])).toEqual(NOTHING_HELD)
    expect(new Set(Object.values(NOTHING_HELD))).toEqual(new Set([0]))
  })

  it('count each refusal for both the mount and its server', () => {
    const server = new Refusals()
    const [one, two] = [new Refusals(server), new Refusals(server)]
    for (const reason of ['busy', 'busy', 'batch']) one.count(reason)
    two.count('busy')
    expect(one.snapshot()).toEqual({ busy: 2, batch: 1 })
    expect(two.snapshot()).toEqual({ busy: 1 })
    expect(server.snapshot()).toEqual({ busy: 3, batch: 1 })
  })
})

it('`SubscribedResources` subscribes to each resource once, and ends subscriptions that are no longer listed', () => {
  const steps: string[] = []
  const resources = new SubscribedResources((uri) => {
    steps.push(`+${uri}`)
    return uri === 'silent' ? undefined : () => void steps.push(`-${uri}`)
  })
  for (const uris of [['a', 'b'], ['a', 'b', 'silent'], ['b', 'c'], ['b', 'c'], []]) resources.set(uris)
  expect(steps).toEqual(['+a', '+b', '+silent', '+c', '-a', '-b', '-c'])
})
