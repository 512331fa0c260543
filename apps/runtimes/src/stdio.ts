import { serveStdio } from '@jetway/stdio'
import { runtimeOfProcess } from './runtime-of-process.ts'
import { server } from './server.ts'

await serveStdio(server, { locals: { runtime: runtimeOfProcess() } })
