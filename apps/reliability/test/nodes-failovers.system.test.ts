import { describeFailovers } from './support/nodes/failovers.ts'

describeFailovers(2)
