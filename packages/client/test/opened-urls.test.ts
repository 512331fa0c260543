import { expect, it, vi } from 'vitest'
import { OpenedUrls } from '../src/features/opened-urls.ts'

it('whoever waits no longer for an address to be finished is forgotten, and the address is not', () => {
  const opened = new OpenedUrls()
  const [gone, there] = [vi.fn(), vi.fn()]
  const leave = opened.note('1', gone)
  opened.note('1', there)
  leave()
  expect(opened.finish('1')).toBe(true)
  expect(gone).not.toHaveBeenCalled()
  expect(there).toHaveBeenCalledOnce()
  expect(opened.finish('1')).toBe(false)
})
