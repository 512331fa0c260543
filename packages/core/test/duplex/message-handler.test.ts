import { initialize, request, settled, silent } from '@jetway-apps/test-support'
import { describe, expect, it } from 'vitest'
import { McpServer } from '../../src/index.ts'

function weather(): McpServer {
  const server = new McpServer({ name: 'queue', version: '1' }, { logger: silent })
  server.addTool({
    name: 'who',
    handler: async (_args, ctx) => {
      await ctx.progress(1)
      return `${ctx.auth?.principal} ${String(ctx.locals)} ${ctx.session?.id}`
    },
  })
  server.addTool({
    name: 'chatty',
    handler: async (_args, ctx) => {
      ctx.log.error('one')
      void ctx.progress(1)
      await ctx.progress(2)
      return 'said'
    },
  })
  return server
}

function throwOffline(): never {
  throw new Error('offline')
}

const call = (name: string): object => request('tools/call', { name, _meta: { progressToken: 1 } }, 7)

describe('server.handleMessage', () => {
  it.each([
    ['as text', JSON.stringify(call('who'))],
    ['as an object', call('who')],
  ])(
    'responds to a message passed %s, and calls the handler with the caller but no session',
    async (_, message) => {
      const sent: string[] = []
      const answer = await weather().handleMessage(message, {
        auth: { principal: 'ada' },
        locals: 'queue',
        send: (frame) => void sent.push(frame),
      })
      expect(JSON.parse(answer ?? '')).toMatchObject({
        id: 7,
        result: { content: [{ text: 'ada queue undefined' }] },
      })
      expect(sent.map((frame) => (JSON.parse(frame) as { method: string }).method)).toEqual([
        'notifications/progress',
      ])
    },
  )

  it.each([
    ['throws', () => throwOffline()],
    ['rejects', () => Promise.reject(new Error('offline'))],
  ])('responds to a call even if `send` %s', async (_, send) => {
    const answer = await weather().handleMessage(call('chatty'), { send })
    expect(JSON.parse(answer ?? '')).toMatchObject({ id: 7, result: { content: [{ text: 'said' }] } })
  })

  it('responds to initialize', async () => {
    const message = initialize('2025-06-18')
    expect(JSON.parse((await weather().handleMessage(message)) ?? '')).toMatchObject({
      result: { protocolVersion: '2025-06-18', serverInfo: { name: 'queue' } },
    })
  })

  it.each([
    { jsonrpc: '2.0', method: 'notifications/initialized' },
    { jsonrpc: '2.0', id: 1, result: {} },
  ])('returns undefined for a message that needs no response: %j', async (message) => {
    expect(await weather().handleMessage(message)).toBeUndefined()
  })

  it.each([
    ['{', -32700],
    ['[]', -32600],
    [JSON.stringify([call('who')]), -32600],
    ['1', -32600],
    [JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'no/such' }), -32601],
  ])('responds to an invalid message with an error: %s', async (message, code) => {
    expect(JSON.parse((await weather().handleMessage(message)) ?? '')).toMatchObject({ error: { code } })
  })

  it('returns an error with the served revisions if protocolVersion is not one of them', async () => {
    const answer = await weather().handleMessage(call('who'), { protocolVersion: '1999-01-01' })
    expect(JSON.parse(answer ?? '')).toMatchObject({ id: 7, error: { code: -32600 } })
  })

  it('is awaited by server.close(), as are its waitUntil promises', async () => {
    const server = weather()
    const steps: string[] = []
    const kept: Promise<unknown>[] = []
    let finish = (): void => {}
    server.addTool({
      name: 'leave',
      handler: (_args, ctx) => {
        ctx.waitUntil(new Promise<void>((resolve) => (finish = resolve)).then(() => steps.push('left work')))
        return 'done'
      },
    })
    await server.handleMessage(call('leave'), { waitUntil: (work) => void kept.push(work) })
    const closing = server.close().then(() => steps.push('closed'))
    await settled()
    expect(steps).toEqual([])
    finish()
    await closing
    expect(steps).toEqual(['left work', 'closed'])
    expect(kept).toHaveLength(1)
    const refused = await server.handleMessage(call('leave'))
    expect(JSON.parse(refused ?? '')).toMatchObject({ id: 7, error: { code: -32603 } })
  })
})
