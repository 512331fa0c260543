import { readFileSync } from 'node:fs'
import process from 'node:process'
import { McpServer } from '@jetway/core'
import { z } from 'zod'

const manifest = new URL('../package.json', import.meta.url)
const { version } = JSON.parse(readFileSync(manifest, 'utf8')) as { version: string }

/** A setting, which jetway.json describes. */
const { GREETING = 'Hello' } = process.env

export const server = new McpServer({ name: '__NAME__', title: '__TITLE__', version })

server.addTool({
  name: 'greet',
  title: 'Greet somebody',
  description: 'Returns a greeting for a person',
  annotations: { readOnly: true, destructive: false, openWorld: false },
  inputSchema: z.object({ name: z.string().min(1).max(100).describe('The name of the person') }),
  handler: ({ name }) => `${GREETING}, ${name}`,
})

server.addResource({
  uri: 'settings://greeting',
  name: 'greeting',
  title: 'Greeting',
  description: 'The word that the server greets with',
  mimeType: 'text/plain',
  handler: () => GREETING,
})
