import { describeRuntime } from './support/suite.ts'

describeRuntime('node-26', { http: 'node.ts', is: { name: 'node', version: /^26\./ } })
