import { describeRuntime } from './support/suite.ts'

describeRuntime('deno', { http: 'deno.ts', is: { name: 'deno', version: /^\d+\.\d+\.\d+/ } })
