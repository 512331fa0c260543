import { describeCuts } from './support/cuts.ts'

describeCuts(100)
