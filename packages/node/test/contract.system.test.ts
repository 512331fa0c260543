import { describeContract } from './support/contract.ts'

describeContract({ 'Express 5': 61, 'Express 4': 57, Connect: 57, Koa: 59, 'NestJS on Express': 57 })
