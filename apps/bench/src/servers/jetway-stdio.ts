import { serveStdio } from '@jetway/stdio'
import { ready } from '../serving/control.ts'
import { createServer } from '../serving/jetway.ts'

await serveStdio(createServer())
ready()
