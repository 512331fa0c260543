import { itLeavesNothing } from '../support/churn.ts'

// 1 KB for each session, which is less than a session needs.
itLeavesNothing({ cycles: 2_000, abandoned: 400, growth: 1_500_000 })
