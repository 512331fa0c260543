import { describeContract } from './support/contract.ts'

describeContract({ 'Express 5': 56, 'Express 4': 52, Connect: 52, Koa: 56, 'NestJS on Express': 52 })
