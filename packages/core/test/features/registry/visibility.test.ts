import { silent } from '@jetway-apps/test-support'
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { contents } from '../../../src/features/resources/resource-contents.ts'
import type { VisibleRule } from '../../../src/features/registry/handler.ts'
import { McpServer } from '../../../src/index.ts'
import { openPeer } from '../../support/peer.ts'
import { serveWeb } from '../../support/web-client.ts'

const create = (options: object = {}): McpServer =>
  new McpServer({ name: 'test', version: '1' }, { logger: silent, ...options })

const forAdmins: VisibleRule = (ctx) => ctx.auth?.scopes?.includes('admin') === true
const forAdminsLater: VisibleRule = async (ctx) => {
  await Promise.resolve()
  return forAdmins(ctx)
}

/** The same server with and without its hidden entries. */
function withAndWithout(
  visible: VisibleRule,
  options: object = {},
): { readonly hiding: McpServer; readonly without: McpServer } {
  const servers = [true, false].map((complete) => {
    const server = create(options)
    server.addTool({ name: 'a', handler: () => 'a' })
    if (complete) server.addTool({ name: 'secret', timeoutMs: 5000, visible, handler: () => 'secret' })
    server.addTool({ name: 'b', handler: () => 'b' })
    server.addPrompt({ name: 'a', handler: () => 'a' })
    if (complete) {
      server.addPrompt({
        name: 'secret',
        visible,
        argsSchema: z.object({ key: z.string() }),
        complete: { key: () => ['secret'] },
        handler: () => 'secret',
      })
    }
    server.addResource({ uri: 'notes://a', name: 'a', handler: () => 'a' })
    server.addResourceTemplate({
      uriTemplate: 'notes://open/{id}',
      name: 'open',
      complete: { id: () => ['open'] },
      handler: () => 'open',
    })
    if (complete) {
      server.addResource({ uri: 'notes://secret', name: 'secret', visible, handler: () => 'secret' })
      server.addResourceTemplate({
        uriTemplate: 'secrets://{id}',
        name: 'secrets',
        visible,
        complete: { id: () => ['secret'] },
        list: () => [{ uri: 'secrets://1', name: 'secret' }],
        handler: () => contents([{ text: 'secret' }]),
      })
    }
    return server
  }) as [McpServer, McpServer]
  return { hiding: servers[0], without: servers[1] }
}

const requests: [string, string, object][] = [
  ['a call', 'tools/call', { name: 'secret', arguments: {} }],
  ['a call with invalid arguments', 'tools/call', { name: 'secret', arguments: 5 }],
  ['the tools', 'tools/list', {}],
  ['the prompts', 'prompts/list', {}],
  ['a prompt', 'prompts/get', { name: 'secret', arguments: { key: 'x' } }],
  ['a prompt without its arguments', 'prompts/get', { name: 'secret' }],
  ['the resources', 'resources/list', {}],
  ['the templates', 'resources/templates/list', {}],
  ['a resource', 'resources/read', { uri: 'notes://secret' }],
  ['a resource of a template', 'resources/read', { uri: 'secrets://1' }],
  ['a subscription', 'resources/subscribe', { uri: 'notes://secret' }],
  ['a subscription to a resource of a template', 'resources/subscribe', { uri: 'secrets://1' }],
  [
    'a completion of a prompt',
    'completion/complete',
    { ref: { type: 'ref/prompt', name: 'secret' }, argument: { name: 'key', value: '' } },
  ],
  [
    'a completion of a template',
    'completion/complete',
    { ref: { type: 'ref/resource', uri: 'secrets://{id}' }, argument: { name: 'id', value: '' } },
  ],
  [
    'a completion of a resource',
    'completion/complete',
    { ref: { type: 'ref/resource', uri: 'notes://secret' }, argument: { name: 'id', value: '' } },
  ],
]

describe.each([
  ['a rule', forAdmins],
  ['an asynchronous rule', forAdminsLater],
  [
    'a rule that throws',
    (ctx) => {
      if (!forAdmins(ctx)) throw new Error('canary')
      return true
    },
  ],
  [
    'a rule that rejects',
    async (ctx) => {
      if (!forAdmins(ctx)) throw new Error('canary')
      return true
    },
  ],
] as [string, VisibleRule][])('an entry hidden by %s', (_name, visible) => {
  it.each(requests)(
    'produces the same response as an unknown entry, byte for byte: %s',
    async (_request, method, params) => {
      const { hiding, without } = withAndWithout(visible)
      const hidden = await (await serveWeb(hiding).open('anyone')).text(method, params)
      const absent = await (await serveWeb(without).open('anyone')).text(method, params)
      expect(hidden).toBe(absent)
      expect(hidden).not.toContain('canary')
    },
  )

  it.each(requests)('is visible to permitted callers: %s', async (_request, method, params) => {
    const { hiding, without } = withAndWithout(visible)
    const shown = await (await serveWeb(hiding).open('admin')).text(method, params)
    const absent = await (await serveWeb(without).open('admin')).text(method, params)
    expect(shown).not.toBe(absent)
  })
})

describe('a caller', () => {
  it("never receives another caller's list, regardless of the order in which they ask", async () => {
    const web = serveWeb(withAndWithout(forAdmins).hiding)
    const [admin, anyone] = [await web.open('admin'), await web.open('anyone')]
    const lists = []
    for (const client of [admin, anyone, admin, anyone]) lists.push(await client.text('tools/list'))
    expect(lists[0]).toContain('secret')
    expect(lists[1]).not.toContain('secret')
    expect(lists.slice(2)).toEqual(lists.slice(0, 2))
  })

  it('receives entries in the order of registration, even if some rules are slow', async () => {
    const server = create()
    const waiting: (() => void)[] = []
    for (const name of ['c', 'a', 'b']) {
      server.addTool({
        name,
        visible: () =>
          new Promise((resolve) => {
            waiting.push(() => resolve(true))
            if (waiting.length === 3) for (const answer of waiting.toReversed()) answer()
          }),
        handler: () => name,
      })
    }
    const peer = await openPeer(server)
    expect((await peer.request('tools/list')).result).toMatchObject({
      tools: [{ name: 'c' }, { name: 'a' }, { name: 'b' }],
    })
  })

  it('receives full pages that contain only visible entries', async () => {
    const server = create({ limits: { pageSize: 2 } })
    for (let i = 0; i < 8; i++)
      server.addTool({ name: `t${i}`, ...(i % 2 === 1 && { visible: forAdmins }), handler: () => '' })
    const anyone = await serveWeb(server).open()
    const first = await anyone.request('tools/list')
    expect(first.result).toMatchObject({ tools: [{ name: 't0' }, { name: 't2' }] })
    const second = await anyone.request('tools/list', { cursor: first.result['nextCursor'] })
    expect(second.result).toMatchObject({ tools: [{ name: 't4' }, { name: 't6' }] })
    expect(second.result).not.toHaveProperty('nextCursor')
  })

  it('cannot infer from a cursor that a hidden entry exists', async () => {
    const server = create({ limits: { pageSize: 1 } })
    for (const name of ['a', 'secret', 'b'])
      server.addTool({ name, ...(name === 'secret' && { visible: forAdmins }), handler: () => '' })
    const anyone = await serveWeb(server).open()
    const cursorOf = (name: string): object => ({ cursor: btoa(`tools:${name}`).replace(/=+$/, '') })
    expect(await anyone.text('tools/list', cursorOf('secret'))).toBe(
      await anyone.text('tools/list', cursorOf('nothing')),
    )
    expect((await anyone.request('tools/list', cursorOf('a'))).result).toMatchObject({
      tools: [{ name: 'b' }],
    })
  })

  it("receives the server's capabilities, regardless of which entries are visible to it", async () => {
    const server = create()
    server.addTool({ name: 'secret', visible: () => false, handler: () => '' })
    const peer = await openPeer(server)
    expect(peer.initialized.result['capabilities']).toMatchObject({ tools: { listChanged: true } })
    expect((await peer.request('tools/list')).result).toEqual({ tools: [] })
  })

  it('cannot reach a hidden resource through a template that matches its URI', async () => {
    const server = create()
    server.addResourceTemplate({ uriTemplate: 'notes://{id}', name: 'notes', handler: ({ id }) => id })
    server.addResource({ uri: 'notes://secret', name: 'secret', visible: forAdmins, handler: () => 'fixed' })
    const anyone = await serveWeb(server).open()
    expect((await anyone.request('resources/read', { uri: 'notes://secret' })).error).toMatchObject({
      code: -32002,
    })
    expect((await anyone.request('resources/read', { uri: 'notes://open' })).result).toMatchObject({
      contents: [{ text: 'open' }],
    })
  })
})

describe('a `visible` rule', () => {
  it('receives the context of its request', async () => {
    const seen: unknown[] = []
    const server = new McpServer<{ tenant: string }, { db: string }>(
      { name: 'test', version: '1' },
      { lifespan: () => ({ db: 'main' }) },
    )
    server.addTool({
      name: 'a',
      visible: (ctx) => {
        seen.push([ctx.message.method, ctx.locals.tenant, ctx.app.db, ctx.client.info?.name])
        return true
      },
      handler: () => 'x',
    })
    const peer = await openPeer(server, { locals: { tenant: 'acme' } })
    await peer.request('tools/list')
    await peer.request('tools/call', { name: 'a' })
    expect(seen).toEqual([
      ['tools/list', 'acme', 'main', 'test'],
      ['tools/call', 'acme', 'main', 'test'],
    ])
  })

  it('can distinguish two sessions', async () => {
    const server = create()
    let owner: string | undefined
    server.addTool({ name: 'claim', handler: (_args, ctx) => void (owner = ctx.session?.id) })
    server.addTool({ name: 'mine', visible: (ctx) => ctx.session?.id === owner, handler: () => 'mine' })
    const [one, other] = [await openPeer(server), await openPeer(server)]
    await one.request('tools/call', { name: 'claim' })
    expect((await one.request('tools/list')).result['tools']).toHaveLength(2)
    expect((await other.request('tools/list')).result['tools']).toHaveLength(1)
  })

  it('hides the entry unless it returns true', async () => {
    const server = create()
    for (const [name, said] of Object.entries({ no: undefined, one: 1, text: 'yes', yes: true }))
      server.addTool({ name, visible: () => said as boolean, handler: () => '' })
    const peer = await openPeer(server)
    expect((await peer.request('tools/list')).result).toMatchObject({ tools: [{ name: 'yes' }] })
  })

  it("is logged together with the hidden entry's name if it throws", async () => {
    const logged: object[] = []
    const server = create({ logger: { ...silent, error: (fields: object) => void logged.push(fields) } })
    const failure = new Error('canary')
    server.addTool({ name: 'a', visible: () => Promise.reject(failure), handler: () => '' })
    const peer = await openPeer(server)
    await peer.request('tools/list')
    expect(logged).toEqual([{ err: failure, kind: 'tool', name: 'a' }])
  })

  it('causes an error that names the tool if it is not a function', () => {
    const wrong = { name: 'a', visible: true as unknown as VisibleRule, handler: () => '' }
    expect(() => create().addTool(wrong)).toThrow(/tool "a" needs a function of \(ctx\) as its visible/)
  })

  it('can be added and removed by an update', async () => {
    const server = create()
    const handle = server.addTool({ name: 'a', handler: () => '' })
    const peer = await openPeer(server)
    expect((await peer.request('tools/list')).result['tools']).toHaveLength(1)
    handle.update({ visible: () => false })
    expect((await peer.request('tools/list')).result['tools']).toHaveLength(0)
    handle.update({ visible: () => true })
    expect((await peer.request('tools/list')).result['tools']).toHaveLength(1)
  })
})
