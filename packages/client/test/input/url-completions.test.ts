import { expect, it, vi } from 'vitest'
import { UrlCompletions } from '../../src/input/url-completions.ts'

it('UrlCompletions removes a single listener and keeps the others', () => {
  const opened = new UrlCompletions()
  const [gone, there] = [vi.fn(), vi.fn()]
  const leave = opened.add('1', gone)
  opened.add('1', there)
  leave()
  expect(opened.complete('1')).toBe(true)
  expect(gone).not.toHaveBeenCalled()
  expect(there).toHaveBeenCalledOnce()
  expect(opened.complete('1')).toBe(false)
})
