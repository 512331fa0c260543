import { silent } from '@jetway-apps/test-support'
import { describe, expect, it } from 'vitest'
import { McpServer } from '../../src/index.ts'

interface Reply {
  readonly result?: Record<string, unknown>
  readonly error?: { readonly code: number; readonly message: string }
}

function create() {
  const server = new McpServer({ name: 'layers', version: '1' }, { logger: silent })
  server.addTool({ name: 'one', handler: () => 'one' })
  const ask = async (
    params: object,
    protocolVersion = '2025-11-25',
    method = 'tools/call',
  ): Promise<Reply> => {
    const answer = await server.handleMessage({ jsonrpc: '2.0', id: 1, method, params }, { protocolVersion })
    return JSON.parse(answer ?? '') as Reply
  }
  return { server, ask }
}

describe('server.use with a method', () => {
  it('types the parameters and the result', async () => {
    const { server, ask } = create()
    const seen: string[] = []
    server.use('tools/call', async (ctx, next) => {
      seen.push(ctx.message.params.name.toUpperCase())
      const called = await next()
      return { ...called, content: [...called.content, { type: 'text', text: 'more' }] }
    })
    // @ts-expect-error reading a resource has no name
    server.use('resources/read', async (ctx, next) => ctx.message.params.name.length ? next() : next()) // prettier-ignore
    // @ts-expect-error there is no such method
    expect(() => server.use('tools/cal', async (_ctx, next) => next())).toThrow(/ERR_MCP_OPTION/)
    // @ts-expect-error no result of a tool
    server.use('tools/call', async () => ({ text: 'no' }))
    const { result } = await ask({ name: 'one' })
    expect(seen).toEqual(['ONE'])
    expect(result).toBeDefined()
  })

  it.each([{}, { name: 5 }, { name: 'one', arguments: [] }])(
    'does not run middleware for invalid parameters: %j',
    async (params) => {
      const { server, ask } = create()
      let ran = 0
      server.use('tools/call', (_ctx, next) => {
        ran++
        return next()
      })
      expect((await ask(params)).error?.code).toBe(-32602)
      expect(ran).toBe(0)
    },
  )

  it('adapts a result returned by middleware to the client’s revision', async () => {
    const { server, ask } = create()
    server.use('tools/call', async () => ({
      content: [{ type: 'resource_link', uri: 'file:///a', name: 'a' }],
      structuredContent: { a: 1 },
    }))
    expect((await ask({ name: 'one' })).result).toHaveProperty('structuredContent')
    const older = (await ask({ name: 'one' }, '2025-03-26')).result
    expect(older).not.toHaveProperty('structuredContent')
    expect(JSON.stringify(older)).not.toContain('resource_link')
  })

  it('treats an error from middleware like an error from a handler', async () => {
    const { server, ask } = create()
    server.use('tools/call', () => Promise.reject(new Error('canary')))
    const reply = await ask({ name: 'one' })
    expect(reply.result).toMatchObject({ isError: true })
    expect(JSON.stringify(reply)).not.toContain('canary')
  })

  it('affects only calls that start after the middleware is added', async () => {
    const { server, ask } = create()
    expect((await ask({ name: 'one' })).result).not.toHaveProperty('_meta')
    server.use(async (_ctx, next) => ({ ...(await next()), _meta: { late: true } }))
    expect((await ask({ name: 'one' })).result).toMatchObject({ _meta: { late: true } })
  })

  it('does not validate a result that middleware has replaced', async () => {
    const { server, ask } = create()
    server.addTool({
      name: 'typed',
      outputSchema: { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] } as const,
      handler: () => ({ n: 1 }),
    })
    server.use('tools/call', async (_ctx, next) => ({ ...(await next()), structuredContent: { m: 2 } }))
    expect((await ask({ name: 'typed' })).result).toMatchObject({ structuredContent: { m: 2 } })
  })
})
