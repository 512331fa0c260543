import { describe } from 'vitest'
import { describeOneId, describeSharedStore } from './support/crossing.ts'

describeOneId(600)
describe('a shared event store', () => describeSharedStore(100))
