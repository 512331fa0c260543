import { describeClientCuts } from './support/client-cuts.ts'

describeClientCuts(10)
