import { adapterCases, runAdapterCase } from '@jetway/testing/adapter'
import { describe, expect, it } from 'vitest'
import { HOSTS } from './hosts.ts'

/** These hosts use the same response object as others, so the cases that write 64 MiB are skipped for them. */
const SAME_RESPONSE = ['Express 4', 'Connect', 'NestJS on Express']
const WRITES_MUCH = /not read|stopped reading/

/** @param hosts - the number of cases for each host, so that a missing case is detected */
export function describeContract(hosts: Readonly<Record<string, number>>): void {
  describe.concurrent.each(Object.entries(hosts))('the adapter contract on %s', (name, count) => {
    const host = HOSTS[name]
    if (host === undefined) throw new TypeError(`No host is called ${name}`)
    const cases = adapterCases(host.capabilities).filter(
      (each) => !SAME_RESPONSE.includes(name) || !WRITES_MUCH.test(each.name),
    )
    for (const each of cases) it(each.name, () => runAdapterCase(host, each))
    it('contains the expected number of cases', () => {
      expect(cases).toHaveLength(count)
    })
  })
}
