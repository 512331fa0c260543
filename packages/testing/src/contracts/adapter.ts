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

/** This is longer than any case waits, so that a case can report a timeout itself. */
const TIMEOUT = 60_000

/**
 * The contract of an adapter over `@jetway/core/http`, as Vitest tests. There is one test per case, except
 * for cases that require a capability that is not declared.
 *
 * @returns the names of the tests; count them, so that a lost capability does not go unnoticed
 */
export function describeAdapter(name: string, subject: AdapterSubject): readonly string[] {
  const cases = adapterCases(subject.capabilities)
  describe(`an adapter: ${name}`, () => {
    for (const each of cases) it(each.name, () => runAdapterCase(subject, each), TIMEOUT)
  })
  return cases.map((each) => each.name)
}
