import { type AuthInfo, ErrorCode, McpError, McpServer } from '@jetway/core'

export const server = new McpServer({ name: 'guarded', version: '1.0.0' })
export const timings: { method: string; ms: number }[] = []

// #region all
server.use(async (ctx, next) => {
  const start = performance.now()
  try {
    return await next()
  } finally {
    timings.push({ method: ctx.message.method, ms: performance.now() - start })
  }
})
// #endregion

// #region refuse
const maySell = (auth: AuthInfo | undefined): boolean => auth?.scopes?.includes('sell') ?? false

server.use('tools/call', async (ctx, next) => {
  if (ctx.message.params?.['name'] === 'sell' && !maySell(ctx.auth))
    throw new McpError(ErrorCode.InvalidParams, 'Selling needs the scope "sell"')
  return next()
})
// #endregion

// #region change
server.use('tools/call', async (_, next) => {
  const called = await next()
  return { ...called, _meta: { ...called._meta, 'com.example/served-by': 'north' } }
})
// #endregion

server.addTool({ name: 'look', description: 'Looks around', handler: () => 'Shelves' })
server.addTool({ name: 'sell', description: 'Sells everything', handler: () => 'Sold' })
