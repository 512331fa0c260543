import { logLines } from '@jetway-apps/test-support'
import { describe, expect, it } from 'vitest'
import { McpServer, type RequestContext } from '../../src/index.ts'
import { openPeer } from '../support/peer.ts'

const TOO_LATE =
  'warn: ctx.log or ctx.progress was called after the handler had returned, so the client did not receive it; await the work'
const SMALLER =
  'warn: ctx.progress got a smaller value, which the client does not receive; report values that grow'

/** Calls a tool, and returns the log lines and the call's context. */
async function call(
  handler: (ctx: RequestContext) => unknown,
  meta: object = { progressToken: 1 },
): Promise<{ readonly lines: readonly string[]; readonly ctx: RequestContext }> {
  const logger = logLines()
  const server = new McpServer({ name: 'test', version: '1' }, { logger })
  let kept: RequestContext | undefined
  server.addTool({
    name: 'works',
    handler: (_args, ctx) => {
      kept = ctx
      return handler(ctx) as string
    },
  })
  const peer = await openPeer(server)
  await peer.request('tools/call', { name: 'works', _meta: meta })
  return { lines: logger.lines, ctx: kept as RequestContext }
}

describe('a message that the client does not receive', () => {
  it.each<[string, (ctx: RequestContext) => void]>([
    ['ctx.log', (ctx) => ctx.log.info('late')],
    ['ctx.progress', (ctx) => void ctx.progress(5)],
  ])('is logged once per call if %s is called after the handler has returned', async (_, send) => {
    const { lines, ctx } = await call(() => 'done')
    expect(lines).toEqual([])
    send(ctx)
    send(ctx)
    expect(lines).toEqual([TOO_LATE])
  })

  it.each([
    ['the client has requested progress', { progressToken: 1 }],
    ['the client has not requested progress', {}],
  ])('is logged once per call if progress decreases and %s', async (_, meta) => {
    const { lines } = await call(async (ctx) => {
      for (const value of [1, 3, 2, 0]) await ctx.progress(value)
      return 'done'
    }, meta)
    expect(lines).toEqual([SMALLER])
  })

  it('is not logged if the handler reports the same progress again', async () => {
    const { lines } = await call(async (ctx) => {
      for (const value of [1, 1, 2]) await ctx.progress(value)
      return 'done'
    })
    expect(lines).toEqual([])
  })

  it('is not logged if the client has cancelled the call', async () => {
    const logger = logLines()
    const server = new McpServer({ name: 'test', version: '1' }, { logger })
    const sent = new Promise<void>((resolve) => {
      server.addTool({
        name: 'works',
        handler: (_args, ctx) =>
          ctx.signal.addEventListener('abort', () => {
            ctx.log.info('late')
            resolve(ctx.progress(5))
          }) ?? new Promise<string>(() => {}),
      })
    })
    const peer = await openPeer(server)
    void peer.request('tools/call', { name: 'works' })
    peer.notify('notifications/cancelled', { requestId: 2 })
    await sent
    expect(logger.lines).toEqual([])
  })
})
