import { FakeClock } from '@jetway-apps/test-support'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { systemClock } from '../../src/util/clock.ts'
import { Deadlines, type Due, Recurring } from '../../src/util/timers.ts'

/** Returns how many timers keep this process alive. */
const holding = (): number => process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length

describe('Recurring', () => {
  it('runs at its interval from start to stop', async () => {
    const clock = new FakeClock()
    let runs = 0
    const recurring = new Recurring(clock, 100, () => runs++)
    expect(clock.pending).toBe(0)
    recurring.start()
    recurring.start()
    expect(clock.pending).toBe(1)
    await clock.advance(99)
    expect(runs).toBe(0)
    await clock.advance(201)
    expect(runs).toBe(3)
    recurring.stop()
    recurring.stop()
    expect(clock.pending).toBe(0)
    recurring.start()
    await clock.advance(100)
    expect(runs).toBe(4)
  })

  it('can stop itself', async () => {
    const clock = new FakeClock()
    const recurring = new Recurring(clock, 100, () => recurring.stop())
    recurring.start()
    await clock.advance(100)
    expect(clock.pending).toBe(0)
  })

  it('does not keep the process alive', () => {
    const recurring = new Recurring(systemClock, 60_000, () => {})
    onTestFinished(() => recurring.stop())
    const before = holding()
    recurring.start()
    expect(holding()).toBe(before)
  })
})

describe('Deadlines', () => {
  const setUp = (): {
    readonly clock: FakeClock
    readonly deadlines: Deadlines
    readonly fired: string[]
    readonly member: (name: string, also?: () => void) => Due
  } => {
    const clock = new FakeClock()
    const fired: string[] = []
    const start = clock.now()
    const member = (name: string, also?: () => void): Due => ({
      deadline: undefined,
      due: () => {
        fired.push(`${name} ${clock.now() - start}`)
        also?.()
      },
    })
    return { clock, deadlines: new Deadlines(clock, 100), fired, member }
  }

  it('calls each member on time, even if the clock is set back', async () => {
    const { clock: fake, fired, member } = setUp()
    let skew = 0
    const clock = {
      now: () => fake.now() + skew,
      setTimeout: (run: () => void, ms: number) => fake.setTimeout(run, ms),
      clearTimeout: (timer: unknown) => fake.clearTimeout(timer),
    }
    const deadlines = new Deadlines(clock, 100)
    deadlines.add(member('before'))
    await fake.advance(50)
    skew = -3_600_000
    deadlines.add(member('after'))
    await fake.advance(50)
    expect(fired).toEqual(['before 100'])
    await fake.advance(50)
    expect(fired).toEqual(['before 100', 'after 150'])
  })

  it('calls each member once, with a single timer for all members', async () => {
    const { clock, deadlines, fired, member } = setUp()
    const members = ['a', 'b', 'c', 'd'].map((name) => member(name))
    for (const one of members) {
      deadlines.add(one)
      await clock.advance(30)
    }
    expect(clock.pending).toBe(1)
    await clock.advance(200)
    expect(fired).toEqual(['a 100', 'b 130', 'c 160', 'd 190'])
    expect(members.map(({ deadline }) => deadline)).toEqual([undefined, undefined, undefined, undefined])
    expect(clock.pending).toBe(0)
  })

  it('restarts the deadline of a member that is added again, and does not call a removed member', async () => {
    const { clock, deadlines, fired, member } = setUp()
    const [a, b, c] = [member('a'), member('b'), member('c')]
    for (const one of [a, b, c]) deadlines.add(one)
    await clock.advance(50)
    deadlines.add(a)
    deadlines.remove(b)
    deadlines.remove(b)
    await clock.advance(200)
    expect(fired).toEqual(['c 100', 'a 150'])
  })

  it('stays on time when a member is added again as soon as it is due', async () => {
    const { clock, deadlines, fired, member } = setUp()
    const again = member('again', () => fired.length < 4 && deadlines.add(again))
    deadlines.add(again)
    await clock.advance(30)
    deadlines.add(member('b'))
    await clock.advance(70)
    expect(clock.pending).toBe(1)
    await clock.advance(200)
    expect(fired).toEqual(['again 100', 'b 130', 'again 200', 'again 300'])
    expect(clock.pending).toBe(0)
  })

  it('releases its timer if no members are left', async () => {
    const { clock, deadlines, fired, member } = setUp()
    const a = member('a')
    deadlines.add(a)
    deadlines.releaseTimer()
    expect(clock.pending).toBe(1)
    deadlines.remove(a)
    deadlines.releaseTimer()
    expect(clock.pending).toBe(0)
    deadlines.add(a)
    await clock.advance(100)
    expect(fired).toEqual(['a 100'])
  })

  it('can expire or clear all members immediately', async () => {
    const { clock, deadlines, fired, member } = setUp()
    for (const name of ['a', 'b']) deadlines.add(member(name))
    deadlines.expireAll()
    expect([fired, clock.pending]).toEqual([['a 0', 'b 0'], 0])
    const c = member('c')
    deadlines.add(c)
    deadlines.clear()
    expect([c.deadline, clock.pending]).toEqual([undefined, 0])
    deadlines.add(c)
    await clock.advance(100)
    expect(fired).toEqual(['a 0', 'b 0', 'c 100'])
  })

  it('uses one timer per member on platforms that isolate requests', async () => {
    vi.stubGlobal('navigator', { userAgent: 'Cloudflare-Workers' })
    onTestFinished(() => void vi.unstubAllGlobals())
    const { clock, deadlines, fired, member } = setUp()
    const [a, b] = [member('a'), member('b')]
    for (const one of [a, b, a]) deadlines.add(one)
    expect(clock.pending).toBe(2)
    deadlines.expireAll()
    deadlines.remove(b)
    expect([fired, clock.pending]).toEqual([[], 1])
    await clock.advance(100)
    expect(fired).toEqual(['a 100'])
  })

  it('does not keep the process alive', () => {
    const deadlines = new Deadlines(systemClock, 60_000)
    onTestFinished(() => deadlines.clear())
    const before = holding()
    deadlines.add({ deadline: undefined, due: () => {} })
    expect(holding()).toBe(before)
  })
})
