import { describe } from 'vitest'
import { describeOneId, describeSharedStore } from './support/crossing.ts'

describeOneId(12_000)
describe('a shared event store', () => describeSharedStore(1_000))
