import { describeKills } from './support/nodes/kills.ts'

describeKills(50, 4)
