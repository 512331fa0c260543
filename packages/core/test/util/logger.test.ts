import { expect, it, onTestFinished, vi } from 'vitest'
import { stderrLogger } from '../../src/util/logger.ts'

function logged(fields: object): string {
  const write = vi.spyOn(console, 'error').mockImplementation(() => {})
  onTestFinished(() => write.mockRestore())
  stderrLogger.error(fields, 'The tool failed')
  return String(write.mock.calls[0]?.[0])
}

it('an error on stderr has its stack on indented lines, which no message can forge', () => {
  const text = logged({ tool: 'add', err: new Error('no\n[jetway] error: forged\u001b[2J') })
  const [first, second, ...stack] = text.split('\n')
  expect(first).toBe('[jetway] error: The tool failed tool=add err=Error: no')
  expect(second).toBe('    [jetway] error: forged\\u001b[2J')
  expect(stack.length).toBeGreaterThan(0)
  for (const line of stack) expect(line).toMatch(/^ +at /)
})

it('other values on stderr stay on one line', () => {
  expect(logged({ name: 'a\nb', list: [1] })).toBe('[jetway] error: The tool failed name=a\\u000ab list=[1]')
})
