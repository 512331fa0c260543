import { deferred, logLines, settled, silent } from '@jetway-apps/test-support'
import { createServer, defineExtension, elicit, tasks } from '@jetway/core'
import { apps } from '@jetway/core/apps'
import { connect, connectPeer, memoryTransport } from '@jetway/testing'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { z } from 'zod'
import { prefix, sourceOf } from '../src/index.ts'
import { create, textOf } from './support/servers.ts'

const SESSION = '2025-11-25'

describe('sourceOf', () => {
  it("runs the server's middleware inside that of the containing server, with each server's own names", async () => {
    const [parent, child] = [create('parent'), create('child')]
    const order: string[] = []
    for (const [name, server] of [
      ['parent', parent],
      ['child', child],
    ] as const)
      server.use('tools/call', async (ctx, next) => {
        order.push(`${name} ${ctx.message.params.name}`)
        const result = await next()
        order.push(`${name} ends`)
        return result
      })
    child.addTool({
      name: 'show',
      handler: (_args, ctx) => void order.push(`handler ${String(ctx.message.params?.['name'])}`),
    })
    parent.observe(prefix('c', sourceOf(child)))
    await using client = await connect(parent)
    await client.callTool('c_show')
    expect(order).toEqual(['parent c_show', 'child show', 'handler show', 'child ends', 'parent ends'])
  })

  it("passes the server's app to handlers, rules, completers and lists, and opens its lifespan once", async () => {
    let opened = 0
    const child = createServer()(
      { name: 'child', version: '1' },
      { logger: silent, lifespan: async () => ({ number: ++opened }) },
    )
    child.addTool({
      name: 'app',
      visible: (ctx) => ctx.app.number === 1,
      handler: (_args, ctx) => String(ctx.app.number),
    })
    child.addResourceTemplate({
      uriTemplate: 'a://{b}',
      name: 'a',
      complete: { b: (_value, ctx) => [String(ctx.app.number)] },
      list: (ctx) => [{ uri: `a://${ctx.app.number}`, name: 'listed' }],
      handler: (_variables, ctx) => String(ctx.app.number),
    })
    const parent = createServer()({ name: 'parent', version: '1' }, { lifespan: () => 'of the parent' })
    parent.use(async (ctx, next) => {
      expect(ctx.app).toBe('of the parent')
      return next()
    })
    parent.observe(sourceOf(child))
    expect(opened).toBe(0)
    await using client = await connect(parent)
    expect((await client.listTools()).map(({ name }) => name)).toEqual(['app'])
    expect(textOf(await client.callTool('app'))).toBe('1')
    expect((await client.listResources()).map(({ uri }) => uri)).toEqual(['a://1'])
    expect((await client.readResource('a://x')).contents).toMatchObject([{ text: '1' }])
    expect((await client.complete({ template: 'a://{b}', argument: 'b' }, '')).values).toEqual(['1'])
    await parent.close()
    await child.close()
  })

  it("reports hidden errors to the server's own onError, once, with the reference that the client has", async () => {
    const seen: unknown[] = []
    const child = create('child', {
      onError: (error, ctx, id) => seen.push([error, ctx.message.params?.['name'], id]),
    })
    const parent = create('parent', { onError: () => seen.push('parent') })
    const broken = new Error('secret')
    child.addTool({
      name: 'breaks',
      handler: () => {
        throw broken
      },
    })
    parent.observe(prefix('c', sourceOf(child)))
    await using client = await connect(parent)
    const result = await client.callTool('c_breaks')
    expect(result.isError).toBe(true)
    const [, reference] = /reference ([\w-]+)/.exec(String(textOf(result))) ?? []
    expect(seen).toEqual([[broken, 'breaks', reference]])
  })

  it("applies the server's time limits, strictInput and validateOutput", async () => {
    const child = create('child', {
      limits: { handlerTimeoutMs: 20 },
      tools: { strictInput: true, validateOutput: false },
    })
    child.addTool({ name: 'hangs', handler: () => new Promise(() => {}) })
    child.addTool({ name: 'strict', inputSchema: z.object({ a: z.string() }), handler: () => 'ok' })
    child.addTool({
      name: 'lies',
      outputSchema: { type: 'object', properties: { n: { type: 'number' } } },
      handler: () => ({ n: 'none' }) as never,
    })
    const parent = create('parent')
    parent.observe(sourceOf(child))
    await using client = await connect(parent)
    expect(textOf(await client.callTool('hangs'))).toMatch(/no progress for 20 ms/)
    expect(textOf(await client.callTool('strict', { a: 'x', b: 1 }))).toMatch(/b: is not a known property/)
    expect(await client.callTool('lies')).toMatchObject({ structuredContent: { n: 'none' } })
  })

  it("does not confuse the server's tools with those of the client's session", async () => {
    const [parent, child] = [create('parent'), create('child')]
    child.addTool({ name: 'show', handler: () => 'child' })
    parent.observe(prefix('c', sourceOf(child)))
    parent.on('session:open', ({ session }) => {
      parent.forSession(session).addTool({ name: 'show', handler: () => 'session' })
    })
    await using client = await connect(parent, { revision: SESSION })
    expect(textOf(await client.callTool('c_show'))).toBe('child')
    expect(textOf(await client.callTool('show'))).toBe('session')
  })

  it('asks questions, samples and reads roots during a call, with the client of the call', async () => {
    const [parent, child] = [create('parent'), create('child')]
    child.addTool({
      name: 'asks',
      handler: async (_args, ctx) => {
        const { name } = await ctx.elicit('Name?', z.object({ name: z.string() }))
        const sampled = await ctx.sample({ messages: [], maxTokens: 1 })
        const [root] = await ctx.listRoots()
        return `${name} ${JSON.stringify(sampled.content)} ${root?.uri}`
      },
    })
    parent.observe(sourceOf(child))
    await using client = await connect(parent, {
      revision: SESSION,
      handlers: {
        elicit: [{ action: 'accept', content: { name: 'Ada' } }],
        sample: ['hello'],
        roots: ['file:///a'],
      },
    })
    expect(textOf(await client.callTool('asks'))).toBe('Ada {"type":"text","text":"hello"} file:///a')
  })

  it('asks questions before a call becomes a task', async () => {
    const [parent, child] = [create('parent', { extensions: [tasks()] }), create('child')]
    child.addTool({
      name: 'greet',
      taskSupport: 'required',
      inputSchema: z.object({ title: z.string().default('Dr.') }),
      asks: { name: ({ title }) => elicit(`${title} who?`, z.object({ name: z.string() })) },
      handler: (_args, ctx) => ctx.answers.name.name,
    })
    parent.observe(sourceOf(child))
    const capabilities = { elicitation: { form: {} }, extensions: { 'io.modelcontextprotocol/tasks': {} } }
    const transport = await memoryTransport.open(parent)
    const client = await connectPeer(await transport.dial(), { revision: '2026-07-28', capabilities })
    onTestFinished(() => client.close())
    expect((await client.request('tools/call', { name: 'greet' })).result).toMatchObject({
      resultType: 'input_required',
      inputRequests: { name: { params: { message: 'Dr. who?' } } },
    })
  })

  it('publishes its log messages and completed URLs on the containing server', async () => {
    const [parent, child] = [create('parent'), create('child')]
    child.addTool({ name: 'a', handler: () => 'a' })
    parent.observe(sourceOf(child))
    const seen: unknown[] = []
    parent.runtime.listeners.add((event) => void seen.push(event))
    await using client = await connect(parent, { revision: SESSION })
    await client.notification('notifications/message', { data: 'outside' }, () =>
      child.log.warning('outside'),
    )
    child.completeElicitation('an id')
    child.notify.toolsChanged()
    expect(seen).toEqual([
      { kind: 'log', level: 'warning', data: 'outside' },
      { kind: 'elicitation', id: 'an id' },
      { kind: 'tools' },
    ])
  })

  it('calls subscriber hooks once for the clients of both servers', async () => {
    const [parent, child] = [create('parent'), create('child')]
    const hooks: string[] = []
    child.addResource({
      uri: 'a://b',
      name: 'b',
      onSubscribe: (uri) => void hooks.push(`+${uri}`),
      onUnsubscribe: (uri) => void hooks.push(`-${uri}`),
      handler: () => 'b',
    })
    parent.observe(prefix('p', sourceOf(child), { uris: true }))
    await using outer = await connect(parent, { revision: SESSION })
    await using inner = await connect(child, { revision: SESSION })
    await inner.subscribe('a://b')
    await outer.subscribe('p+a://b')
    await vi.waitFor(() => expect(hooks).toEqual(['+a://b']))
    await inner.unsubscribe('a://b')
    await settled()
    expect(hooks).toEqual(['+a://b'])
    await outer.unsubscribe('p+a://b')
    await vi.waitFor(() => expect(hooks).toEqual(['+a://b', '-a://b']))
  })

  it('warns of extensions, which do not cross, except tasks and user interfaces', () => {
    const logger = logLines()
    const known = defineExtension({ id: 'com.example/search', methods: {} })
    sourceOf(create('child', { logger, extensions: [apps()] }))
    expect(logger.lines).toEqual([])
    sourceOf(create('child', { logger, extensions: [known] }))
    expect(logger.lines).toEqual([
      'warn: The extensions of a composed server are not served by the server that contains it',
    ])
  })
})

describe('server.close of a contained server', () => {
  it('waits for its running calls, and refuses later ones', async () => {
    const [parent, child] = [create('parent'), create('child')]
    const [started, finish] = [deferred(), deferred<string>()]
    child.addTool({
      name: 'slow',
      handler: () => {
        started.resolve()
        return finish.promise
      },
    })
    parent.observe(sourceOf(child))
    await using client = await connect(parent)
    const call = client.callTool('slow')
    await started.promise
    expect(child.stats().callsInFlight).toBe(1)
    const closed = child.close()
    finish.resolve('done')
    expect(textOf(await call)).toBe('done')
    await closed
    await expect(client.callTool('slow')).rejects.toThrow('The server of this definition has closed')
  })

  it('ends calls that exceed its deadline', async () => {
    const [parent, child] = [create('parent'), create('child')]
    const started = deferred<AbortSignal>()
    child.addTool({
      name: 'hangs',
      handler: (_args, ctx) => {
        started.resolve(ctx.signal)
        return new Promise(() => {})
      },
    })
    parent.observe(sourceOf(child))
    await using client = await connect(parent)
    const call = client.callTool('hangs')
    const signal = await started.promise
    await child.close({ deadline: 0 })
    await expect(call).rejects.toThrow('The server ended the call')
    expect(signal.aborted).toBe(true)
  })

  it('is not caused by the close of the containing server', async () => {
    const child = create('child')
    child.addTool({ name: 'a', handler: () => 'a' })
    const parent = create('parent')
    parent.observe(sourceOf(child))
    await parent.close()
    await using client = await connect(child)
    expect(textOf(await client.callTool('a'))).toBe('a')
  })
})

describe('a server that would contain itself', () => {
  it('is refused, directly and through other servers and views', () => {
    const [a, b, c] = [create('a'), create('b'), create('c')]
    expect(() => a.observe(sourceOf(a))).toThrow(/ERR_MCP_CYCLE/)
    a.observe(prefix('b', sourceOf(b)))
    b.observe(prefix('c', sourceOf(c)))
    expect(() => c.observe(prefix('a', sourceOf(a)))).toThrow(/ERR_MCP_CYCLE/)
    expect(() => c.observe(sourceOf(b))).toThrow(/ERR_MCP_CYCLE/)
  })

  it('is accepted after the other server has detached it', () => {
    const [a, b] = [create('a'), create('b')]
    const observation = a.observe(sourceOf(b))
    observation.detach()
    expect(() => b.observe(sourceOf(a))).not.toThrow()
  })
})
