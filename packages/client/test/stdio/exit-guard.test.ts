import { expect, test } from 'vitest'
import { endWithThisProcess } from '../../src/stdio/exit-guard.ts'

test('endWithThisProcess listens for the exit event as long as a child process is running', () => {
  const before = process.listenerCount('exit')
  const listening = (): number => process.listenerCount('exit') - before
  const first = endWithThisProcess(2 ** 30)
  const second = endWithThisProcess(2 ** 30 + 1)
  const counts = [listening()]
  first()
  counts.push(listening())
  second()
  counts.push(listening())
  expect(counts).toEqual(process.platform === 'win32' ? [0, 0, 0] : [1, 1, 0])
})
