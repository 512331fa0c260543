import { expect, it } from 'vitest'
import { readOptions } from '../src/options.ts'

it('readOptions accepts cases and a measurement time', () => {
  const options = readOptions(['--only', 'text', '--only', 'list-16', '--rounds', '3', '--seconds', '0.1'])
  expect(options.only).toEqual(['text', 'list-16'])
  expect(options.timing).toMatchObject({ rounds: 3, seconds: 0.1 })
  expect(options.short).toBe(false)
})

it('readOptions rejects unknown options', () => {
  expect(() => readOptions(['--fast'])).toThrow(TypeError)
  expect(() => readOptions(['--rounds', 'many'])).toThrow('--rounds must be a number above 0')
})
