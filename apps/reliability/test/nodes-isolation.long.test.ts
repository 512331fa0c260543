import { describeIsolation } from './support/nodes/isolation.ts'

describeIsolation({ runs: 100, size: 1_000 })
