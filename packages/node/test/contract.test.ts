import { describeAdapter } from '@jetway/testing/adapter'
import { describe, expect, it } from 'vitest'
import { HOSTS } from './support/hosts.ts'

const counts: number[] = []
describe.concurrent('the adapter contract', () => {
  for (const [name, host] of Object.entries(HOSTS)) counts.push(describeAdapter(name, host).length)
})

it('is the whole contract on every host', () => {
  expect(counts).toEqual([50, 50, 50, 50, 50, 50])
})
