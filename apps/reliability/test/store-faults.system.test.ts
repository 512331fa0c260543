import { describeStoreFaults } from './support/store-faults.ts'

describeStoreFaults(8)
