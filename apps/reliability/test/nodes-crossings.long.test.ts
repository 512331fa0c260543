import { describeCrossings } from './support/nodes/crossings.ts'

describeCrossings({ count: 10_000, limitMs: 250 })
