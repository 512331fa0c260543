import { describe } from 'vitest'
import { describeOneId, describeSharedStore } from './support/crossing.ts'

describeOneId(12_000)
describe('an event store that is shared', () => describeSharedStore(1_000))
