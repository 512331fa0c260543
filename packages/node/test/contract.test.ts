import { describeContract } from './support/contract.ts'

describeContract({ 'node:http': 59 })
