import { itLeavesNothing } from '../support/churn.ts'

// 40 bytes for each session, which is less than its id needs.
itLeavesNothing({ cycles: 20_000, abandoned: 2_000, growth: 600_000 })
