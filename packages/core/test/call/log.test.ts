import { describe, expect, it } from 'vitest'
import { logFrame, reachesLevel } from '../../src/call/log.ts'

describe('log messages', () => {
  it.each([
    ['a value', { a: 1 }, { a: 1 }],
    ['null for data that JSON cannot represent', () => {}, null],
    ['a placeholder for data that cannot be serialised', 1n, '[data that cannot be serialised]'],
  ])('contain %s', (_what, data, shown) => {
    expect(JSON.parse(logFrame({ level: 'info' }, data))).toMatchObject({
      params: { level: 'info', data: shown },
    })
  })

  it.each([
    ['info', 'info', true],
    ['debug', 'info', false],
    ['error', 'info', true],
    ['emergency', undefined, false],
  ] as const)('at level %s, for a client at level %s, reach the client: %s', (level, set, reaches) => {
    expect(reachesLevel(level, set)).toBe(reaches)
  })
})
