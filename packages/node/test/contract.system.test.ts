import { describeContract } from './support/contract.ts'

describeContract({ 'Express 5': 55, 'Express 4': 52, Connect: 52, Koa: 55, 'NestJS on Express': 52 })
