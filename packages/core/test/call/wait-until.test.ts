import { silent } from '@jetway-apps/test-support'
import { expect, it, vi } from 'vitest'
import { WaitUntil } from '../../src/call/wait-until.ts'

it('waitUntil counts the promise, passes it to the platform, and reports a rejection', async () => {
  const count = { begin: vi.fn<() => void>(), end: vi.fn<() => void>() }
  const warn = vi.fn<() => void>()
  const background = new WaitUntil(count, { ...silent, warn })
  const failed = vi.fn<(error: unknown) => void>()
  const given: Promise<unknown>[] = []
  background.track(Promise.resolve(), { waitUntil: (work) => void given.push(work) }, failed)
  background.track(Promise.reject('no'), undefined, failed)
  const refuse = (): never => {
    throw new Error('refused')
  }
  background.track(Promise.resolve(), { waitUntil: refuse }, failed)
  expect([count.begin.mock.calls.length, given.length, warn.mock.calls.length]).toEqual([3, 1, 1])
  await vi.waitFor(() => expect(count.end).toHaveBeenCalledTimes(3))
  expect(failed.mock.calls).toEqual([['no']])
})
