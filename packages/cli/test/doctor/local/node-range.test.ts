import { expect, it } from 'vitest'
import { isInRange } from '../../../src/doctor/local/node-range.ts'

it.each([
  ['>=20.19', ['20.19.0', '21.0.0', 'v24.1.0'], ['20.18.9', '18.20.0']],
  ['^20.19.0 || >=22.12.0', ['20.19.5', '22.12.0', '23.0.0'], ['20.18.0', '21.9.9', '22.11.9']],
  ['18', ['18.0.0', '18.99.1'], ['17.9.9', '19.0.0']],
  ['20.x', ['20.0.0'], ['21.0.0']],
  ['*', ['1.2.3'], []],
  ['', ['1.2.3'], []],
  ['>18 <=20', ['19.0.0', '20.5.0'], ['18.20.0', '21.0.0']],
  ['> 18.5 < 20', ['18.6.0', '19.0.0'], ['18.5.3', '20.0.0']],
  ['~20.1.2', ['20.1.2', '20.1.9'], ['20.1.1', '20.2.0']],
  ['~20', ['20.9.0'], ['21.0.0']],
  ['^0.12.3', ['0.12.9'], ['0.13.0']],
  ['18 - 20.2', ['18.0.0', '20.2.9'], ['17.0.0', '20.3.0']],
  ['=22.1.0', ['22.1.0'], ['22.1.1']],
  ['v20', ['20.0.0'], ['22.0.0']],
])('isInRange() supports the range %j', (range, inside, outside) => {
  expect(inside.filter((version) => isInRange(version, range) !== true)).toEqual([])
  expect(outside.filter((version) => isInRange(version, range) !== false)).toEqual([])
})

it.each(['latest', '>=twenty', '20 || lts/*'])('isInRange() returns undefined for the range %j', (range) => {
  expect(isInRange('20.0.0', range)).toBeUndefined()
})
