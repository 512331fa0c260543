import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { type Stop, stopSteps } from '../../src/stdio/options.ts'
import { stopTree } from '../../src/stdio/stop-process.ts'

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] }))
afterEach(() => void vi.useRealTimers())

/**
 * Stops a process tree that exits only on the given signal. Resolves to the signals with their times in ms,
 * followed by the end.
 */
async function stopped(stop: Stop | undefined, goesBy: string | undefined): Promise<readonly unknown[]> {
  const start = Date.now()
  const said: unknown[] = []
  let remains = goesBy !== 'end of input'
  const tree = {
    remains: () => Promise.resolve(remains),
    signal: (signal: string) => {
      said.push(`${Date.now() - start} ${signal}`)
      if (signal === goesBy) remains = false
      return Promise.resolve()
    },
  }
  const gone = remains ? new Promise(() => {}) : Promise.resolve()
  const over = stopTree(tree, stopSteps(stop), gone).then(() => said.push(Date.now() - start))
  await vi.advanceTimersByTimeAsync(10_000)
  await over
  return said
}

describe('stopping a process tree, https://modelcontextprotocol.io/specification/2025-11-25/basic/lifecycle#stdio', () => {
  test.for<[string, string | undefined, unknown[]]>([
    ['exits when its input ends', 'end of input', [0]],
    ['exits on SIGTERM', 'SIGTERM', ['2000 SIGTERM', 2_000]],
    ['exits only on SIGKILL', 'SIGKILL', ['2000 SIGTERM', '4000 SIGKILL', 4_000]],
  ])('takes at most 4 s if the process %s', async ([, goesBy, expected]) => {
    expect(await stopped(undefined, goesBy)).toEqual(expected)
  })

  test.for<[string, unknown[]]>([
    ['SIGINT', ['0 SIGINT', 0]],
    ['SIGKILL', ['0 SIGINT', '3000 SIGKILL', 3_000]],
  ])(
    'sends SIGINT first if so configured, and takes at most 3 s if the process exits on %s',
    async ([goesBy, expected]) => {
      expect(await stopped('interrupt', goesBy)).toEqual(expected)
    },
  )

  test('takes at most 5 s if the processes cannot be killed', async () => {
    const said = await stopped(undefined, undefined)
    expect(said.at(-1)).toBeLessThanOrEqual(5_100)
    expect(said.length).toBeGreaterThan(10)
    expect(said.slice(0, 2)).toEqual(['2000 SIGTERM', '4000 SIGKILL'])
  })
})
