import { itLeavesNothing } from '../support/churn.ts'

itLeavesNothing({ sessions: 1_000_000, every: 10_000, growth: 8 })
