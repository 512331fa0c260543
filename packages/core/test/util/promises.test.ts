import { describe, expect, it } from 'vitest'
import { memoize } from '../../src/util/memoize.ts'
import { attempt, chain, deferred, InOrder, isPromiseLike, refusePromise } from '../../src/util/promises.ts'

const failed = (error: unknown): unknown => ({ failed: error })

describe('helpers for values that may be promises', () => {
  it.each([
    ['a promise', Promise.resolve(), true],
    // oxlint-disable-next-line unicorn/no-thenable
    ['an object with then', { then: () => {} }, true],
    // oxlint-disable-next-line unicorn/no-thenable
    ['a `then` that is not a function', { then: 1 }, false],
    ['an object', {}, false],
    ['null', null, false],
    ['a string', 'then', false],
  ])('`isPromiseLike` recognises promises: %s', (_what, value, promised) => {
    expect(isPromiseLike(value)).toBe(promised)
    if (promised) expect(() => refusePromise(value, 'no promise')).toThrow(new TypeError('no promise'))
    else refusePromise(value, 'no promise')
  })

  it('`refusePromise` throws without causing an unhandled rejection', () => {
    expect(() => refusePromise(Promise.reject(new Error('unheard')), 'no promise')).toThrow('no promise')
  })

  it("`chain` passes a value on immediately, and a promise's value once it resolves", async () => {
    expect(chain(1, (value) => value + 1)).toBe(2)
    const later = chain(Promise.resolve(1), (value) => value + 1)
    expect(later).toBeInstanceOf(Promise)
    expect(await later).toBe(2)
  })

  it('`attempt` handles a thrown error and a rejected promise in the same way', async () => {
    const error = new Error('no')
    expect(attempt(() => 1, failed)).toBe(1)
    expect(await attempt(async () => 1, failed)).toBe(1)
    expect(
      attempt(() => {
        throw error
      }, failed),
    ).toEqual({ failed: error })
    expect(await attempt(() => Promise.reject(error), failed)).toEqual({ failed: error })
  })
})

describe('InOrder', () => {
  it('runs a step immediately if none is running', () => {
    const steps = new InOrder()
    expect(steps.run(() => 1)).toBe(1)
    expect(steps.busy).toBeUndefined()
  })

  it('runs steps in order, even after one that fails', async () => {
    const steps = new InOrder()
    const order: string[] = []
    const first = deferred()
    const waits = steps.run(() => first.promise)
    const next = steps.run(() => void order.push('next'))
    order.push('started')
    expect(steps.busy).toBeInstanceOf(Promise)
    first.reject(new Error('no'))
    await expect(waits).rejects.toThrow('no')
    await next
    expect(order).toEqual(['started', 'next'])
    await steps.busy
    expect(steps.busy).toBeUndefined()
    expect(steps.run(() => 'at once')).toBe('at once')
  })

  it('is busy until the last step has ended', async () => {
    const steps = new InOrder()
    const [first, last] = [deferred(), deferred()]
    void steps.run(() => first.promise)
    const ends = steps.run(() => last.promise)
    first.resolve()
    await first.promise
    await Promise.resolve()
    expect(steps.busy).toBeInstanceOf(Promise)
    last.resolve()
    await ends
    await steps.busy
    expect(steps.busy).toBeUndefined()
  })
})

it('`memoize` computes a value once per object', () => {
  let computed = 0
  const lengthOf = memoize((key: readonly unknown[]) => {
    computed++
    return key.length
  })
  const [one, two] = [['a'], ['a', 'b']]
  expect([one, two, one, two].map(lengthOf)).toEqual([1, 2, 1, 2])
  expect(computed).toBe(2)
})
