import { itLeavesNothing } from '../support/churn.ts'

// Half of the permitted growth is left over from warming up. The other half is less than an idle session
// takes.
itLeavesNothing({ sessions: 2_400, every: 200, growth: 600 })
