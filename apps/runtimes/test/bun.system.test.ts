import { describeRuntime } from './support/suite.ts'

describeRuntime('bun', { http: 'bun.ts', is: { name: 'bun', version: /^\d+\.\d+\.\d+/ } })
