import { FakeClock, logLines, settled } from '@jetway-apps/test-support'
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import type { RequestContext } from '../../../src/call/request-context.ts'
import { McpServer } from '../../../src/server/mcp-server.ts'
import type { ServerOptions } from '../../../src/server/options.ts'
import { accept, type AnsweringClient, openAnsweringClient, textOf } from '../../support/answering-client.ts'

const ok = z.object({ ok: z.boolean() })

function serverOf(handler: (ctx: RequestContext) => unknown, options: ServerOptions = {}): McpServer {
  const server = new McpServer({ name: 'a', version: '1' }, options)
  server.addTool({ name: 'a', handler: (_args, ctx) => handler(ctx) })
  return server
}

describe('questions from a running handler', () => {
  it('resolve to the answers from the user, the model and the client', async () => {
    const server = serverOf(async (ctx) => {
      const form = await ctx.elicit('Sure?', ok)
      const seen = await ctx.elicit('Sure?', ok, { declined: 'see' })
      const said = await ctx.sample({ messages: [], maxTokens: 5 })
      const roots = await ctx.listRoots()
      return JSON.stringify([form, seen, said.model, roots])
    })
    let forms = 0
    const client = await openAnsweringClient(server, {
      answer: ({ method }) => {
        if (method === 'roots/list') return { roots: [{ uri: 'file:///a', name: 'a' }] }
        if (method === 'sampling/createMessage')
          return { role: 'assistant', content: { type: 'text', text: 'x' }, model: 'm' }
        return forms++ === 0 ? accept({ ok: true }) : { action: 'decline' }
      },
    })
    expect(JSON.parse(textOf(await client.call('a')))).toEqual([
      { ok: true },
      { action: 'decline' },
      'm',
      [{ uri: 'file:///a', name: 'a' }],
    ])
  })

  it('can pass tools and their results to a model', async () => {
    const text = { type: 'text', text: 'Rain?' } as const
    const use = { type: 'tool_use', id: 'u1', name: 'weather', input: { city: 'Oslo' } } as const
    const outcome = { type: 'tool_result', toolUseId: 'u1', content: [text] } as const
    const params = {
      messages: [
        { role: 'user', content: text },
        { role: 'assistant', content: [use] },
        { role: 'user', content: [outcome] },
      ],
      maxTokens: 9,
      tools: [{ name: 'weather', inputSchema: { type: 'object' } }],
      toolChoice: { mode: 'auto' },
    } as const
    const client = await openAnsweringClient(
      serverOf(async (ctx) => (await ctx.sample(params)).model),
      { answer: () => ({ role: 'assistant', content: text, model: 'm1' }) },
    )
    expect(textOf(await client.call('a'))).toBe('m1')
    expect(client.asked[0]?.params).toEqual(params)
  })

  it.each<[string, (ctx: RequestContext) => Promise<unknown>]>([
    ['roots', (ctx) => ctx.listRoots()],
    ['a message', (ctx) => ctx.sample({ messages: [], maxTokens: 5 })],
  ])('reject if the response does not contain %s', async (_what, handler) => {
    const client = await openAnsweringClient(serverOf(handler), { answer: () => ({ roots: [5], role: 'x' }) })
    expect(textOf(await client.call('a'))).toContain('is not valid')
  })

  it('end the call if the user declines and the handler does not catch the error', async () => {
    const client = await openAnsweringClient(
      serverOf((ctx) => ctx.elicit('Sure?', ok)),
      { answer: () => ({ action: 'decline' }) },
    )
    expect((await client.call('a')).result).toEqual({
      content: [{ type: 'text', text: 'The user declined: Sure?' }],
      isError: true,
    })
  })

  it("pause the handler's timeout until they are answered", async () => {
    const clock = new FakeClock()
    const server = serverOf(
      async (ctx) => {
        await Promise.all([ctx.elicit('One?', ok), ctx.elicit('Two?', ok)])
        await ctx.elicit('Three?', ok)
        await new Promise((resolve) => clock.setTimeout(() => resolve(undefined), 800))
        return 'done'
      },
      { clock, limits: { handlerTimeoutMs: 1_000, maxHandlerTimeoutMs: 1_000 } },
    )
    const client = await openAnsweringClient(server)
    const reply = client.call('a')
    await client.hasAsked(2)
    for (const [index, wait] of [400_000, 100_000, 400_000].entries()) {
      await clock.advance(wait)
      client.send({ id: client.asked[index]?.id, result: accept({ ok: true }) })
      await settled()
    }
    await clock.advance(900)
    expect(textOf(await reply)).toBe('done')
  })

  it("do not extend the handler's timeout after the answer", async () => {
    const clock = new FakeClock()
    const logger = logLines()
    const server = serverOf(
      async (ctx) => {
        await ctx.elicit('One?', ok)
        return new Promise(() => {})
      },
      { clock, logger, limits: { handlerTimeoutMs: 1_000, maxHandlerTimeoutMs: 1_000 } },
    )
    const client = await openAnsweringClient(server)
    const reply = client.call('a')
    await client.hasAsked(1)
    await clock.advance(400_000)
    client.send({ id: client.asked[0]?.id, result: accept({ ok: true }) })
    await settled()
    await clock.advance(1_000)
    expect(textOf(await reply)).toBe('Timed out: tools/call reported no progress for 1000 ms')
    expect(logger.lines).toEqual([expect.stringContaining('it reported no progress for 1000 ms')])
    expect(clock.pending).toBe(0)
  })

  it('are cancelled if the call ends before they are answered', async () => {
    const logger = logLines()
    const client = await openAnsweringClient(
      serverOf(
        (ctx) => {
          ctx.elicit('Sure?', ok).catch(() => {})
          return 'done'
        },
        { logger },
      ),
    )
    expect(textOf(await client.call('a'))).toBe('done')
    await settled()
    expect(client.notifications).toMatchObject([
      { method: 'notifications/cancelled', params: { requestId: client.asked[0]?.id } },
    ])
    expect(logger.lines).toEqual(['warn: The tool "a" returned before its ctx.elicit was answered; await it'])
  })

  it('reject if the client does not support them', async () => {
    const client = await openAnsweringClient(
      serverOf((ctx) => ctx.elicit('Sure?', ok)),
      { capabilities: {} },
    )
    expect((await client.call('a')).error).toMatchObject({
      code: -32600,
      data: { requiredCapabilities: { elicitation: {} } },
    })
    expect(client.asked).toEqual([])
  })

  it('are cancelled by a notification without metadata if the call is cancelled', async () => {
    const client = await openAnsweringClient(serverOf((ctx) => ctx.elicit('Sure?', ok)))
    void client.call('a')
    await client.hasAsked(1)
    client.notify('notifications/cancelled', { requestId: 2 })
    await settled()
    expect(client.notifications).toEqual([
      {
        jsonrpc: '2.0',
        method: 'notifications/cancelled',
        params: { requestId: client.asked[0]?.id, reason: 'The call has ended' },
      },
    ])
  })

  it('are not answered by responses with other ids, which are counted', async () => {
    const server = serverOf(async (ctx) => String((await ctx.elicit('Sure?', ok)).ok))
    const client = await openAnsweringClient(server)
    const reply = client.call('a')
    await client.hasAsked(1)
    for (const id of [1, '1', 'ping-1', 'x-1']) client.send({ id, result: accept({ ok: false }) })
    client.send({ id: client.asked[0]?.id, result: accept({ ok: true }) })
    expect(textOf(await reply)).toBe('true')
    expect(server.stats().refusals).toEqual({ unmatchedResponse: 4 })
  })

  it('can use any method, and their results are not validated', async () => {
    const server = serverOf(async (ctx) => {
      const failed = await ctx.request('com.example/none').catch(String)
      return JSON.stringify([await ctx.request('com.example/weather', { city: 'Rome' }), failed])
    })
    const client = await openAnsweringClient(server, {
      answer: ({ method, params }) =>
        method === 'com.example/weather' ? { sky: params } : { error: { code: -32601, message: 'No' } },
    })
    expect(JSON.parse(textOf(await client.call('a')))).toEqual([
      { sky: { city: 'Rome' } },
      expect.stringContaining(
        '"com.example/none" was not answered: the client replied with error -32601: No',
      ),
    ])
  })

  it('are limited to 64 at a time per client', async () => {
    let failures = 0
    const logger = logLines()
    const server = serverOf(
      async (ctx) => {
        const all = Array.from({ length: 70 }, () => ctx.listRoots().catch(() => failures++))
        await Promise.race(all)
        return 'done'
      },
      { logger },
    )
    const client: AnsweringClient = await openAnsweringClient(server)
    expect(textOf(await client.call('a'))).toBe('done')
    expect(client.asked).toHaveLength(64)
    await settled()
    expect(failures).toBe(70)
    expect(logger.lines).toEqual([
      'warn: The tool "a" returned before its ctx.listRoots was answered; await it',
    ])
  })
})
