import { describeIsolation } from './support/nodes/isolation.ts'

describeIsolation({ runs: 1, size: 600 })
describeIsolation({ runs: 1, size: 300, skewMs: 300_000 })
