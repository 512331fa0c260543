import { itLeavesNothing } from '../support/churn.ts'

// Half of it is left of warming up. The other half is 300 bytes for each session, less than an idle one takes.
itLeavesNothing({ cycles: 2_000, abandoned: 400, growth: 1_000_000 })
