import { describeContract } from './support/contract.ts'

describeContract({ 'Express 5': 54, 'Express 4': 51, Connect: 51, Koa: 54, 'NestJS on Express': 51 })
