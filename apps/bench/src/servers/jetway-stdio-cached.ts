import type { SchemaCache } from '@jetway/core/schema-cache'
import { serveStdio } from '@jetway/stdio'
import { SCHEMAS } from '../serving/cached-schemas.ts'
import { ready } from '../serving/control.ts'
import { createServer } from '../serving/jetway.ts'
import { toolCount } from '../serving/tools.ts'

const { default: schemas } = (await import(SCHEMAS.href)) as { readonly default: SchemaCache }
await serveStdio(createServer(toolCount(), { schemas }))
ready()
