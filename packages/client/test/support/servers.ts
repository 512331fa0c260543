import { asks, content, defineTool, elicit, listRoots, McpServer, result, sample } from '@jetway/core'
import { createMemoryTransportPair } from '@jetway/core/transport'
import { onTestFinished } from 'vitest'
import { z } from 'zod'
import { Client } from '../../src/client/client.ts'
import type { ClientOptions } from '../../src/options/options.ts'
import { duplex } from '../../src/transport/duplex.ts'
import { INFO } from './scripted.ts'

export const addNumbers = defineTool({
  name: 'add',
  inputSchema: z.object({ a: z.number(), b: z.number().default(1) }),
  outputSchema: z.object({ sum: z.number() }),
  handler: ({ a, b }) => ({ sum: a + b }),
})

const bookTable = defineTool({
  name: 'book',
  inputSchema: z.object({ day: z.string() }),
  asks: asks(z.object({ day: z.string() }))
    .ask('guests', ({ day }) => elicit(`How many on ${day}?`, z.object({ count: z.number().int() })))
    .ask('folder', () => listRoots())
    .ask('wish', (_, ctx) =>
      sample({
        messages: [
          { role: 'user', content: { type: 'text', text: `A wish for ${ctx.answers.guests.count}` } },
        ],
        maxTokens: 20,
      }),
    ),
  handler: ({ day }, { answers }) => {
    const { content: said } = answers.wish
    const wish = !Array.isArray(said) && 'text' in said ? said.text : '?'
    return `${day}: ${answers.guests.count}, ${answers.folder[0]?.uri}, ${wish}`
  },
})

/** Creates a server with every kind of feature. */
export function everything(): McpServer {
  const server = new McpServer(
    { name: 'all', version: '1.2.3' },
    { instructions: 'Ask away', limits: { pageSize: 2 } },
  )
  server.add(addNumbers, bookTable)
  server.addTool({ name: 'hello', handler: () => 'Hello' })
  server.addTool({ name: 'fail', handler: () => result.error('It is broken') })
  server.addTool({
    name: 'slow',
    handler: async (_, ctx) => {
      for (let i = 1; i <= 3; i++) await ctx.progress(i, 3, `step ${i}`)
      return 'done'
    },
  })
  server.addTool({
    name: 'chatty',
    handler: (_, ctx) => {
      ctx.log.info('working')
      return 'said'
    },
  })
  server.addTool({
    name: 'wait',
    handler: (_, ctx) =>
      new Promise<string>((resolve) => {
        ctx.signal.addEventListener('abort', () => resolve('stopped'))
      }),
  })
  server.addTool({ name: 'picture', handler: () => content.image('AAAA', 'image/png') })
  server.addResource({ uri: 'note://one', name: 'one', handler: () => 'First' })
  server.addResourceTemplate({
    uriTemplate: 'note://{name}/text',
    name: 'notes',
    complete: { name: (value: string) => ['anna', 'alma', 'bert'].filter((name) => name.startsWith(value)) },
    handler: ({ name }) => `About ${name}`,
  })
  server.addPrompt({
    name: 'brief',
    argsSchema: z.object({ city: z.string() }),
    handler: ({ city }) => `Tell me about ${city}`,
  })
  return server
}

/** Connects a client to a server in this process. Both are closed at the end of the test. */
export async function connectTo(server: McpServer, options: ClientOptions = {}): Promise<Client> {
  const [near, far] = createMemoryTransportPair()
  server.connect(far, { endGraceMs: 50 })
  const client = new Client(INFO, options)
  onTestFinished(async () => {
    await client.close()
    await server.close({ deadline: 0 })
  })
  return client.connect(duplex(near))
}
