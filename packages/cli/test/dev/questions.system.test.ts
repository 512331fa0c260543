/** Questions to the client that are still open when their process is replaced. */
import { Client } from '@jetway/client'
import { http } from '@jetway/client/http'
import { childProcess } from '@jetway/client/stdio'
import { describe, expect, it, onTestFinished } from 'vitest'
import { ASKED_CLIENTS, connectAsked } from './support/asked-client.ts'
import type { Target } from './support/clients.ts'
import { createProject, definition, type Project, TRANSPORTS } from './support/project.ts'

const ASKS = `
server.addTool({
  name: 'elicit',
  handler: async (_, ctx) => JSON.stringify(await ctx.elicit('Which name?', z.object({ name: z.string() }))),
})
server.addTool({
  name: 'sample',
  handler: async (_, ctx) => {
    const content = { type: 'text', text: 'Hello' } as const
    return JSON.stringify(await ctx.sample({ messages: [{ role: 'user', content }], maxTokens: 10 }))
  },
})`

describe.each(Object.entries(TRANSPORTS))('saving a file while a question is pending over %s', (_, start) => {
  describe.each(ASKED_CLIENTS)('%s', (name) => {
    it.each(['elicit', 'sample'])('cancels %s, and the call returns an error result', async (tool) => {
      const project = await createProject(definition([], ASKS))
      const client = await connectAsked(name, await start(project))
      const call = client.call(tool)
      await client.asked
      await project.save(definition(['changed'], ASKS))
      await client.cancelled
      expect(await call).toMatchObject({ isError: true })
    })
  })
})

const KEY = "requestState: { keys: ['MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE'] }"

/** Returns the code of a tool that asks in rounds. Any process that has the keys can continue the call. */
const rounds = (greeting: string, options = ''): string => `
import { elicit, McpServer } from '@jetway/core'
import { z } from 'zod'
const server = new McpServer({ name: 'dev', version: '1.0.0' }, { ${options} })
server.addTool({
  name: 'greet',
  asks: { who: () => elicit('Who?', z.object({ name: z.string() })) },
  handler: (_, { answers }) => \`${greeting} \${answers.who.name}\`,
})
server.addTool({ name: '${greeting}', handler: () => '' })
export default server
`

/** Calls `greet` with a client of revision 2026-07-28, and saves different code before the question is answered. */
async function greet(start: (project: Project) => Promise<Target>, options: string) {
  const project = await createProject(rounds('Hello', options))
  const target = await start(project)
  const client: Client = new Client(
    { name: 'asked', version: '1.0.0' },
    {
      revisions: ['2026-07-28'],
      handlers: {
        async elicit() {
          const changed = new Promise<void>((resolve) => client.on('toolsChanged', () => resolve()))
          await project.save(rounds('Goodbye', options))
          await changed
          return { action: 'accept', content: { name: 'Ann' } }
        },
      },
    },
  )
  onTestFinished(() => client.close())
  await client.connect(
    'url' in target ? http(target.url) : childProcess({ ...target, inheritEnv: 'all', stderr: 'ignore' }),
  )
  return client.callTool('greet')
}

describe.each(Object.entries(TRANSPORTS))(
  'a call over %s whose question is answered after a file is saved',
  (_, start) => {
    it('continues in a new process with the same keys', async () => {
      expect(await greet(start, KEY)).toMatchObject({ content: [{ text: 'Goodbye Ann' }] })
    })

    it('is rejected by a new process with different keys', async () => {
      await expect(greet(start, '')).rejects.toThrow('send the request again without it')
    })
  },
)
