import { describeCuts } from './support/cuts.ts'

describeCuts(1_000)
