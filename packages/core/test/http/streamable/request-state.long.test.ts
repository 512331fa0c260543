import { seeded } from '@jetway-apps/test-support'
import { expect, it } from 'vitest'
import { guarded, refusal, tryMutations } from '../support/state-misuse.ts'

it('a server refuses 100,000 tampered requestStates with identical replies', async () => {
  const { tried, through, seen } = await tryMutations(100_000, seeded(1))
  expect(tried).toBe(100_000)
  expect(through).toBe(0)
  expect([...seen]).toEqual([await refusal(guarded())])
}, 600_000)
