import { describe, expect, it } from 'vitest'
import { logFrame, reachesLevel } from '../../src/call/log.ts'

describe('a log message', () => {
  it.each([
    ['a value', { a: 1 }, { a: 1 }],
    ['what has no JSON', () => {}, null],
    ['what cannot be serialised', 1n, '[data that cannot be serialised]'],
  ])('has %s', (_what, data, shown) => {
    expect(JSON.parse(logFrame({ level: 'info' }, data))).toMatchObject({
      params: { level: 'info', data: shown },
    })
  })

  it.each([
    ['info', 'info', true],
    ['debug', 'info', false],
    ['error', 'info', true],
    ['emergency', undefined, false],
  ] as const)('of %s reaches a client that has set %s: %s', (level, set, reaches) => {
    expect(reachesLevel(level, set)).toBe(reaches)
  })
})
