import { itMatchesPairs } from './pairs.ts'

itMatchesPairs(100_000)
