import { describeRuntime } from './support/suite.ts'

describeRuntime('node-22', { http: 'node.ts', is: { name: 'node', version: /^22\./ } })
