import { Method, Notification } from '@jetway/core/protocol'
import { describe, expect, it } from 'vitest'
import { SessionLostError } from '../../src/errors.ts'
import { modern } from '../support/scripted.ts'
import {
  connected,
  connectedPair,
  scriptedTarget,
  settled,
  toolNamed,
  withTools,
  world,
} from './support/world.ts'

const names = (tools: readonly { readonly name: string }[]): string[] => tools.map(({ name }) => name)

it('the manager treats a list as empty if the server declares the list but does not support it', async () => {
  const { manager, named, a } = await connected({
    [Method.ListResourceTemplates]: { error: { code: -32601, message: 'Method not found' } },
  })
  for (let i = 0; i < 3; i++) expect(await manager.resourceTemplates()).toEqual([])
  expect(a.server.of(Method.ListResourceTemplates)).toHaveLength(1)
  expect(named('listFailed')).toEqual([])
})

it("the manager limits the total size of a server's lists", async () => {
  const text = 'x'.repeat(200)
  const { manager, named, a } = await connected(
    {
      [Method.ListTools]: { tools: [{ ...toolNamed('t'), description: text }] },
      [Method.ListPrompts]: { prompts: [{ name: 'p', description: text }] },
      [Method.ListResources]: { resources: [{ uri: 'a://b', description: text }] },
    },
    { client: { maxListBytes: 1_500 } },
  )
  expect(await manager.tools()).toHaveLength(1)
  expect(await manager.prompts()).toHaveLength(1)
  expect(await manager.resources()).toEqual([])
  const message = 'The lists of the server a have more than 1500 bytes together'
  expect(named('listFailed')).toMatchObject([{ server: 'a', list: 'resources', error: { message } }])
  a.server.notify(Notification.ToolsListChanged)
  await settled()
  expect(await manager.tools()).toHaveLength(1)
  expect(named('listFailed')).toHaveLength(1)
})

describe('the tools of all servers', () => {
  it("contain the server's name, even if there is only one server", async () => {
    const { manager } = world()
    await manager.connect('only', scriptedTarget(withTools('search', 'a-b_c.d')).target)
    expect(await manager.tools()).toEqual([
      { server: 'only', name: 'mcp__only__search', tool: toolNamed('search') },
      { server: 'only', name: 'mcp__only__a-b_c.d', tool: toolNamed('a-b_c.d') },
    ])
  })

  it('are fetched once, and later fetched again from a server whose list has changed', async () => {
    const { manager, named, a, b } = await connectedPair(withTools('x'), withTools('x'))
    const asked = (): number[] => [a, b].map(({ server }) => server.of(Method.ListTools).length)
    expect(asked()).toEqual([0, 0])
    await Promise.all([manager.tools(), manager.tools()])
    await manager.tools()
    expect(asked()).toEqual([1, 1])
    for (let i = 0; i < 5; i++) a.server.notify(Notification.ToolsListChanged)
    await settled()
    expect(asked()).toEqual([1, 1])
    expect(named('listChanged')).toEqual(Array.from({ length: 5 }, () => ({ server: 'a', list: 'tools' })))
    expect(names(await manager.tools())).toEqual(['mcp__a__x', 'mcp__b__x'])
    expect(asked()).toEqual([2, 1])
  })

  it('are fetched again for calls after a change, even while the old list is loading', async () => {
    const held: ((tools: readonly string[]) => void)[] = []
    const { manager, a } = await connected({
      [Method.ListTools]: () =>
        new Promise((resolve) => held.push((tools) => resolve({ tools: tools.map(toolNamed) }))),
    })
    const before = manager.tools()
    await settled()
    a.server.notify(Notification.ToolsListChanged)
    await settled()
    const after = manager.tools()
    await settled()
    expect(held).toHaveLength(1)
    held[0]?.(['old'])
    expect(names(await before)).toEqual(['mcp__a__old'])
    await settled()
    held[1]?.(['new'])
    expect(names(await after)).toEqual(['mcp__a__new'])
    expect(names(await manager.tools())).toEqual(['mcp__a__new'])
    expect(held).toHaveLength(2)
    a.server.notify(Notification.ToolsListChanged)
    await settled()
    const during = manager.tools()
    await settled()
    a.server.notify(Notification.ToolsListChanged)
    await settled()
    held[2]?.(['during'])
    expect(names(await during)).toEqual(['mcp__a__during'])
    const last = manager.tools()
    await settled()
    held[3]?.(['last'])
    expect(names(await last)).toEqual(['mcp__a__last'])
  })

  it('are fetched at most twice, however many changes and calls arrive during the first fetch', async () => {
    const held: (() => void)[] = []
    const { manager, a } = await connected({
      [Method.ListTools]: () =>
        new Promise((resolve) => held.push(() => resolve({ tools: [toolNamed(`v${held.length}`)] }))),
    })
    const asked = [manager.tools()]
    for (let i = 0; i < 20; i++) {
      a.server.notify(Notification.ToolsListChanged)
      await settled()
      asked.push(manager.tools())
    }
    await settled()
    held[0]?.()
    await settled()
    held[1]?.()
    expect(names((await Promise.all(asked)).at(-1) ?? [])).toEqual(['mcp__a__v2'])
    expect(held).toHaveLength(2)
  })

  it('remain unchanged if a fetch fails, until the next fetch succeeds', async () => {
    let fails = false
    const flaky = {
      [Method.ListTools]: () =>
        fails ? { error: { code: -32603, message: 'broken' } } : { tools: [toolNamed('x')] },
    }
    const { manager, named, a } = await connectedPair(flaky, withTools('y'))
    await manager.tools()
    fails = true
    a.server.notify(Notification.ToolsListChanged)
    await settled()
    expect(names(await manager.tools())).toEqual(['mcp__a__x', 'mcp__b__y'])
    expect(named('listFailed')).toMatchObject([{ server: 'a', list: 'tools', error: { message: 'broken' } }])
    fails = false
    expect(names(await manager.tools())).toEqual(['mcp__a__x', 'mcp__b__y'])
    expect(a.server.of(Method.ListTools)).toHaveLength(3)
    expect(named('listFailed')).toHaveLength(1)
  })

  it('are omitted for a server that does not respond within `listTimeoutMs`', async () => {
    const mute = { [Method.ListTools]: undefined }
    const { manager, clock, named } = await connectedPair(mute, withTools('y'), { listTimeoutMs: 700 })
    const tools = manager.tools()
    await settled()
    await clock.advance(700)
    expect(names(await tools)).toEqual(['mcp__b__y'])
    expect(named('listFailed')).toMatchObject([{ server: 'a', error: { code: 'timeout' } }])
  })

  it('remain available during a reconnect, and are then fetched again', async () => {
    const { manager, clock, a } = await connected(withTools('x'), { reconnect: { maxAttempts: 1 } })
    await manager.tools()
    await a.lose()
    expect(names(await manager.tools())).toEqual(['mcp__a__x'])
    await clock.advance(1_000)
    expect(a.servers).toHaveLength(2)
    expect(a.server.of(Method.ListTools)).toHaveLength(0)
    expect(names(await manager.tools())).toEqual(['mcp__a__x'])
    expect(a.server.of(Method.ListTools)).toHaveLength(1)
    a.down = new Error('down')
    await a.lose()
    await clock.advance(1_000)
    expect(await manager.tools()).toEqual([])
  })

  it('are an empty list if the server has none', async () => {
    const { manager, named, a } = await connected({
      [Method.Initialize]: {
        protocolVersion: '2025-11-25',
        capabilities: {},
        serverInfo: { name: 's', version: '1' },
      },
    })
    expect(await manager.tools()).toEqual([])
    expect(await manager.prompts()).toEqual([])
    expect(named('listFailed')).toEqual([])
    expect(a.server.of(Method.ListTools)).toEqual([])
  })

  it('are updated through a subscription if the server has no sessions', async () => {
    const script = { ...modern(), [Method.ListTools]: { resultType: 'complete', tools: [toolNamed('x')] } }
    const { manager, a } = await connected(script)
    expect(names(await manager.tools())).toEqual(['mcp__a__x'])
    const listen = await a.server.hears(Method.Listen)
    expect(listen).toMatchObject({
      params: {
        notifications: { toolsListChanged: true, promptsListChanged: true, resourcesListChanged: true },
      },
    })
  })
})

describe('lists of a server that declares changes but lacks subscriptions/listen', () => {
  const lacking = async (): Promise<Awaited<ReturnType<typeof connected>> & { readonly tools: string[] }> => {
    const tools = ['x']
    const made = await connected({
      ...modern(),
      ...withTools(),
      [Method.Listen]: { error: { code: -32601, message: 'Method not found' } },
      [Method.ListTools]: () => ({ resultType: 'complete', tools: tools.map(toolNamed) }),
    })
    await made.a.server.hears(Method.Listen)
    await settled()
    return { ...made, tools }
  }

  it('are fetched again each time they are used', async () => {
    const { manager, tools, a } = await lacking()
    expect(names(await manager.tools())).toEqual(['mcp__a__x'])
    tools.push('y')
    expect(names(await manager.tools())).toEqual(['mcp__a__x', 'mcp__a__y'])
    await Promise.all([manager.tools(), manager.tools()])
    expect(a.server.of(Method.ListTools)).toHaveLength(3)
    await manager.callTool('mcp__a__x')
    expect(a.server.of(Method.ListTools)).toHaveLength(3)
  })

  it('cause a log message but no error event', async () => {
    const { named } = await lacking()
    expect(named('error')).toEqual([])
    expect(named('log')).toMatchObject([{ server: 'a', level: 'info', logger: '@jetway/client' }])
  })
})

it('the manager emits listChanged for each known list when changes were missed', async () => {
  const { manager, named, a } = await connected(withTools('x'))
  await manager.tools()
  let lost = 1
  const { transport } = a.server
  const send = transport.send.bind(transport)
  transport.send = (message, context) => {
    if ('method' in message && message.method === 'tools/call' && lost-- > 0) throw new SessionLostError()
    return send(message, context)
  }
  await manager.callTool('mcp__a__x')
  expect(named('listChanged')).toEqual([{ server: 'a', list: 'tools' }])
  await manager.tools()
  expect(a.server.of(Method.ListTools)).toHaveLength(2)
})

describe('prompts and resources', () => {
  it("are listed with their server's name, even if their own names are not unique", async () => {
    const script = {
      [Method.ListPrompts]: { prompts: [{ name: 'brief' }] },
      [Method.ListResources]: { resources: [{ uri: 'a://', name: 'same' }] },
      [Method.ListResourceTemplates]: { resourceTemplates: [{ uriTemplate: 'a://{x}', name: 'same' }] },
    }
    const { manager, a, b } = await connectedPair(script, script)
    const of = (item: object): object[] => ['a', 'b'].map((server) => ({ server, item }))
    expect(await manager.prompts()).toEqual(of({ name: 'brief' }))
    expect(await manager.resources()).toEqual(of({ uri: 'a://', name: 'same' }))
    expect(await manager.resourceTemplates()).toEqual(of({ uriTemplate: 'a://{x}', name: 'same' }))
    b.server.notify(Notification.PromptsListChanged)
    b.server.notify(Notification.ResourcesListChanged)
    await settled()
    await Promise.all([manager.prompts(), manager.resources(), manager.resourceTemplates()])
    const methods = [Method.ListPrompts, Method.ListResources, Method.ListResourceTemplates]
    expect(methods.map((method) => a.server.of(method).length)).toEqual([1, 1, 1])
    expect(methods.map((method) => b.server.of(method).length)).toEqual([2, 2, 2])
  })
})

describe('tool filters', () => {
  it('allow and deny tools by name or pattern, in lists and in calls', async () => {
    const { manager } = world({
      filters: {
        a: { allow: ['read_*', 'list', '*_*_all', 'wri*ite'], deny: ['read_secret', '*drop*'] },
        b: { deny: ['*'] },
        __proto__: { deny: ['*'] },
      },
    })
    const tools = ['read_file', 'read_secret', 'list', 'lister', 'write', 'x_y_all', '_all', 'read_drop_it']
    const a = scriptedTarget(withTools(...tools))
    const b = scriptedTarget(withTools('x'))
    await manager.connectAll({
      a: a.target,
      b: b.target,
      c: scriptedTarget(withTools('x')).target,
    })
    await manager.connect('__proto__', scriptedTarget(withTools('x')).target)
    expect(names(await manager.tools())).toEqual([
      'mcp__a__read_file',
      'mcp__a__list',
      'mcp__a__x_y_all',
      'mcp__c__x',
      'mcp____proto____x',
    ])
    for (const tool of ['read_secret', 'lister', 'write', '_all', 'read_drop_it'])
      await expect(manager.callTool({ server: 'a', tool })).rejects.toMatchObject({ code: 'not-approved' })
    await expect(manager.callTool('mcp__a__write')).rejects.toMatchObject({ code: 'unknown-tool' })
    await expect(manager.callTool('mcp__b__x')).rejects.toMatchObject({ code: 'unknown-tool' })
    expect([a, b].map(({ server }) => server.of(Method.CallTool))).toEqual([[], []])
  })

  it('match a pattern with many asterisks in linear time', async () => {
    const filters = { a: { allow: [`${'*a'.repeat(40)}*b`] } }
    const { manager } = await connected(withTools('a'.repeat(50_000)), { filters })
    const before = process.cpuUsage()
    expect(await manager.tools()).toEqual([])
    expect(process.cpuUsage(before).user / 1_000).toBeLessThan(500)
  })
})
