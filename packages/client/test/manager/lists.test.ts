import { Method, Notification } from '@jetway/core/protocol'
import { describe, expect, it } from 'vitest'
import { SessionLostError } from '../../src/errors.ts'
import { modern } from '../support/scripted.ts'
import { scriptedDial, settled, toolNamed, withTools, world } from './support/world.ts'

const names = (tools: readonly { readonly name: string }[]): string[] => tools.map(({ name }) => name)

describe('the tools of all servers', () => {
  it('have the names of their servers, also where there is one', async () => {
    const { manager } = world()
    await manager.connect('only', scriptedDial(withTools('search', 'a-b_c.d')).dial)
    expect(await manager.tools()).toEqual([
      { server: 'only', name: 'mcp__only__search', tool: toolNamed('search') },
      { server: 'only', name: 'mcp__only__a-b_c.d', tool: toolNamed('a-b_c.d') },
    ])
  })

  it('are asked for once, and again only when they are wanted after a change: one request, of that server', async () => {
    const { manager, named } = world()
    const a = scriptedDial(withTools('x'))
    const b = scriptedDial(withTools('x'))
    await manager.connectAll({ a: a.dial, b: b.dial })
    const asked = (): number[] => [a, b].map(({ server }) => server.of(Method.ListTools).length)
    expect(asked()).toEqual([0, 0])
    await Promise.all([manager.tools(), manager.tools()])
    await manager.tools()
    expect(asked()).toEqual([1, 1])
    for (let i = 0; i < 5; i++) a.server.notify(Notification.ToolsListChanged)
    await settled()
    expect(asked()).toEqual([1, 1])
    expect(named('mcp_list_changed')).toEqual(
      Array.from({ length: 5 }, () => ({ server: 'a', list: 'tools' })),
    )
    expect(names(await manager.tools())).toEqual(['mcp__a__x', 'mcp__b__x'])
    expect(asked()).toEqual([2, 1])
  })

  it('are new for whoever asks after a change, though an older list is still on its way', async () => {
    const { manager } = world()
    const held: ((tools: readonly string[]) => void)[] = []
    const a = scriptedDial({
      [Method.ListTools]: () =>
        new Promise((resolve) => held.push((tools) => resolve({ tools: tools.map(toolNamed) }))),
    })
    await manager.connect('a', a.dial)
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

  it('are asked for twice at most, however many changes are told of and asked about meanwhile', async () => {
    const { manager } = world()
    const held: (() => void)[] = []
    const a = scriptedDial({
      [Method.ListTools]: () =>
        new Promise((resolve) => held.push(() => resolve({ tools: [toolNamed(`v${held.length}`)] }))),
    })
    await manager.connect('a', a.dial)
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

  it('stay as they were where a server fails to list them, which is told, and tried again', async () => {
    const { manager, named } = world()
    let fails = false
    const a = scriptedDial({
      [Method.ListTools]: () =>
        fails ? { error: { code: -32603, message: 'broken' } } : { tools: [toolNamed('x')] },
    })
    await manager.connectAll({ a: a.dial, b: scriptedDial(withTools('y')).dial })
    await manager.tools()
    fails = true
    a.server.notify(Notification.ToolsListChanged)
    await settled()
    expect(names(await manager.tools())).toEqual(['mcp__a__x', 'mcp__b__y'])
    expect(named('mcp_list_failed')).toMatchObject([
      { server: 'a', list: 'tools', error: { message: 'broken' } },
    ])
    fails = false
    expect(names(await manager.tools())).toEqual(['mcp__a__x', 'mcp__b__y'])
    expect(a.server.of(Method.ListTools)).toHaveLength(3)
    expect(named('mcp_list_failed')).toHaveLength(1)
  })

  it('of a server that does not answer are waited for so long, and no longer', async () => {
    const { manager, clock, named } = world({ listTimeoutMs: 700 })
    const mute = scriptedDial({ [Method.ListTools]: undefined })
    await manager.connectAll({ mute: mute.dial, b: scriptedDial(withTools('y')).dial })
    const tools = manager.tools()
    await settled()
    await clock.advance(700)
    expect(names(await tools)).toEqual(['mcp__b__y'])
    expect(named('mcp_list_failed')).toMatchObject([{ server: 'mute', error: { code: 'timeout' } }])
  })

  it('are still known while a server is being reconnected, asked for anew afterwards, and gone when it is', async () => {
    const { manager, clock } = world({ reconnect: { maxAttempts: 1 } })
    const a = scriptedDial(withTools('x'))
    await manager.connect('a', a.dial)
    await manager.tools()
    await a.server.close()
    await settled()
    expect(names(await manager.tools())).toEqual(['mcp__a__x'])
    await clock.advance(1_000)
    expect(a.servers).toHaveLength(2)
    expect(a.server.of(Method.ListTools)).toHaveLength(0)
    expect(names(await manager.tools())).toEqual(['mcp__a__x'])
    expect(a.server.of(Method.ListTools)).toHaveLength(1)
    a.down = new Error('down')
    await a.server.close()
    await settled()
    await clock.advance(1_000)
    expect(await manager.tools()).toEqual([])
  })

  it('of a server without tools are none, and nothing failed', async () => {
    const { manager, named } = world()
    const a = scriptedDial({
      [Method.Initialize]: {
        protocolVersion: '2025-11-25',
        capabilities: {},
        serverInfo: { name: 's', version: '1' },
      },
    })
    await manager.connect('a', a.dial)
    expect(await manager.tools()).toEqual([])
    expect(await manager.prompts()).toEqual([])
    expect(named('mcp_list_failed')).toEqual([])
    expect(a.server.of(Method.ListTools)).toEqual([])
  })

  it('of a server without sessions are told of by a subscription', async () => {
    const { manager } = world()
    const script = { ...modern(), [Method.ListTools]: { resultType: 'complete', tools: [toolNamed('x')] } }
    const a = scriptedDial(script)
    await manager.connect('a', a.dial)
    expect(names(await manager.tools())).toEqual(['mcp__a__x'])
    const listen = await a.server.hears(Method.Listen)
    expect(listen).toMatchObject({
      params: {
        notifications: { toolsListChanged: true, promptsListChanged: true, resourcesListChanged: true },
      },
    })
  })
})

it('lists that are known are out of date after a gap in what was told, and those that are not are not told of', async () => {
  const { manager, named } = world()
  const a = scriptedDial(withTools('x'))
  await manager.connect('a', a.dial)
  await manager.tools()
  let lost = 1
  const { transport } = a.server
  const send = transport.send.bind(transport)
  transport.send = (message, context) => {
    if ('method' in message && message.method === 'tools/call' && lost-- > 0) throw new SessionLostError()
    return send(message, context)
  }
  await manager.callTool('mcp__a__x')
  expect(named('mcp_list_changed')).toEqual([{ server: 'a', list: 'tools' }])
  await manager.tools()
  expect(a.server.of(Method.ListTools)).toHaveLength(2)
})

describe('prompts and resources', () => {
  it('come with their servers, whatever names they share', async () => {
    const { manager } = world()
    const script = {
      [Method.ListPrompts]: { prompts: [{ name: 'brief' }] },
      [Method.ListResources]: { resources: [{ uri: 'a://', name: 'same' }] },
      [Method.ListResourceTemplates]: { resourceTemplates: [{ uriTemplate: 'a://{x}', name: 'same' }] },
    }
    const a = scriptedDial(script)
    const b = scriptedDial(script)
    await manager.connectAll({ a: a.dial, b: b.dial })
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

describe('tools that are allowed and denied', () => {
  it('by name or pattern: what is denied wins, and can be neither seen nor called', async () => {
    const { manager } = world({
      filters: {
        a: { allow: ['read_*', 'list', '*_*_all'], deny: ['read_secret', '*drop*'] },
        b: { deny: ['*'] },
        __proto__: { deny: ['*'] },
      },
    })
    const tools = ['read_file', 'read_secret', 'list', 'lister', 'write', 'x_y_all', '_all', 'read_drop_it']
    const a = scriptedDial(withTools(...tools))
    const b = scriptedDial(withTools('x'))
    await manager.connectAll({ a: a.dial, b: b.dial, c: scriptedDial(withTools('x')).dial })
    await manager.connect('__proto__', scriptedDial(withTools('x')).dial)
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

  it('a pattern of many stars takes no time to speak of', async () => {
    const { manager } = world({ filters: { a: { allow: [`${'*a'.repeat(40)}*b`] } } })
    await manager.connect('a', scriptedDial(withTools('a'.repeat(50_000))).dial)
    const before = process.cpuUsage()
    expect(await manager.tools()).toEqual([])
    expect(process.cpuUsage(before).user / 1_000).toBeLessThan(500)
  })
})
