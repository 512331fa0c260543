import { describe, it } from 'vitest'
import { adapterCases, runAdapterCase } from './adapter/cases.ts'
import type { AdapterSubject } from './adapter/types.ts'

export { adapterCases, runAdapterCase } from './adapter/cases.ts'
export type {
  AdapterCapability,
  AdapterCase,
  AdapterSubject,
  CaseContext,
  HostSetup,
  ServedAdapter,
  Serving,
} from './adapter/types.ts'

/** This is longer than any case waits, so that the case reports its own timeout. */
const TIMEOUT = 60_000

/**
 * The contract of an adapter over `@jetway/core/http`, as Vitest tests: one test per case, except for cases
 * that need a capability that is not declared.
 *
 * @returns the names of the tests. Count them, so that tests cannot disappear undetected when a capability is
 * lost
 */
export function describeAdapter(name: string, subject: AdapterSubject): readonly string[] {
  const cases = adapterCases(subject.capabilities)
  describe(`an adapter: ${name}`, () => {
    for (const each of cases) it(each.name, () => runAdapterCase(subject, each), TIMEOUT)
  })
  return cases.map((each) => each.name)
}
