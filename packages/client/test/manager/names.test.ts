import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { ClientManager } from '../../src/manager/index.ts'
import { type NamedTool, nameTools, plainName } from '../../src/manager/tool-names.ts'
import { Method, Notification } from '@jetway/core/protocol'
import { scriptedTarget, settled, toolNamed, withTools, world } from './support/world.ts'

const said = (text: string): object => ({ content: [{ type: 'text', text }] })
/** Creates servers with the given tools. Each tool returns the name of its server and its own name. */
const servers = (tools: Readonly<Record<string, readonly string[]>>) =>
  Object.fromEntries(
    Object.entries(tools).map(([server, own]) => [
      server,
      scriptedTarget({
        ...withTools(...own),
        [Method.CallTool]: ({ params }) => said(`${server}/${(params as { name: string }).name}`) as never,
      }).target,
    ]),
  )

/** Returns a manager that is connected to {@link servers}. */
async function managing(tools: Parameters<typeof servers>[0]): Promise<ClientManager> {
  const { manager } = world()
  await manager.connectAll(servers(tools))
  return manager
}

describe('tool names', () => {
  it.each([
    ["the first server's tool of two", { a__b: ['c'], a: ['d'] }, 'mcp__a__b__c', 'a__b/c'],
    ["the second server's tool of two", { a__b: ['x'], a: ['b__c'] }, 'mcp__a__b__c', 'a/b__c'],
    ["the second server's tool, connected first", { a: ['b__c'], a__b: ['x'] }, 'mcp__a__b__c', 'a/b__c'],
    ['a tool that begins with underscores', { a: ['__c'], a__: ['d'] }, 'mcp__a____c', 'a/__c'],
    ['a server that begins with underscores', { __a: ['c'] }, 'mcp____a__c', '__a/c'],
    ['the only server', { a__b: ['c'] }, 'mcp__a__b__c', 'a__b/c'],
  ])('are matched against the known servers: %s', async (_, tools, name, expected) => {
    const manager = await managing(tools)
    expect(await manager.callTool(name)).toEqual(said(expected))
  })

  it('include a digest if two tools would otherwise have the same name', async () => {
    const manager = await managing({ a__b: ['c', 'd'], a: ['b__c', 'e'] })
    const listed = await manager.tools()
    expect(listed.map(({ name }) => name)).toEqual([
      expect.stringMatching(/^mcp__a__b__c_[0-9a-f]{8}$/),
      'mcp__a__b__d',
      expect.stringMatching(/^mcp__a__b__c_[0-9a-f]{8}$/),
      'mcp__a__e',
    ])
    for (const { server, name, tool } of listed)
      expect(await manager.callTool(name)).toEqual(said(`${server}/${tool.name}`))
    await expect(manager.callTool('mcp__a__b__c')).rejects.toThrow(
      `mcp__a__b__c is the name of 2 tools: use ${listed[0]?.name} or ${listed[2]?.name}`,
    )
    expect(await manager.callTool({ server: 'a', tool: 'b__c' })).toEqual(said('a/b__c'))
  })

  it('do not depend on the order of servers', async () => {
    const manager = await managing({ a__b: ['c'], a: ['b__c'] })
    const other = await managing({ a: ['b__c'], a__b: ['c'] })
    const pairs = async (of: typeof manager): Promise<string[]> =>
      (await of.tools()).map(({ server, name }) => `${server} ${name}`).toSorted()
    expect(await pairs(manager)).toEqual(await pairs(other))
  })

  it('are suggested if the given name is not a full name', async () => {
    const manager = await managing({ files: ['read', 'write'] })
    await manager.tools()
    for (const name of ['files/read', 'read', 'files__read', 'MCP__files__read', 'mcp_files_read', ''])
      await expect(manager.callTool(name)).rejects.toThrow(
        `${name} is not a full name such as mcp__server__tool. There is no tool ${name}; there are: mcp__files__read, mcp__files__write`,
      )
  })

  it('are listed in the error for an unknown name', async () => {
    const tools = Array.from({ length: 60 }, (_, at) => `t${at}`)
    const manager = await managing({ one: tools, two: ['x\u0007\n\u202Ey'] })
    await expect(manager.callTool('mcp__one__t99')).rejects.toThrow(
      /^There is no tool mcp__one__t99; there are: mcp__one__t0, (?:mcp__one__t\d+, ){18}mcp__one__t19 and 40 more$/,
    )
    await expect(manager.callTool('mcp__two__z')).rejects.toThrow('there are: mcp__two__x���y')
    await expect(manager.callTool('mcp__three__z')).rejects.toThrow(
      'There is no server in mcp__three__z; there are: one, two',
    )
    await expect(manager.callTool({ server: 'three', tool: 'z' })).rejects.toThrow(
      'There is no server three; there are: one, two',
    )
    await expect(manager.callTool({ server: 'one', tool: 'z' })).rejects.toMatchObject({
      code: 'unknown-tool',
      message: expect.stringMatching(/^There is no tool z on the server one; there are: t0, t1, /),
    })
    const long = `mcp__one__${'x'.repeat(100_000)}`
    await expect(manager.callTool(long)).rejects.toSatisfy(({ message }: Error) => message.length < 4_000)
  })

  it('are resolved even if the tool is missing from the list or no list has been fetched', async () => {
    const { manager } = world()
    let tools = ['old']
    const a = scriptedTarget({
      [Method.ListTools]: () => ({ tools: tools.map(toolNamed) }),
      [Method.CallTool]: said('a') as never,
    })
    const b = scriptedTarget({
      [Method.ListTools]: { error: { code: -32603, message: 'broken' } },
      [Method.CallTool]: said('b') as never,
    })
    await manager.connectAll({ a: a.target, b: b.target })
    await manager.tools()
    tools = ['new']
    a.server.notify(Notification.ToolsListChanged)
    await settled()
    expect(await manager.callTool('mcp__a__new')).toEqual(said('a'))
    expect(await manager.callTool('mcp__b__hidden')).toEqual(said('b'))
    expect(b.server.of(Method.CallTool)).toMatchObject([{ params: { name: 'hidden' } }])
  })
})

describe('tool names with `maxNameLength`', () => {
  it('contain only allowed characters, and a digest if they were truncated or changed', async () => {
    const { manager } = world({ maxNameLength: 64 })
    const long = 'x'.repeat(80)
    await manager.connectAll(
      servers({ files: ['read', 'réad', 're ad', long, `${long}y`], 'my.server': ['t'], my_server: ['t'] }),
    )
    const tools = await manager.tools()
    expect(tools.map(({ name }) => name)).toEqual([
      'mcp__files__read',
      expect.stringMatching(/^mcp__files__r_ad_[0-9a-f]{8}$/),
      expect.stringMatching(/^mcp__files__re_ad_[0-9a-f]{8}$/),
      expect.stringMatching(/^mcp__files__x{43}_[0-9a-f]{8}$/),
      expect.stringMatching(/^mcp__files__x{43}_[0-9a-f]{8}$/),
      expect.stringMatching(/^mcp__my_server__t_[0-9a-f]{8}$/),
      'mcp__my_server__t',
    ])
    for (const { server, name, tool } of tools)
      expect(await manager.callTool(name)).toEqual(said(`${server}/${tool.name}`))
  })

  it('require a valid `maxNameLength`', () => {
    for (const maxNameLength of [39, 63.5, NaN, Infinity])
      expect(() => world({ maxNameLength })).toThrow(RangeError)
  })
})

const part = fc.oneof(
  fc.stringMatching(/^(?:_|a|b|__){1,5}$/),
  fc.string({ unit: 'grapheme', minLength: 1, maxLength: 90 }),
)
const pairs = fc.uniqueArray(fc.tuple(part, part), {
  maxLength: 30,
  selector: (pair) => JSON.stringify(pair),
})
const named = (given: readonly (readonly [string, string])[], max?: number): Promise<readonly NamedTool[]> =>
  nameTools(
    given.map(([server, tool]) => ({ server, tool: toolNamed(tool) as never })),
    max,
  )

describe('nameTools', () => {
  it('returns unique names within the maximum length, regardless of the order of tools', async () => {
    await fc.assert(
      fc.asyncProperty(pairs, fc.constantFrom(undefined, 40, 64), async (given, max) => {
        const tools = await named(given, max)
        const key = ({ server, tool, name }: NamedTool): string => JSON.stringify([server, tool.name, name])
        expect(tools).toHaveLength(given.length)
        expect(new Set(tools.map(({ name }) => name)).size).toBe(given.length)
        if (max !== undefined)
          for (const { name } of tools) expect(name).toMatch(new RegExp(`^[a-zA-Z0-9_-]{1,${max}}$`))
        const reversed = await named(given.toReversed(), max)
        expect(reversed.map(key).toSorted()).toEqual(tools.map(key).toSorted())
      }),
      { numRuns: 150 },
    )
  })

  it("does not let a server take another server's tool name by predicting a digest", async () => {
    const victim = ['a__b', 'c'] as const
    const nameOf = async (...given: (readonly [string, string])[]): Promise<string> =>
      (await named(given)).find(({ server }) => server === 'a__b')?.name ?? ''
    const planned: (readonly [string, string])[] = [['a', 'b__c']]
    for (let i = 0; i < 4; i++) {
      const next = await nameOf(victim, ...planned)
      planned.push(['a', next.slice('mcp__a__'.length)])
    }
    const tools = await named([victim, ...planned])
    expect(new Set(tools.map(({ name }) => name)).size).toBe(tools.length)
    expect(tools.find(({ server }) => server === 'a__b')?.name).toMatch(/^mcp__a__b__c_[0-9a-f]{8}$/)
    expect(tools.filter(({ server }) => server === 'a__b')).toHaveLength(1)
  })

  it('is fast even if the name of each tool collides with the next', async () => {
    let next = 'b__c'
    const chain: (readonly [string, string])[] = [['a__b', 'c']]
    for (let i = 0; i < 40; i++) {
      chain.push(['a', next])
      const found = (await named(chain)).find(({ server, tool }) => server === 'a' && tool.name === next)
      next = (found?.name ?? plainName('a', `x${i}`)).slice('mcp__a__'.length)
    }
    const many = Array.from({ length: 20_000 }, (_, at) => ['a', `t${at}`] as const)
    const before = process.cpuUsage()
    const tools = await named([...chain, ...many])
    expect(process.cpuUsage(before).user / 1_000).toBeLessThan(3_000)
    expect(new Set(tools.map(({ name }) => name)).size).toBe(tools.length)
  })
})
