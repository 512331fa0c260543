import { itLeavesNothing } from '../support/churn.ts'

// Half of the permitted growth allows for what the warm-up leaves behind. The other half is less than the size of
// an idle session.
itLeavesNothing({ sessions: 2_400, every: 200, growth: 600 })
