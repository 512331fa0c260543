import { AsyncLocalStorage } from 'node:async_hooks'
import { ErrorCode, McpError, McpServer } from '@jetway/core'

// #region all
export const server = new McpServer({ name: 'shop', version: '1.0.0' })

const caller = new AsyncLocalStorage<string>()

server.use((ctx, next) => caller.run(ctx.auth?.principal ?? 'somebody', next))
// #endregion

// #region refuse
const MOST_CALLS = 3
const calls = new Map<string, number>()

server.use('tools/call', async (ctx, next) => {
  const principal = ctx.auth?.principal ?? ''
  const count = (calls.get(principal) ?? 0) + 1
  calls.set(principal, count)
  if (count > MOST_CALLS) throw new McpError(ErrorCode.InvalidRequest, 'No calls are left for today')
  return next()
})
// #endregion

// #region change
server.use('tools/call', async (_, next) => {
  const called = await next()
  return { ...called, _meta: { ...called._meta, 'com.example/served-by': 'north' } }
})
// #endregion

server.addTool({
  name: 'greet',
  description: 'Says hello to the caller',
  handler: () => `Hello, ${caller.getStore()}`,
})

// #region visible
server.addTool({
  name: 'refund',
  description: 'Gives the money back',
  visible: (ctx) => ctx.auth?.scopes?.includes('refund') ?? false,
  handler: () => 'Refunded',
})
// #endregion

// #region events
export const served: string[] = []

server.on('request', ({ method, name, outcome, durationMs }) => {
  served.push(`${method} ${name ?? ''}: ${outcome} after ${durationMs.toFixed()} ms`)
})
// #endregion
