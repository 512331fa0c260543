import { describe, expect, it } from 'vitest'
import { CallerBytes, type Holding } from '../../src/http/caller-bytes.ts'
import { networkOf } from '../../src/stores/principal.ts'

/** Queues replies to callers, and records the names of the replies that must end soon or at once. */
function held(limit = 100) {
  const bytes = new CallerBytes(limit)
  const soon: string[] = []
  const atOnce: string[] = []
  const hold = (holder: string, size: number, name: string = holder): (() => void) => {
    const reply: Holding = { holder, held: 0, shorten: (now) => void (now ? atOnce : soon).push(name) }
    bytes.hold(reply, size)
    return () => void bytes.hold(reply, -reply.held)
  }
  return { bytes, soon, atOnce, hold }
}

const AT = ['192.0.2.1', '192.0.2.2', '192.0.2.3'].map((address) => networkOf(address)) as [
  string,
  string,
  string,
]

describe('CallerBytes', () => {
  it("shortens the timeouts of a principal's replies if the principal uses more than half of the bytes", () => {
    const { bytes, soon, atOnce, hold } = held()
    hold('ann', 30, 'ann 1')
    const release = hold('ann', 20, 'ann 2')
    hold('bob', 40)
    expect([soon, bytes.exceeded('ann')]).toEqual([[], false])
    release()
    hold('ann', 20, 'ann 3')
    expect(soon).toEqual([])
    hold('ann', 1, 'ann 4')
    expect([soon, atOnce]).toEqual([['ann 1', 'ann 3', 'ann 4'], []])
    expect(['ann', 'bob'].map((one) => bytes.exceeded(one))).toEqual([true, false])
  })

  it('ends the oldest replies of the principal with the most bytes if the total exceeds the limit', () => {
    const { bytes, atOnce, hold } = held()
    hold('ann', 25, 'ann 1')
    hold('ann', 25, 'ann 2')
    hold('bob', 50)
    expect([atOnce, bytes.total, bytes.exceeded('carol')]).toEqual([[], 100, false])
    const release = hold('carol', 1)
    expect([atOnce, bytes.total, bytes.exceeded('nobody')]).toEqual([['ann 1'], 76, false])
    release()
    expect(bytes.total).toBe(75)
  })

  it('ends the oldest replies of the largest network if anonymous callers use more than half', () => {
    const { bytes, soon, atOnce, hold } = held()
    hold('ann', 40)
    hold(AT[0], 5, 'small')
    for (const name of ['first', 'second']) hold(AT[1], 15, name)
    hold(AT[2], 15, 'last')
    expect([atOnce, bytes.total]).toEqual([[], 90])
    hold(AT[2], 2, 'more')
    expect([soon, atOnce]).toEqual([[], ['first']])
    expect(AT.map((holder) => bytes.exceeded(holder))).toEqual([false, false, false])
  })

  it('limits all anonymous networks as a whole, so that they never displace a principal', () => {
    const { atOnce, hold } = held()
    for (let network = 0; network < 50; network++) hold(networkOf(`2001:db8:0:${network}::1`), 1, 'anonymous')
    hold('ann', 30)
    hold('bob', 30)
    expect(new Set(atOnce)).toEqual(new Set(['anonymous']))
  })

  it('never refuses an address for leaving its replies unread', () => {
    const { bytes, atOnce, hold } = held()
    for (let reply = 0; reply < 50; reply++) {
      hold(AT[0], 7, `${reply}`)
      expect(bytes.exceeded(AT[0])).toBe(false)
    }
    expect(atOnce.slice(0, 2)).toEqual(['0', '1'])
    expect(bytes.total).toBeLessThanOrEqual(50)
  })

  it('refuses further calls from a caller whose only reply exceeds half of the limit', () => {
    const { bytes, soon, hold } = held()
    hold(AT[0], 60)
    expect([soon, AT.map((holder) => bytes.exceeded(holder))]).toEqual([[AT[0]], [true, false, false]])
  })
})

describe('networkOf', () => {
  it.each([
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2:ffff::1', true],
    ['2001:db8:1:2::', '2001:db8:1:3::', false],
    ['2001:db8::1', '2001:db8:0:0:7::', true],
    ['192.0.2.1', '192.0.2.2', false],
    ['::ffff:192.0.2.1', '::ffff:192.0.2.2', false],
    [undefined, undefined, true],
  ])('returns the same network for %s and %s: %s', (one, other, same) => {
    expect(networkOf(one) === networkOf(other)).toBe(same)
  })
})
