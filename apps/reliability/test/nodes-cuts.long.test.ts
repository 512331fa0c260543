import { describeNodeCuts } from './support/nodes/cuts.ts'

describeNodeCuts(1_000)
