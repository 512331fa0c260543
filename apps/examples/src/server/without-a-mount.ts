import { McpServer } from '@jetway/core'

/** A placeholder for a table. */
export const audit: string[] = []
const record = async (line: string): Promise<void> => void audit.push(line)

// #region server
export const server = new McpServer({ name: 'orders', version: '1.0.0' })

server.addTool({
  name: 'confirm',
  description: 'Confirms the next order',
  async handler(_args, ctx) {
    await ctx.progress(1, 2, 'looking it up')
    ctx.waitUntil(record(`${ctx.auth?.principal} confirmed an order`))
    return 'Confirmed'
  },
})
// #endregion

/** A message from a queue. */
export interface Job {
  readonly body: string
  readonly sender: string
  readonly reply: (text: string) => Promise<void>
}

// #region queue
export async function consume({ body, sender, reply }: Job): Promise<void> {
  const answer = await server.handleMessage(body, { auth: { principal: sender } })
  if (answer !== undefined) await reply(answer)
}
// #endregion

// #region function
interface FunctionContext {
  waitUntil(work: Promise<unknown>): void
}

export async function onEvent(message: unknown, context: FunctionContext): Promise<string | undefined> {
  return server.handleMessage(message, {
    protocolVersion: '2025-06-18',
    waitUntil: (work) => context.waitUntil(work),
  })
}
// #endregion

// #region progress
export async function consumeWithProgress({ body, sender, reply }: Job): Promise<void> {
  const answer = await server.handleMessage(body, { auth: { principal: sender }, send: reply })
  if (answer !== undefined) await reply(answer)
}
// #endregion
