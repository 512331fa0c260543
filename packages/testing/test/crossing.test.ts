import { describe } from 'vitest'
import { describeOneId, describeSharedStore } from './support/crossing.ts'

describeOneId(600)
describe('an event store that is shared', () => describeSharedStore(100))
