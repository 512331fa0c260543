import { describeNodeCuts } from './support/nodes/cuts.ts'

describeNodeCuts(30)
