import { describeRuntime } from './support/suite.ts'

describeRuntime('node-20', { http: 'node.ts', is: { name: 'node', version: /^20\./ } })
