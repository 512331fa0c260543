import { itLeavesNothing } from '../support/churn.ts'

// 40 bytes for each session: not even its id stays.
itLeavesNothing({ cycles: 20_000, abandoned: 2_000, growth: 600_000 })
