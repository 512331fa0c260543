import { McpServer } from '@jetway/core'
import { z } from 'zod'

// #region experimental
export const server = new McpServer(
  { name: 'desk', version: '1.0.0' },
  { experimental: { 'com.example/handoff': { version: 2 } } },
)
// #endregion

// #region own
server.addTool({
  name: 'open_case',
  description: 'Opens a case, whose tools are there from then on',
  inputSchema: z.object({ number: z.int() }),
  handler({ number }, { session }) {
    if (session === undefined) return 'This connection has no sessions'
    const own = server.forSession(session)
    own.addTool({
      name: 'close_case',
      description: `Closes case ${number}`,
      handler() {
        own.removeTool('close_case')
        return `Case ${number} is closed`
      },
    })
    return `Case ${number} is open`
  },
})
// #endregion

// #region opened
server.on('session:open', ({ session, client }) => {
  if (client !== 'desk-app') return
  server.forSession(session).addTool({ name: 'print', description: 'Prints', handler: () => 'Printed' })
})
// #endregion

// #region updates
const prices = new Map([['tea', 4]])
server.addResourceTemplate({
  uriTemplate: 'price://{article}',
  name: 'price',
  handler: ({ article }) => prices.get(article)?.toString(),
})

export function setPrice(article: string, price: number): void {
  prices.set(article, price)
  server.notify.resourceUpdated(`price://${article}`)
}
// #endregion
