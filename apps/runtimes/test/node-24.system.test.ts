import { describeRuntime } from './support/suite.ts'

describeRuntime('node-24', { http: 'node.ts', is: { name: 'node', version: /^24\./ } })
