import type { McpServer } from '@jetway/core'
import { app } from '@jetway/core/apps'
import { z } from 'zod'

const uri = 'ui://everything/counter'

/** Adds a user interface, a tool whose results it shows, and a tool that only the user interface may call. */
export function addAppTools(server: McpServer): void {
  server.add(
    app({
      uri,
      name: 'counter',
      html: '<!doctype html><html lang="en"><title>Counter</title><output>0</output></html>',
      csp: { connectDomains: ['https://example.com'] },
      prefersBorder: true,
    }),
  )
  server.addTool({
    name: 'show_counter',
    description: 'Shows a number, in a user interface where there is one',
    inputSchema: z.object({ count: z.int().default(0) }),
    ui: { resourceUri: uri },
    handler: ({ count }) => `The counter is at ${count}`,
  })
  server.addTool({
    name: 'count_up',
    description: 'Adds one to a number that the user interface shows',
    inputSchema: z.object({ count: z.int() }),
    ui: { resourceUri: uri, visibility: ['app'] },
    handler: ({ count }) => `The counter is at ${count + 1}`,
  })
}
