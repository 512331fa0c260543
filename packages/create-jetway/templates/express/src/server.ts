import { readFileSync } from 'node:fs'
import { McpServer } from '@jetway/core'
import { z } from 'zod'

const manifest = new URL('../package.json', import.meta.url)
const { version } = JSON.parse(readFileSync(manifest, 'utf8')) as { version: string }

export const server = new McpServer({ name: '__NAME__', title: '__TITLE__', version })

server.addTool({
  name: 'greet',
  title: 'Greet somebody',
  description: 'Returns a greeting for a person',
  annotations: { readOnly: true, destructive: false, openWorld: false },
  inputSchema: z.object({ name: z.string().min(1).max(100).describe('The name of the person') }),
  handler: ({ name }) => `Hello, ${name}`,
})

server.addPrompt({
  name: 'introduce',
  title: 'Introduce somebody',
  description: 'Asks the model to introduce a person to a group',
  argsSchema: z.object({ name: z.string().describe('The name of the person') }),
  handler: ({ name }) =>
    `Greet ${name} with the tool greet, and introduce them to the group in one sentence.`,
})
