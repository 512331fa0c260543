import { describeStalledReader } from './support/stalled-reader.ts'

describeStalledReader(20)
