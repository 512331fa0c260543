import { describeDrainedCalls } from './support/describe-drain.ts'

describeDrainedCalls({ calls: 50, lastMs: 500, limitMs: 30_000 })
