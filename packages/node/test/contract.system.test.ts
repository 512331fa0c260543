import { describeContract } from './support/contract.ts'

describeContract({ 'Express 5': 55, 'Express 4': 51, Connect: 51, Koa: 55, 'NestJS on Express': 51 })
