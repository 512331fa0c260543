import { describeKills } from './support/nodes/kills.ts'

describeKills(1, 2)
