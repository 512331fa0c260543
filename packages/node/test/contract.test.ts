import { adapterCases, runAdapterCase } from '@jetway/testing/adapter'
import { describe, expect, it } from 'vitest'
import { HOSTS } from './support/hosts.ts'

/**
 * These hosts pass on the response that others pass on too: the cases that write
 * 64 MiB would show nothing new.
 */
const SAME_RESPONSE = ['Express 4', 'Connect', 'NestJS on Express']
const WRITES_MUCH = /not read|stopped reading/

const counts: number[] = []
describe.concurrent.each(Object.entries(HOSTS))('the adapter contract on %s', (name, host) => {
  const cases = adapterCases(host.capabilities).filter(
    (each) => !SAME_RESPONSE.includes(name) || !WRITES_MUCH.test(each.name),
  )
  counts.push(cases.length)
  for (const each of cases) it(each.name, () => runAdapterCase(host, each))
})

it('is whole on every host, but for the cases that write much', () => {
  expect(counts).toEqual([54, 54, 51, 51, 54, 51])
})
