import { silent } from '@jetway-apps/test-support'
import { describe, expect, expectTypeOf, it } from 'vitest'
import { z } from 'zod'
import {
  content,
  contents,
  definePrompt,
  defineResource,
  defineResourceTemplate,
  defineTool,
  type Handle,
  McpServer,
  message,
  type Middleware,
  type RequestContext,
  result,
  ToolError,
} from '../../src/index.ts'
import { openPeer } from '../support/peer.ts'

interface User {
  readonly name: string
}

const info = { name: 'weather', version: '1.0.0' }
const create = (): McpServer => new McpServer(info)
const forecastOf = async (city: string): Promise<{ high: number; low: number }> => ({
  high: city.length,
  low: 0,
})

async function call(server: McpServer, name: string, args: object = {}): Promise<unknown> {
  const { result: answer } = await (await openPeer(server)).request('tools/call', { name, arguments: args })
  return answer
}

describe('a typical server', () => {
  it('adds a tool that returns text', async () => {
    const server = create()
    server.addTool({ name: 'hello', handler: () => 'Hello' })
    expect(await call(server, 'hello')).toEqual({ content: [{ type: 'text', text: 'Hello' }] })
  })

  it('adds a tool with a schema, a default and a structured result', async () => {
    const server = create()
    server.addTool({
      name: 'get_forecast',
      description: 'Forecast for a city',
      inputSchema: z.object({ city: z.string(), days: z.number().int().max(7).default(3) }),
      outputSchema: z.object({ high: z.number(), low: z.number() }),
      async handler({ city, days }, ctx) {
        expectTypeOf(city).toEqualTypeOf<string>()
        expectTypeOf(days).toEqualTypeOf<number>()
        await ctx.progress(1, days)
        return forecastOf(city)
      },
    })
    expect(await call(server, 'get_forecast', { city: 'Oslo' })).toEqual({
      content: [{ type: 'text', text: '{"high":4,"low":0}' }],
      structuredContent: { high: 4, low: 0 },
    })
  })

  it('reports an error from a tool to the model', async () => {
    const server = create()
    server.addTool({
      name: 'strict',
      inputSchema: z.object({ city: z.string() }),
      outputSchema: z.object({ high: z.number() }),
      handler: ({ city }) => {
        if (city === '') throw new ToolError('Which city?')
        return city === 'Atlantis' ? result.error('It has sunk') : { high: 1 }
      },
    })
    expect(await call(server, 'strict', { city: '' })).toMatchObject({ isError: true })
    expect(await call(server, 'strict', { city: 'Atlantis' })).toMatchObject({ isError: true })
  })

  it('adds a tool that returns images and links', async () => {
    const server = create()
    server.addTool({
      name: 'map',
      handler: () => [content.text('Here'), content.image(new Uint8Array([1]), 'image/png')],
    })
    server.addTool({
      name: 'more',
      handler: () => result({ content: [content.link({ uri: 'weather://oslo', name: 'oslo' })] }),
    })
    expect(await call(server, 'map')).toMatchObject({
      content: [{ type: 'text' }, { type: 'image', data: 'AQ==' }],
    })
    expect(await call(server, 'more')).toMatchObject({ content: [{ type: 'resource_link' }] })
  })

  it('adds resources, a template and a prompt', async () => {
    const server = create()
    server.addResource({ uri: 'weather://cities', name: 'cities', handler: () => ['Oslo'] })
    server.addResource({
      uri: 'weather://icon',
      name: 'icon',
      mimeType: 'image/png',
      handler: () => new Uint8Array(2),
    })
    server.addResourceTemplate({
      uriTemplate: 'weather://{country}/{city}{?days}',
      name: 'city',
      handler: ({ country, city, days }, ctx) => {
        expectTypeOf(country).toEqualTypeOf<string>()
        expectTypeOf(days).toEqualTypeOf<string | undefined>()
        return days === undefined ? undefined : contents([{ text: `${city}, ${country}`, uri: ctx.uri }])
      },
    })
    server.addPrompt({
      name: 'brief',
      argsSchema: z.object({ city: z.string(), tone: z.enum(['dry', 'warm']).optional() }),
      complete: { city: (value) => ['Oslo', 'Bergen'].filter((city) => city.startsWith(value)) },
      handler: ({ city, tone = 'dry' }) => {
        expectTypeOf(tone).toEqualTypeOf<'dry' | 'warm'>()
        return [message.user(`Summarise ${city}`), message.assistant(tone)]
      },
    })
    const peer = await openPeer(server)
    const read = async (uri: string): Promise<unknown> => {
      const { result: found, error } = await peer.request('resources/read', { uri })
      return error ?? found['contents']
    }
    expect(await read('weather://cities')).toMatchObject([{ mimeType: 'application/json', text: '["Oslo"]' }])
    expect(await read('weather://icon')).toMatchObject([{ mimeType: 'image/png', blob: 'AAA=' }])
    expect(await read('weather://no/oslo?days=3')).toMatchObject([{ text: 'oslo, no' }])
    expect(await read('weather://no/oslo')).toMatchObject({ code: -32002 })
    const { result: prompt } = await peer.request('prompts/get', {
      name: 'brief',
      arguments: { city: 'Oslo' },
    })
    expect(prompt['messages']).toMatchObject([
      { role: 'user' },
      { role: 'assistant', content: { text: 'dry' } },
    ])
  })

  it('opens a database in the lifespan', async () => {
    const server = new McpServer(info, { lifespan: async () => ({ count: (): number => 7 }) })
    server.addTool({
      name: 'count',
      handler: (_args, ctx) => {
        expectTypeOf(ctx.app).toEqualTypeOf<{ count: () => number }>()
        return ctx.app.count()
      },
    })
    server.addResource({ uri: 'a://b', name: 'b', handler: (_args, ctx) => ctx.app.count() })
    server.addPrompt({ name: 'p', handler: (_args, ctx) => `${ctx.app.count()}` })
    const peer = await openPeer(server)
    expect((await peer.request('tools/call', { name: 'count' })).result).toMatchObject({
      content: [{ text: '7' }],
    })
  })

  it('reads locals from the mount', () => {
    const server = new McpServer<{ user: User }>(info)
    server.addTool({
      name: 'whoami',
      handler: (_args, ctx) => {
        expectTypeOf(ctx.locals.user).toEqualTypeOf<User>()
        return ctx.locals.user.name
      },
    })
    server.use('tools/call', async (ctx, next) => {
      expectTypeOf(ctx.locals.user.name).toEqualTypeOf<string>()
      return next()
    })
  })

  it('keeps definitions in separate files, for any server or for servers with a specific app', async () => {
    const hello = defineTool({
      name: 'hello',
      inputSchema: z.object({ to: z.string() }),
      handler: ({ to }) => `Hi ${to}`,
    })
    const count = defineTool({
      name: 'count',
      handler: (_args, ctx: RequestContext<{ count: () => number }>) => ctx.app.count(),
    })
    const cities = defineResource({ uri: 'a://b', name: 'b', handler: () => 'x' })
    const city = defineResourceTemplate({
      uriTemplate: 'a://{city}',
      name: 'city',
      handler: (args) => args.city,
    })
    const brief = definePrompt({
      name: 'brief',
      arguments: [{ name: 'city', required: true }],
      handler: (args) => args.city,
    })
    const server = new McpServer(info, { lifespan: () => ({ count: () => 7 }) })
    server.add(hello, count, cities, city, brief)
    server.addTool({ ...hello, name: 'again' })
    const plain = create()
    plain.add(hello, cities, city, brief)
    // @ts-expect-error this server opens no such app
    plain.add(count)
    // @ts-expect-error the app is also missing for a tool added alone
    plain.addTool(count, { replace: true })
    expect((await (await openPeer(server)).request('tools/list')).result['tools']).toHaveLength(3)
  })

  it('adds middleware with the typed result of its method', async () => {
    const server = create()
    server.addTool({ name: 'hello', handler: () => 'Hello' })
    const timing: Middleware = async (_ctx, next) => next()
    server.use(timing)
    server.use('tools/call', async (_ctx, next) => {
      const answer = await next()
      expectTypeOf(answer.isError).toEqualTypeOf<boolean | undefined>()
      return { ...answer, content: [...answer.content, content.text('!')] }
    })
    server.use('tools/list', async (_ctx, next) => {
      const { tools, ...rest } = await next()
      return { ...rest, tools: tools.filter(({ name }) => name !== 'hidden') }
    })
    expect(await call(server, 'hello')).toMatchObject({ content: [{ text: 'Hello' }, { text: '!' }] })
    // @ts-expect-error there is no such method
    expect(() => server.use('tools/cal', timing)).toThrow(/ERR_MCP_OPTION/)
    // @ts-expect-error a call returns content
    server.use('tools/call', async () => ({ text: 'no' }))
  })

  it('updates or removes an entry through its handle', async () => {
    const server = create()
    const handle = server.addTool({
      name: 'a',
      inputSchema: z.object({ n: z.number() }),
      handler: ({ n }) => n,
    })
    expectTypeOf(handle).toExtend<Handle<{ name: string }>>()
    handle.update({ description: 'New', handler: ({ n }) => n + 1 })
    // @ts-expect-error the schema has no such member
    handle.update({ handler: ({ m }) => String(m) })
    handle.update({ handler: ({ n }) => n + 1 })
    expect(await call(server, 'a', { n: 1 })).toMatchObject({ content: [{ text: '2' }] })
    handle.remove()
    expect(server.removeTool('a')).toBe(false)
  })

  it('removes entries, and returns false for those already removed', () => {
    const server = create()
    server.addTool({ name: 'a', handler: () => '' })
    server.addPrompt({ name: 'a', handler: () => '' })
    server.addResource({ uri: 'a://', name: 'a', handler: () => '' })
    server.addResourceTemplate({ uriTemplate: 'a://{b}', name: 'a', handler: () => '' })
    const remove = (): readonly boolean[] => [
      server.removeTool('a'),
      server.removePrompt('a'),
      server.removeResource('a://'),
      server.removeResourceTemplate('a://{b}'),
    ]
    expect(remove()).toEqual([true, true, true, true])
    expect(remove()).toEqual([false, false, false, false])
  })

  it('infers types from JSON Schema', async () => {
    const server = create()
    server.addTool({
      name: 'json',
      inputSchema: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
      outputSchema: { type: 'array', items: { type: 'string' } },
      handler: (args) => {
        expectTypeOf(args).toEqualTypeOf<{ city: string }>()
        return [args.city]
      },
    })
    server.addTool({
      name: 'converted',
      inputSchema: z.toJSONSchema(z.object({ n: z.number() })),
      handler: (args) => args['n'],
    })
    expect(await call(server, 'json', { city: 'Oslo' })).toMatchObject({ content: [{ text: '["Oslo"]' }] })
    expect(await call(server, 'json', {})).toMatchObject({ isError: true })
  })
})

describe('a typical mistake', () => {
  const inputSchema = z.object({ city: z.string() })
  const server = create()
  const never = (run: () => void): void => expect(run).toBeTypeOf('function')

  it('in the arguments is a compile error', () => {
    never(() => {
      // @ts-expect-error the schema has no such member
      server.addTool({ name: 'a', inputSchema, handler: ({ town }) => String(town) })
      // @ts-expect-error the schema has a string
      server.addTool({ name: 'a', inputSchema, handler: ({ city }: { city: number }) => city })
      // @ts-expect-error without a schema there are no arguments
      server.addTool({ name: 'a', handler: ({ city }: { city: string }) => city })
    })
  })

  it('in the definition is a compile error', () => {
    never(() => {
      // @ts-expect-error no handler
      server.addTool({ name: 'a', inputSchema })
      // @ts-expect-error no name
      server.addTool({ handler: () => 'x' })
      // @ts-expect-error misspelt
      server.addTool({ name: 'a', decription: 'x', handler: () => 'x' })
      // @ts-expect-error misspelt
      server.addTool({ name: 'a', annotations: { readonlyHint: true }, handler: () => 'x' })
      // @ts-expect-error other libraries use this name for the schema
      server.addTool({ name: 'a', parameters: inputSchema, handler: () => 'x' })
      // @ts-expect-error no URI
      server.addResource({ name: 'a', handler: () => 'x' })
      // @ts-expect-error a template has a uriTemplate
      server.addResourceTemplate({ uri: 'a://{b}', name: 'a', handler: () => 'x' })
      // @ts-expect-error the template has no such variable
      server.addResourceTemplate({ uriTemplate: 'a://{b}', name: 'a', handler: ({ c }) => String(c) })
      // @ts-expect-error prompt arguments are strings
      server.addPrompt({ name: 'a', argsSchema: z.object({ n: z.number() }), handler: () => 'x' })
      // @ts-expect-error prompts return messages
      server.addPrompt({ name: 'a', handler: () => ({ text: 'x' }) })
      // @ts-expect-error no version
      void new McpServer({ name: 'a' })
      // @ts-expect-error misspelt
      void new McpServer(info, { instruction: 'x' })
      // @ts-expect-error unknown protocol revision
      void new McpServer(info, { revisions: ['2025-01-01'] })
    })
  })

  it('in the context is a compile error', () => {
    never(() => {
      // @ts-expect-error the levels are those of syslog
      server.addTool({ name: 'a', handler: (_args, ctx) => ctx.log.warn('x') })
      // @ts-expect-error the server has no lifespan
      server.addTool({ name: 'a', handler: (_args, ctx) => String(ctx.app.db) })
      // @ts-expect-error the member is read-only
      server.addTool({ name: 'a', handler: (_args, ctx) => void (ctx.uri = 'x') })
    })
  })
})

describe('addTool', () => {
  const handler = (): string => 'x'

  it('throws an error without a `cause` if the handler is invalid', () => {
    expect(() => create().addTool({ name: 'a', handler: 5 as never })).toThrow(
      expect.toSatisfy((error: object) => !Object.hasOwn(error, 'cause')),
    )
  })

  it('allows an annotation that is not similar to a known one', () => {
    const annotations = { 'com.example/cost': 5 } as object
    expect(() => create().addTool({ name: 'a', annotations, handler })).not.toThrow()
  })
})

describe('a mistake in a handler', () => {
  it.each<[what: string, tool: object, says: string]>([
    [
      'forgets to return the value of an outputSchema',
      { outputSchema: z.object({ high: z.number() }), handler: () => {} },
      'The tool "a" returned no structured value; return what its outputSchema describes',
    ],
    [
      'calls ctx.log',
      { handler: (_: object, ctx: { log: (text: string) => void }) => ctx.log('text') },
      "log has a method for each level, such as log.info('text') [ERR_MCP_OPTION]",
    ],
  ])('is logged with a remedy if the handler %s', async (_, tool, says) => {
    const errors: unknown[] = []
    const error = (fields: object): void => void errors.push((fields as { readonly err: Error }).err)
    const server = new McpServer(info, { logger: { ...silent, error } })
    server.addTool({ name: 'a', ...tool } as Parameters<typeof server.addTool>[0])
    await call(server, 'a')
    expect(errors).toMatchObject([{ message: says }])
  })

  it("is logged without Jetway's stack frames if the handler returns an invalid value", async () => {
    const stacks: unknown[] = []
    const error = (fields: object): void => void stacks.push((fields as { readonly err: Error }).err.stack)
    const server = new McpServer(info, { logger: { ...silent, error } })
    server.addTool({ name: 'a', handler: () => 1n as never })
    await call(server, 'a')
    expect(stacks).toEqual([
      'OutputError: The tool "a" returned a value that JSON cannot carry: is a bigint; send a number or a string',
    ])
  })
})
