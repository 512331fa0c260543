import { expect, it } from 'vitest'
import { CallerBytes } from '../../src/http/caller-bytes.ts'

/** Holds replies to callers, and collects the names of the replies that must end soon. */
function held() {
  const bytes = new CallerBytes(100)
  const shortened: string[] = []
  const hold = (principal: string, size: number, name: string): (() => void) =>
    bytes.hold(principal, size, () => shortened.push(name))
  return { bytes, shortened, hold }
}

it('CallerBytes shortens the timeout of each reply exactly once if its caller uses more than half of the bytes', () => {
  const { bytes, shortened, hold } = held()
  hold('ann', 30, 'ann 1')
  const release = hold('ann', 20, 'ann 2')
  hold('bob', 40, 'bob')
  expect([shortened, bytes.exceeded('ann')]).toEqual([[], false])
  release()
  hold('ann', 20, 'ann 3')
  expect(shortened).toEqual([])
  hold('ann', 1, 'ann 4')
  expect(shortened).toEqual(['ann 1', 'ann 3', 'ann 4'])
  expect(['ann', 'bob'].map((one) => bytes.exceeded(one))).toEqual([true, false])
  hold('ann', 1, 'ann 5')
  expect(shortened).toEqual(['ann 1', 'ann 3', 'ann 4', 'ann 5'])
})

it('CallerBytes shortens the replies of the caller with the most bytes if all replies together exceed the limit', () => {
  const { bytes, shortened, hold } = held()
  for (const name of ['ann', 'bob']) hold(name, 50, name)
  expect([shortened, bytes.total, bytes.exceeded('ann'), bytes.exceeded('carol')]).toEqual([
    [],
    100,
    false,
    false,
  ])
  const release = hold('carol', 1, 'carol')
  expect([shortened, bytes.exceeded('nobody')]).toEqual([['ann'], true])
  release()
  expect([bytes.total, bytes.exceeded('nobody')]).toEqual([100, false])
})
