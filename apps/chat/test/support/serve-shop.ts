import { serveStdio } from '@jetway/stdio'
import { shop } from './shop.ts'

await serveStdio(shop())
