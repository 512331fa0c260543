import { describeDrainedCalls, describeDrainedStreams } from './support/describe-drain.ts'

describeDrainedCalls({ calls: 500, lastMs: 8_000, limitMs: 10_500 })
describeDrainedStreams(1_000, 1_000)
