import type { Tool } from '@jetway/core/protocol'
import { describe, expect, it, vi } from 'vitest'
import { bridgeAll, type HostTool, type SourceEvent, type ToolSource } from '../src/index.ts'
import { deferred, settled } from '@jetway-apps/test-support'
import { connectTo } from './support/connect.ts'
import { shop } from './support/shop.ts'

/** A manager with tools that a test can change. */
class Changing implements ToolSource {
  names: readonly string[] = ['a', 'b']
  description = 'first'
  lists = 0
  fails = false
  hold: Promise<void> | undefined
  readonly listeners = new Map<SourceEvent, Set<(event: { server: string; list?: string }) => void>>()

  async tools(): ReturnType<ToolSource['tools']> {
    this.lists++
    const { names, description } = this
    await this.hold
    if (this.fails) throw new Error('not now')
    return names.map((name) => ({
      server: 's',
      name,
      tool: { name, description, inputSchema: { type: 'object' } } satisfies Tool,
    }))
  }
  callTool(): ReturnType<ToolSource['callTool']> {
    return Promise.resolve({ content: [] })
  }
  on(event: SourceEvent, listener: (event: { server: string; list?: string }) => void): () => void {
    const all = this.listeners.get(event) ?? new Set()
    this.listeners.set(event, all.add(listener))
    return () => void all.delete(listener)
  }
  async tell(event: SourceEvent, list?: string): Promise<void> {
    for (const listener of this.listeners.get(event) ?? [])
      listener({ server: 's', ...(list !== undefined && { list }) })
    await settled()
  }
}

/** Creates a bridge to a registry that already contains tools with these names. */
async function bridged(...taken: string[]) {
  const source = new Changing()
  const registry = new Map(taken.map((name) => [name, {} as HostTool]))
  return { source, registry, bridge: await bridgeAll(source, registry) }
}

describe('bridgeAll', () => {
  it('registers all tools, and reports those whose names are taken', async () => {
    const own = { name: 'a' } as HostTool
    const registry = new Map([['a', own]])
    const onSkipped = vi.fn<(tool: HostTool) => void>()
    const bridge = await bridgeAll(new Changing(), registry, { onSkipped })
    expect(bridge.count).toBe(1)
    expect(bridge.skipped).toEqual(['a'])
    expect([...registry.keys()]).toEqual(['a', 'b'])
    expect(registry.get('a')).toBe(own)
    expect(onSkipped.mock.calls.map(([{ name }]) => name)).toEqual(['a'])
    await bridge.refresh()
    expect(onSkipped).toHaveBeenCalledTimes(1)
  })

  it.each<[SourceEvent, string?]>([
    ['listChanged', 'tools'],
    ['connected'],
    ['reconnected'],
    ['serverRemoved'],
  ])('updates the registry after the event %s %s', async (event, list) => {
    const { source, registry, bridge } = await bridged()
    source.names = ['b', 'c']
    source.description = 'second'
    await source.tell(event, list)
    expect([...registry.keys()]).toEqual(['b', 'c'])
    expect(registry.get('b')?.description).toContain('second')
    expect(bridge.count).toBe(2)
  })

  it('ignores changes to other lists, and lists the tools only once after many changes', async () => {
    const source = new Changing()
    await bridgeAll(source, new Map())
    await source.tell('listChanged', 'resources')
    expect(source.lists).toBe(1)
    const hold = deferred()
    source.hold = hold.promise
    for (let i = 0; i < 5; i++) void source.tell('listChanged', 'tools')
    await settled()
    expect(source.lists).toBe(2)
    hold.resolve()
    await settled()
    expect(source.lists).toBe(3)
  })

  it('registers a tool as soon as its name is available', async () => {
    const { registry, bridge } = await bridged('a')
    registry.delete('a')
    await bridge.refresh()
    expect([bridge.count, bridge.skipped]).toEqual([2, []])
  })

  it('does not remove a tool that other code has replaced', async () => {
    const { registry, bridge } = await bridged()
    const own = { name: 'a' } as HostTool
    registry.set('a', own)
    await bridge.refresh()
    expect(registry.get('a')).toBe(own)
    expect([bridge.count, bridge.skipped]).toEqual([1, ['a']])
    bridge.stop()
    expect([...registry.keys()]).toEqual(['a'])
  })

  it('keeps the tools and reports an error if listing fails', async () => {
    const source = new Changing()
    const registry = new Map<string, HostTool>()
    const onError = vi.fn<(error: unknown) => void>()
    const bridge = await bridgeAll(source, registry, { onError })
    source.fails = true
    await source.tell('listChanged', 'tools')
    expect(onError).toHaveBeenCalledWith(expect.objectContaining({ message: 'not now' }))
    expect(registry.size).toBe(2)
    await expect(bridge.refresh()).rejects.toThrow('not now')
    source.fails = false
    source.names = ['z']
    await bridge.refresh()
    expect([...registry.keys()]).toEqual(['z'])
  })

  it('removes its listeners and tools if it fails to start', async () => {
    const source = new Changing()
    source.fails = true
    await expect(bridgeAll(source, new Map())).rejects.toThrow('not now')
    expect([...source.listeners.values()].every((each) => each.size === 0)).toBe(true)
  })

  it('removes its tools on stop, even while listing', async () => {
    const { source, registry, bridge } = await bridged('own')
    const hold = deferred()
    source.hold = hold.promise
    const refreshing = bridge.refresh()
    bridge.stop()
    bridge.stop()
    hold.resolve()
    await refreshing
    expect([...registry.keys()]).toEqual(['own'])
    expect(bridge.count).toBe(0)
    await source.tell('listChanged', 'tools')
    expect(source.lists).toBe(2)
  })

  it('replaces a changed tool in place, without changing the order', async () => {
    const { registry, bridge } = await bridged()
    const set: string[] = []
    registry.delete = (name) => {
      set.push(`deletes ${name}`)
      return Map.prototype.delete.call(registry, name)
    }
    await bridge.refresh()
    expect([set, [...registry.keys()]]).toEqual([[], ['a', 'b']])
  })

  it('accepts a registry without `get` and a source without events', async () => {
    const all = new Changing()
    const held = new Map<string, HostTool>()
    const registry = {
      has: (name: string) => held.has(name),
      set: (name: string, tool: HostTool) => held.set(name, tool),
      delete: (name: string) => {
        if (!held.delete(name)) throw new Error(`There is no ${name}`)
      },
    }
    const source: ToolSource = { tools: () => all.tools(), callTool: () => all.callTool() }
    const bridge = await bridgeAll(source, registry)
    expect([...held.keys()]).toEqual(['a', 'b'])
    held.delete('a')
    await bridge.refresh()
    expect([bridge.count, [...held.keys()]]).toEqual([2, ['b', 'a']])
    held.delete('b')
    {
      using stopped = bridge
      expect(stopped.skipped).toEqual([])
    }
    expect([bridge.count, held.size]).toEqual([0, 0])
  })

  it('neither reports nor lists anything after stop', async () => {
    const source = new Changing()
    const onError = vi.fn<(error: unknown) => void>()
    const bridge = await bridgeAll(source, new Map([['a', {} as HostTool]]), { onError })
    const hold = deferred()
    source.hold = hold.promise
    source.fails = true
    void source.tell('connected')
    bridge.stop()
    hold.resolve()
    await settled()
    expect(onError).not.toHaveBeenCalled()
    await bridge.refresh()
    expect([source.lists, bridge.count, bridge.skipped]).toEqual([2, 0, []])
  })

  it('tracks the tools of a single client', async () => {
    const server = shop()
    await using client = await connectTo(server)
    const registry = new Map<string, HostTool>()
    using bridge = await bridgeAll(client, registry)
    expect(bridge.count).toBe(4)
    server.addTool({ name: 'new_one', handler: () => 'new' })
    await vi.waitFor(() => expect(registry.has('new_one')).toBe(true))
    expect(registry.get('new_one')?.server).toBe('shop')
    expect(await registry.get('new_one')?.execute()).toMatchObject({ text: 'new' })
  })
})
