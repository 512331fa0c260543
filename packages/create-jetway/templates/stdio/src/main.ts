#!/usr/bin/env node
import { serveStdio } from '@jetway/stdio'
import { server } from './server.ts'

await serveStdio(server)
