/** Processes that fail to start, and processes that exit on their own. */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { StartError } from '../../src/dev/process/child.ts'
import { advance, crash, needsChange, serving, supervise } from './support/supervise.ts'

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] }))
afterEach(() => void vi.useRealTimers())

describe('a failed start', () => {
  it('is retried after 0.2 s, then with delays that double up to 5 s', async () => {
    const { start, child, printed, spawned } = supervise()
    await start()
    const waits: number[] = []
    for (let attempt = 1; attempt <= 7; attempt++) {
      await child(attempt).fail(crash)
      expect(child(attempt).calls).toEqual(['start', 'kill'])
      const seconds =
        /^The server exited with code 1\nIt starts again in ([\d.]+) s, or after a change$/.exec(
          printed.at(-1) ?? '',
        )?.[1]
      waits.push(Number(seconds))
      await advance(Number(seconds) * 1_000 - 1)
      expect(spawned()).toBe(attempt)
      await advance(1)
      expect(spawned()).toBe(attempt + 1)
    }
    expect(waits).toEqual([0.2, 0.4, 0.8, 1.6, 3.2, 5, 5])
  })

  it('is retried immediately after a change, which resets the delay to 0.2 s', async () => {
    const { start, change, child, printed, spawned } = supervise()
    await start()
    await child(1).fail(crash)
    await advance(200)
    await child(2).fail(crash)
    await change()
    expect(spawned()).toBe(3)
    await advance(1_000)
    expect(spawned()).toBe(3)
    await child(3).fail(crash)
    expect(printed.at(-1)).toContain('in 0.2 s')
  })

  it('is retried only after a change if it was caused by a syntax error', async () => {
    const { start, change, child, printed, spawned } = supervise()
    await start()
    await child(1).fail(needsChange)
    expect(printed).toEqual(['a syntax error\nWaiting for a change'])
    await advance(10_000)
    expect(spawned()).toBe(1)
    await change()
    expect(spawned()).toBe(2)
    await child(2).fail(crash)
    expect(printed.at(-1)).toContain('starts again in 0.2 s')
  })

  it.each([
    ['after a change', needsChange],
    ['by a retry', crash],
  ])('is followed by a message when a later start succeeds: %s', async (_, error) => {
    const { start, change, child, printed } = supervise()
    await start()
    await child(1).fail(error)
    await (error === crash ? advance(200) : change())
    await child(2).serve()
    expect(printed.slice(1)).toEqual([expect.stringMatching(/^Started in \d+\.\d s$/)])
    await advance(50)
    await change()
    await child(3).serve()
    expect(printed.slice(2)).toEqual([expect.stringMatching(/^Restarted in \d+\.\d s$/)])
  })

  it.each<[string, unknown, string]>([
    ['a syntax error', needsChange, 'a syntax error'],
    ['a crash', crash, 'The server exited with code 1'],
    ['a thrown string', 'text', 'text'],
  ])('leaves the previous code in use after %s', async (_, error, message) => {
    const { change, child, printed, events, spawned } = await serving()
    await change()
    await child(2).fail(error)
    expect(printed).toEqual([`${message}\nThe code before the change goes on serving`])
    expect(child(2).calls).toEqual(['start', 'kill'])
    expect(child(1).calls).toEqual(['start'])
    await advance(10_000)
    expect(spawned()).toBe(2)
    await change()
    await child(3).serve()
    expect(events).toContain('use 3')
  })

  it('is not reported if the file changed during the start', async () => {
    const { change, child, printed } = await serving()
    await change()
    const failed = child(2).fail(needsChange)
    await change()
    await failed
    expect(printed).toEqual([])
  })

  it('leaves the previous code in use if the new process refuses the sessions', async () => {
    let prepare = (): Promise<void> => Promise.resolve()
    const { change, child, printed } = await serving({ prepare: () => prepare() })
    prepare = () => Promise.reject(new StartError('failed', 'no session'))
    await change()
    await child(2).serve()
    expect(printed).toEqual(['no session\nThe code before the change goes on serving'])
  })
})

describe('a port that is in use', () => {
  const inUse = new StartError('port-in-use', 'Port 80 is in use')

  it('makes later restarts stop the old process before they start a new one', async () => {
    const { change, child, printed, events, drain } = await serving()
    await change()
    await child(2).fail(inUse)
    expect(printed).toEqual([
      'Port 80 is in use: from now on the old process ends before the new one starts. Read the port from PORT to avoid this',
    ])
    expect(events).toContain('drain 1')
    await drain(1)
    expect(child(1).calls).toEqual(['start', 'stop'])
    await child(3).serve()
    expect(events.at(-1)).toBe('use 3')
    await change()
    expect(events.at(-1)).toBe('drain 3')
    expect(printed.slice(1)).toEqual([expect.stringMatching(/^Restarted in/)])
  })

  it('is tried again if there is no old process', async () => {
    const { start, child, printed } = supervise()
    await start()
    await child(1).fail(inUse)
    expect(printed).toEqual(['Port 80 is in use\nIt starts again in 0.2 s, or after a change'])
  })
})

describe('a process that ends unexpectedly', () => {
  it('is restarted, with the initial delay if it had served for more than 5 s', async () => {
    const { child, printed } = await serving()
    await child(1).exit('exited with code 3')
    expect(printed).toEqual(['The server exited with code 3\nIt starts again in 0.2 s, or after a change'])
    await advance(200)
    await child(2).serve()
    await advance(5_000)
    await child(2).exit('exited with code 3')
    expect(printed.at(-1)).toContain('in 0.4 s')
    await advance(400)
    await child(3).serve()
    await advance(5_001)
    await child(3).exit('exited with code 3')
    expect(printed.at(-1)).toContain('in 0.2 s')
  })

  it('is reported even while another process is starting', async () => {
    const { change, child, printed, events } = await serving()
    await change()
    await child(1).exit('exited with code 3')
    expect(printed).toEqual(['The server exited with code 3'])
    await advance(10_000)
    await child(2).serve()
    expect(events.at(-1)).toBe('use 2')
    expect(events).not.toContain('drain 1')
  })
})
