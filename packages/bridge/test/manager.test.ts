import { McpServer, tasks } from '@jetway/core'
import { createMemoryTransportPair } from '@jetway/core/transport'
import { expect, expectTypeOf, it, vi } from 'vitest'
import { anthropicTools, bridgeAll, type HostTool, hostTools, type ToolSource } from '../src/index.ts'
import { type ClientTransport, duplex } from '@jetway/client'
import { ClientManager } from '@jetway/client/manager'
import { shop } from './support/shop.ts'

function dialTo(server: ReturnType<typeof shop>): () => ClientTransport {
  return () => {
    const [near, far] = createMemoryTransportPair()
    server.connect(far, { endGraceMs: 50 })
    return duplex(near)
  }
}

it("a manager's tools have full names, and are updated when its servers change", async () => {
  expectTypeOf<ClientManager>().toExtend<ToolSource>()
  await using manager = new ClientManager({ name: 'host', version: '1' })
  const one = shop()
  await manager.connectAll({ one: dialTo(one), two: dialTo(shop()) })
  const registry = new Map<string, HostTool>()
  using bridge = await bridgeAll(manager, registry, { trusted: ['one'] })
  expect(bridge.count).toBe(8)
  expect(await registry.get('mcp__two__get_order')?.execute({ id: 'A1' })).toMatchObject({
    structured: { id: 'A1', total: 40 },
    isError: false,
  })
  expect(registry.get('mcp__one__get_order')?.metadata.readOnly).toBe(true)
  expect(registry.get('mcp__two__get_order')?.metadata.readOnly).toBe(false)

  one.addTool({ name: 'late', handler: () => 'late' })
  await vi.waitFor(() => expect(registry.has('mcp__one__late')).toBe(true))
  await manager.connect('three', dialTo(shop()))
  await vi.waitFor(() => expect(bridge.count).toBe(13))
  await manager.close('three')
  await bridge.refresh()
  expect(bridge.count).toBe(9)
})

it("a manager's errors are converted to results for the model", async () => {
  await using manager = new ClientManager(
    { name: 'host', version: '1' },
    { approve: ({ kind }) => kind !== 'call' },
  )
  await manager.connectAll({ one: dialTo(shop()) })
  const { run } = await anthropicTools(await hostTools(manager))
  expect(await run([{ type: 'tool_use', id: '1', name: 'mcp__one__photo', input: {} }])).toMatchObject([
    { is_error: true, content: [{ type: 'text' }] },
  ])
})

it.each(['2025-11-25', '2026-07-28'] as const)(
  'a manager can call a tool that requires a task like any other tool: %s',
  async (revision) => {
    const server = new McpServer({ name: 'mine', version: '1.0.0' }, { extensions: [tasks()] })
    server.addTool({ name: 'dig', taskSupport: 'required', handler: () => 'gold' })
    await using manager = new ClientManager(
      { name: 'host', version: '1' },
      { client: { revisions: [revision] } },
    )
    await manager.connect('mine', dialTo(server))
    expect(await manager.callTool('mcp__mine__dig')).toMatchObject({ content: [{ text: 'gold' }] })
    const [dig] = await hostTools(manager)
    expect(await dig?.execute()).toMatchObject({ text: 'gold', isError: false })
  },
)
