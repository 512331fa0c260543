import { McpServer } from '@jetway/core/edge'
import { z } from 'zod'
import manifest from '../package.json' with { type: 'json' }

/** What each request gets from the Worker's bindings: `vars` in wrangler.jsonc, and secrets. */
export interface Bindings {
  readonly GREETING: string
}

export const server = new McpServer<Bindings>({
  name: '__NAME__',
  title: '__TITLE__',
  version: manifest.version,
})

server.addTool({
  name: 'greet',
  title: 'Greet somebody',
  description: 'Returns a greeting for a person',
  annotations: { readOnly: true, destructive: false, openWorld: false },
  inputSchema: z.object({ name: z.string().min(1).max(100).describe('The name of the person') }),
  handler: ({ name }, ctx) => `${ctx.locals.GREETING}, ${name}`,
})
