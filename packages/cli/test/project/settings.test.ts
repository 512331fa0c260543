import { describe, expect, it } from 'vitest'
import { checkRequired, givenValues, startValues } from '../../src/project/settings.ts'

const setting = { title: 'Key', description: 'The key' }

describe('--env', () => {
  it('takes a value from the argument or from the environment', () => {
    expect(givenValues(['A=1=2', 'B', 'C='], { B: 'two' })).toEqual({ A: '1=2', B: 'two', C: '' })
  })

  it.each([
    ['=1', 'NAME'],
    ['a-b=1', 'NAME'],
    ['B', 'no such variable'],
  ])('rejects %s', (word, text) => {
    expect(() => givenValues([word], {})).toThrow(text)
  })
})

describe('settings', () => {
  it('have their default values unless other values are given', () => {
    const settings = {
      A: { ...setting, default: 1 },
      B: { ...setting, type: 'boolean', default: false },
      C: setting,
    } as const
    expect(startValues({ settings }, { A: '2' })).toEqual({ A: '2', B: 'false' })
  })

  it('must have a value if they are required', () => {
    const settings = { KEY: { ...setting, required: true } }
    expect(() => checkRequired({ settings }, {})).toThrow('The server needs KEY to start')
    checkRequired({ settings }, { KEY: 'x' })
  })
})
