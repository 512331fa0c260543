import { describeCrossings } from './support/nodes/crossings.ts'

describeCrossings({ count: 100, limitMs: 5_000 })
