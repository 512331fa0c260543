import { describeIsolation } from './support/nodes/isolation.ts'

describeIsolation({ runs: 5, size: 1_000, skewMs: 300_000 })
