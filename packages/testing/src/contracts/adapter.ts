import { describe, it } from 'vitest'
import { adapterCases, runAdapterCase } from './adapter-cases.ts'
import type { AdapterSubject } from './adapter-types.ts'

export { adapterCases, runAdapterCase } from './adapter-cases.ts'
export type {
  AdapterCapability,
  AdapterCase,
  AdapterSubject,
  CaseContext,
  HostSetup,
  ServedAdapter,
  Serving,
} from './adapter-types.ts'

/** Longer than any case waits, so that it is the case that says what it has waited for. */
const TIMEOUT = 60_000

/**
 * What every adapter over `@jetway/core/http` must hold, as Vitest tests: one per case, none for capabilities that are
 * not declared.
 *
 * @returns the names of the tests, to be counted: a capability that gets lost would take its tests along in silence
 */
export function describeAdapter(name: string, subject: AdapterSubject): readonly string[] {
  const cases = adapterCases(subject.capabilities)
  describe(`an adapter: ${name}`, () => {
    for (const each of cases) it(each.name, () => runAdapterCase(subject, each), TIMEOUT)
  })
  return cases.map((each) => each.name)
}
