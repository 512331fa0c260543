import { expect, it, onTestFinished, vi } from 'vitest'
import { type Logger, safeLogger, stderrLogger } from '../../src/util/logger.ts'

function logged(fields: object): string {
  const write = vi.spyOn(console, 'error').mockImplementation(() => {})
  onTestFinished(() => write.mockRestore())
  stderrLogger.error(fields, 'The tool failed')
  return String(write.mock.calls[0]?.[0])
}

it("`stderrLogger` indents an error's stack trace so that a message cannot forge a log line", () => {
  const text = logged({ tool: 'add', err: new Error('no\n[jetway] error: forged\u001b[2J') })
  const [first, second, ...stack] = text.split('\n')
  expect(first).toBe('[jetway] error: The tool failed tool=add err=Error: no')
  expect(second).toBe('    [jetway] error: forged\\u001b[2J')
  expect(stack.length).toBeGreaterThan(0)
  for (const line of stack) expect(line).toMatch(/^ +at /)
})

it('`stderrLogger` writes all other values on a single line', () => {
  expect(logged({ name: 'a\nb', list: [1] })).toBe('[jetway] error: The tool failed name=a\\u000ab list=[1]')
})

it.each([
  ['a long string', 'x'.repeat(9_000), 'x'.repeat(8_192)],
  ['an error with a long stack', Object.assign(new Error(), { stack: 'x'.repeat(9_000) }), 'x'.repeat(8_192)],
  ['an error without a stack', Object.assign(new Error('no'), { stack: undefined }), 'Error: no'],
  ['a value that JSON cannot represent', 1n, '[unprintable]'],
  ['nothing', undefined, 'undefined'],
])('`stderrLogger` writes as much of a field as possible: %s', (_what, value, shown) => {
  expect(logged({ value })).toBe(`[jetway] error: The tool failed value=${shown}`)
})

it('`stderrLogger` writes only warnings and errors', () => {
  const write = vi.spyOn(console, 'error').mockImplementation(() => {})
  onTestFinished(() => write.mockRestore())
  for (const level of ['debug', 'info', 'warn', 'error'] as const) stderrLogger[level]({}, 'said')
  expect(write.mock.calls).toEqual([['[jetway] warn: said'], ['[jetway] error: said']])
})

it('`safeLogger` does not throw if the wrapped logger throws', () => {
  const lines: unknown[] = []
  const log =
    (level: string) =>
    (fields: object, message: string): void => {
      lines.push([level, fields, message])
      throw new Error('broken logger')
    }
  const broken: Logger = { debug: log('debug'), info: log('info'), warn: log('warn'), error: log('error') }
  const levels = ['debug', 'info', 'warn', 'error'] as const
  for (const level of levels) safeLogger(broken)[level]({ a: 1 }, 'said')
  expect(lines).toEqual(levels.map((level) => [level, { a: 1 }, 'said']))
})
