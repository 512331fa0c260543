import { settled } from '@jetway-apps/test-support'
import { type AnyTool, content, contents, createServer, message, type Source } from '@jetway/core'
import { app, apps } from '@jetway/core/apps'
import { connect } from '@jetway/testing'
import { describe, expect, it } from 'vitest'
import { prefix, sourceOf } from '../../src/index.ts'
import { create, keepLines, textOf } from '../support/servers.ts'

const SESSION = '2025-11-25'
const VIEWER = { extensions: { 'io.modelcontextprotocol/ui': { mimeTypes: ['text/html;profile=mcp-app'] } } }

const sourceWith = (tools: readonly AnyTool<unknown, unknown>[], more: Partial<Source> = {}): Source => ({
  tools: () => tools,
  onChange: () => () => {},
  ...more,
})

describe('prefix', () => {
  it('puts the name before tools and prompts, and looks names up instead of splitting them', async () => {
    const [parent, orders, special] = [create('parent'), create('orders'), create('special')]
    orders.addTool({ name: 'eu_show', handler: () => 'orders eu_show' })
    orders.addPrompt({ name: 'greet', handler: () => 'hello' })
    special.addTool({ name: 'show', handler: () => 'eu show' })
    parent.observe(prefix('orders', sourceOf(orders)))
    parent.observe(prefix('orders_eu', sourceOf(special), { separator: '__' }))
    await using client = await connect(parent)
    expect((await client.listTools()).map(({ name }) => name)).toEqual(['orders_eu_show', 'orders_eu__show'])
    expect(textOf(await client.callTool('orders_eu_show'))).toBe('orders eu_show')
    expect(textOf(await client.callTool('orders_eu__show'))).toBe('eu show')
    expect((await client.listPrompts()).map(({ name }) => name)).toEqual(['orders_greet'])
    await expect(client.callTool('eu_show')).rejects.toThrow('Unknown tool')
  })

  it('keeps the first of two equal names, and logs the second', async () => {
    const { lines, logger } = keepLines()
    const [parent, a, b] = [create('parent', { logger }), create('a'), create('b')]
    a.addTool({ name: 'b_show', handler: () => 'first' })
    b.addTool({ name: 'show', handler: () => 'second' })
    await settled()
    parent.observe(prefix('a', sourceOf(a)))
    parent.observe(prefix('a_b', sourceOf(b)))
    await using client = await connect(parent)
    expect(textOf(await client.callTool('a_b_show'))).toBe('first')
    expect(lines).toMatchObject([['A definition of an observed source was left out', {}]])
  })

  it('ends names beyond maxNameLength with a digest', async () => {
    const [parent, child] = [create('parent'), create('child')]
    const long = 'x'.repeat(70)
    for (const name of [`${long}a`, `${long}b`, 'dotted.name', 'short'])
      child.addTool({ name, handler: (_args, ctx) => String(ctx.message.params?.['name']) })
    await parent.observe(prefix('c', sourceOf(child), { maxNameLength: 64 })).ready
    await using client = await connect(parent)
    const names = (await client.listTools()).map(({ name }) => name)
    expect(names).toEqual([
      expect.stringMatching(/^c_x+_[0-9a-f]{8}$/),
      expect.stringMatching(/^c_x+_[0-9a-f]{8}$/),
      expect.stringMatching(/^c_dotted_name_[0-9a-f]{8}$/),
      'c_short',
    ])
    expect(new Set(names).size).toBe(4)
    expect(names.every((name) => name.length <= 64)).toBe(true)
    expect(textOf(await client.callTool(names[1] as string))).toBe(`${long}b`)
  })

  it('changes the names of related tools', async () => {
    const [parent, child] = [create('parent'), create('child')]
    child.addTool({ name: 'a', relatedTools: [{ name: 'b', relation: 'suggested' }], handler: () => 'a' })
    child.addTool({ name: 'b', handler: () => 'b' })
    parent.observe(prefix('c', sourceOf(child)))
    await using client = await connect(parent)
    expect((await client.listTools())[0]?._meta).toEqual({
      'dev.jetway/relatedTools': [{ name: 'c_b', relation: 'suggested' }],
    })
  })

  it('keeps definitions that have not changed, so that they are not compiled again', async () => {
    const child = create('child')
    child.addTool({ name: 'a', handler: () => 'a' })
    child.addResource({ uri: 'a://b', name: 'b', handler: () => 'b' })
    child.addPrompt({ name: 'p', handler: () => 'p' })
    const source = prefix('c', sourceOf(child), { uris: true })
    const read = async () => [
      ...((await source.tools?.()) ?? []),
      ...((await source.resources?.()) ?? []),
      ...((await source.prompts?.()) ?? []),
    ]
    const before = await read()
    child.addTool({ name: 'z', handler: () => 'z' })
    const after = await read()
    expect(before).toHaveLength(3)
    for (const definition of before) expect(after).toContain(definition)
  })

  it.each([
    ['', {}, 'ERR_MCP_INVALID_NAME'],
    ['a.b', {}, 'ERR_MCP_INVALID_NAME'],
    ['a', { separator: '.' }, 'ERR_MCP_OPTION'],
    ['a', { maxNameLength: 10 }, 'ERR_MCP_OPTION'],
    ['a_b', { uris: true }, 'ERR_MCP_COMPOSE'],
  ])('refuses the name %j with %j', (name, options, code) => {
    expect(() => prefix(name, sourceWith([]), options)).toThrow(code)
  })

  it('leaves a malformed definition to the server, which logs it', async () => {
    const { lines, logger } = keepLines()
    const parent = create('parent', { logger })
    const odd = [
      null,
      7,
      { name: 9 },
      { name: 'no-handler' },
      { name: 'a', relatedTools: 'x', handler: () => 'a' },
    ]
    const good = { name: 'good', handler: () => 'good' }
    parent.observe(prefix('c', sourceWith([...odd, good] as never), { logger }))
    await using client = await connect(parent)
    expect((await client.listTools()).map(({ name }) => name)).toEqual(['c_good'])
    expect(lines).toHaveLength(odd.length)
  })
})

describe('prefix, with uris', () => {
  it('changes addresses in lists, templates, reads, links, embedded resources and messages', async () => {
    const [parent, child] = [create('parent'), create('child')]
    const link = content.link({ uri: 'data://x', name: 'x' })
    child.addResource({ uri: 'data://x', name: 'x', handler: (_args, ctx) => ctx.uri })
    child.addResource({
      uri: 'data://many',
      name: 'many',
      handler: () => contents([{ uri: 'data://many/1', text: '1' }]),
    })
    child.addResourceTemplate({
      uriTemplate: 'notes://{day}',
      name: 'notes',
      list: () => [{ uri: 'notes://monday', name: 'Monday' }],
      handler: ({ day }, ctx) => `${day} ${ctx.uri}`,
    })
    child.addTool({
      name: 'links',
      handler: () => [
        link,
        content.resource({ uri: 'data://x', text: 'x' }),
        content.link({ uri: 'https://example.com/', name: 'web' }),
        content.text('see data://x'),
      ],
    })
    child.addPrompt({ name: 'links', handler: () => [message.user(link)] })
    parent.observe(prefix('c', sourceOf(child), { uris: true }))
    await using client = await connect(parent)
    expect((await client.listResources()).map(({ uri }) => uri)).toEqual([
      'c+data://x',
      'c+data://many',
      'c+notes://monday',
    ])
    expect((await client.listResourceTemplates()).map(({ uriTemplate }) => uriTemplate)).toEqual([
      'c+notes://{day}',
    ])
    expect((await client.readResource('c+data://x')).contents).toEqual([
      { uri: 'c+data://x', text: 'data://x' },
    ])
    expect((await client.readResource('c+data://many')).contents).toEqual([
      { uri: 'c+data://many/1', text: '1' },
    ])
    expect((await client.readResource('c+notes://monday')).contents).toEqual([
      { uri: 'c+notes://monday', text: 'monday notes://monday' },
    ])
    expect((await client.callTool('c_links')).content).toMatchObject([
      { uri: 'c+data://x' },
      { resource: { uri: 'c+data://x' } },
      { uri: 'https://example.com/' },
      { text: 'see data://x' },
    ])
    const [first] = (await client.getPrompt('c_links')).messages
    expect(first?.content).toMatchObject({ uri: 'c+data://x' })
    await expect(client.readResource('data://x')).rejects.toThrow('not found')
  })

  it('changes addresses in updates, subscriptions and the hooks behind them', async () => {
    const [parent, child] = [create('parent'), create('child')]
    const hooks: string[] = []
    child.addResource({
      uri: 'data://x',
      name: 'x',
      onSubscribe: (uri) => void hooks.push(uri),
      handler: () => 'x',
    })
    parent.observe(prefix('c', sourceOf(child), { uris: true }))
    await using client = await connect(parent)
    await client.notification('notifications/resources/updated', { uri: 'c+data://x' }, () =>
      child.notify.resourceUpdated('data://x'),
    )
    expect(hooks).toEqual(['data://x'])
  })

  it('also works for sources that are no servers, whatever their handlers return', async () => {
    const parent = create('parent')
    const link = { type: 'resource_link', uri: 'data://x', name: 'x' } as const
    const returned = [[content.link(link)], { content: [link] }, JSON.stringify([link]), { links: [link] }]
    const tools = returned.map((value, index) => ({ name: `t${index}`, handler: () => value }))
    const resource = { uri: 'data://x', name: 'x', handler: (_args: object, ctx: { uri: string }) => ctx.uri }
    parent.observe(prefix('c', sourceWith(tools, { resources: () => [resource] }), { uris: true }))
    await using client = await connect(parent)
    const results = await Promise.all(tools.map(({ name }) => client.callTool(`c_${name}`)))
    expect(results.map((result) => JSON.stringify(result.content).includes('c+data'))).toEqual([
      true,
      true,
      false,
      false,
    ])
    expect((await client.readResource('c+data://x')).contents).toEqual([
      { uri: 'c+data://x', text: 'data://x' },
    ])
  })
})

describe('prefix of user interfaces', () => {
  const withView = (name: string) => {
    const child = create(name, { extensions: [apps()] })
    child.addTool({ name: 'show', ui: { resourceUri: 'ui://dash' }, handler: () => `${name} show` })
    child.addTool({ name: 'load', ui: { visibility: ['app'] }, handler: () => `${name} load` })
    child.addTool({ name: 'model', ui: { visibility: ['model'] }, handler: () => `${name} model` })
    child.add(app({ uri: 'ui://dash', name: 'dash', html: `<!doctype html>${name}` }))
    return child
  }

  it('changes their addresses even without uris, since hosts require the scheme', async () => {
    const parent = create('parent', { extensions: [apps()] })
    parent.observe(prefix('a', sourceOf(withView('a'))))
    parent.observe(prefix('b', sourceOf(withView('b'))))
    await using client = await connect(parent, { capabilities: VIEWER })
    const tools = await client.listTools()
    expect(
      tools.map(({ name, _meta }) => [
        name,
        (_meta?.['ui'] as { resourceUri?: string } | undefined)?.resourceUri,
      ]),
    ).toEqual([
      ['a_show', 'ui://a+dash'],
      ['a_load', undefined],
      ['a_model', undefined],
      ['b_show', 'ui://b+dash'],
      ['b_load', undefined],
      ['b_model', undefined],
    ])
    expect((await client.readResource('ui://b+dash')).contents).toMatchObject([
      { uri: 'ui://b+dash', text: '<!doctype html>b' },
    ])
  })

  it('keeps the plain names of tools that a view may call, in calls only', async () => {
    const parent = create('parent', { extensions: [apps()] })
    parent.observe(prefix('outer', prefix('a', sourceOf(withView('a')))))
    await using client = await connect(parent, { capabilities: VIEWER })
    expect(textOf(await client.callTool('load'))).toBe('a load')
    expect(textOf(await client.callTool('show'))).toBe('a show')
    await expect(client.callTool('model')).rejects.toThrow('Unknown tool')
    expect((await client.listTools()).map(({ name }) => name)).toEqual([
      'outer_a_show',
      'outer_a_load',
      'outer_a_model',
    ])
  })

  it('gives a plain name that two prefixes claim to neither, and logs it', async () => {
    const { lines, logger } = keepLines()
    const parent = create('parent', { extensions: [apps()], logger })
    const first = parent.observe(prefix('a', sourceOf(withView('a'))))
    parent.observe(prefix('b', sourceOf(withView('b'))))
    await using client = await connect(parent, { capabilities: VIEWER })
    await expect(client.callTool('load')).rejects.toThrow('Unknown tool')
    expect(lines).toEqual([
      [expect.stringContaining('claim the same alias'), { alias: 'show', tools: ['a_show', 'b_show'] }],
      [expect.stringContaining('claim the same alias'), { alias: 'load', tools: ['a_load', 'b_load'] }],
    ])
    first.detach()
    await settled()
    expect(textOf(await client.callTool('load'))).toBe('b load')
  })
})

describe('prefix, with locals', () => {
  it("maps the locals of the containing server's mount to those of the source", async () => {
    const child = createServer<{ user: string }>()({ name: 'child', version: '1' })
    child.addTool({
      name: 'who',
      visible: (ctx) => ctx.locals.user !== '',
      handler: (_args, ctx) => ctx.locals.user,
    })
    const parent = createServer<{ session: { user: string } }>()({ name: 'parent', version: '1' })
    parent.addTool({ name: 'whole', handler: (_args, ctx) => JSON.stringify(ctx.locals) })
    parent.observe(
      prefix('c', sourceOf(child), {
        locals: (locals: { session: { user: string } }) => ({ user: locals.session.user }),
      }),
    )
    await using client = await connect(parent, { revision: SESSION, locals: { session: { user: 'ada' } } })
    expect(textOf(await client.callTool('c_who'))).toBe('ada')
    expect(textOf(await client.callTool('whole'))).toBe('{"session":{"user":"ada"}}')
  })
})
