import { FakeClock } from '@jetway-apps/test-support'
import { describe, expect, it } from 'vitest'
import { AcceptedBody, BodyBudget } from '../../../src/http/caller-bytes.ts'
import { networkOf } from '../../../src/stores/principal.ts'

/** A limit of 64 bodies, half of them for one caller. */
const OF_CALLER = 32 * 10

function budget() {
  const clock = new FakeClock()
  const made = new BodyBudget(clock, { bodyTimeoutMs: 1_000, bodyLimit: 10 })
  const stopped: number[] = []
  const begin = (holder: string) => {
    const { reading } = new AcceptedBody(made, holder, () => ({ status: 202, headers: {} }))
    reading.begin(({ status }) => void stopped.push(status))
    return reading
  }
  return { clock, begin, close: () => made.close(), stopped }
}

describe('the limit for request bodies that a mount is reading', () => {
  it('allows each caller as many bytes as 32 full-size bodies contain', () => {
    const { begin } = budget()
    const first = begin('ann')
    expect(first.add(OF_CALLER)).toBeUndefined()
    const second = begin('ann')
    expect(second.add(1)).toMatchObject({ status: 503 })
    second.end()
    second.end()
    expect(begin('bob').add(OF_CALLER)).toBeUndefined()
    first.end()
    expect(begin('ann').add(OF_CALLER - 1)).toBeUndefined()
  })

  it.each([
    ['one address', 1],
    ['several addresses', 5],
  ])('aborts the oldest bodies of anonymous callers at %s instead of refusing new ones', (_, addresses) => {
    const { begin, stopped } = budget()
    const principal = begin('ann')
    expect(principal.add(OF_CALLER)).toBeUndefined()
    for (let body = 0; body < 100; body++)
      expect(begin(networkOf(`192.0.2.${body % addresses}`)).add(10)).toBeUndefined()
    expect(stopped.length).toBeGreaterThan(60)
    expect(new Set(stopped)).toEqual(new Set([503]))
    expect(begin(networkOf('203.0.113.1')).add(10)).toBeUndefined()
    principal.end()
    expect(begin('ann').add(OF_CALLER)).toBeUndefined()
  })

  it('aborts a body of the caller with the most bytes if all bodies together exceed it', () => {
    const { begin, stopped } = budget()
    begin('ann').add(OF_CALLER)
    begin('bob').add(OF_CALLER)
    expect(begin('carol').add(1)).toBeUndefined()
    expect(stopped).toEqual([503])
  })

  it('aborts a body that takes too long, and frees its bytes', async () => {
    const { clock, begin, stopped } = budget()
    const ended = begin('ann')
    begin('ann').add(OF_CALLER)
    await clock.advance(999)
    ended.end()
    expect(stopped).toEqual([])
    await clock.advance(1)
    expect(stopped).toEqual([408])
    expect(begin('ann').add(OF_CALLER)).toBeUndefined()
  })

  it('aborts all bodies when the mount closes, and every body that arrives later', () => {
    const { clock, begin, close, stopped } = budget()
    begin('ann')
    close()
    expect(stopped).toEqual([408])
    begin('ann')
    expect(stopped).toEqual([408, 408])
    expect(clock.pending).toBe(0)
  })
})
