import { duplex } from '@jetway/client'
import { elicit, McpServer } from '@jetway/core'
import { createMemoryTransportPair } from '@jetway/core/transport'
import { connect } from '@jetway/testing'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { z } from 'zod'
import {
  createHost,
  describeTools,
  exportOrders,
  followTools,
  startExport,
  totalOf,
  waitForExport,
} from '../src/client/client.ts'
import { server } from '../src/tools/shop.ts'

describe('the host in the client guide', () => {
  it('lists the tools', async () => {
    const [near, far] = createMemoryTransportPair()
    server.connect(far)
    expect(await describeTools(duplex(near))).toContain('get_order: An order of the shop by its number')
  })

  it('calls a tool that reports progress', async () => {
    const said = vi.spyOn(console, 'error').mockImplementation(() => {})
    await using client = await connect(server)
    expect(await exportOrders(client, AbortSignal.timeout(10_000))).toContain('A1,40')
    expect(said).toHaveBeenCalledWith(expect.stringMatching(/^1 of \d$/))
    said.mockRestore()
    await using other = await connect(new McpServer({ name: 'empty', version: '1' }), {
      strictCapabilities: false,
    })
    expect(await exportOrders(other, AbortSignal.timeout(10_000))).toBe('Refused with -32601')
  })

  it('starts a call as a task, and awaits its result later', async () => {
    const said = vi.spyOn(console, 'error').mockImplementation(() => {})
    onTestFinished(() => said.mockRestore())
    const shop = new McpServer({ name: 'shop', version: '1.0.0' })
    shop.addTool({ name: 'export_orders', taskSupport: 'required', handler: () => 'A1,40' })
    await using client = await connect(shop, { revision: '2025-11-25' })
    const taskId = await startExport(client)
    expect(await waitForExport(client, taskId, AbortSignal.timeout(10_000))).toContain('A1,40')
    expect(said).toHaveBeenCalledTimes(1)
  })

  it('calls a tool using types shared with the server', async () => {
    await using client = await connect(server)
    expect(await totalOf(client, 'A1')).toBe(40)
  })

  it("forwards the server's questions to its user", async () => {
    const shop = new McpServer({ name: 'shop', version: '1.0.0' })
    shop.addTool({
      name: 'close',
      asks: { sure: () => elicit('Close the shop?', z.object({ ok: z.boolean() })) },
      handler: (_, { answers }) => (answers.sure.ok ? 'Closed' : 'Open'),
    })
    const [near, far] = createMemoryTransportPair()
    shop.connect(far)
    const questions: string[] = []
    await using host = createHost((question) => {
      questions.push(question)
      return Promise.resolve(true)
    })
    await host.connect(duplex(near))
    expect(await host.callTool('close')).toMatchObject({ content: [{ text: 'Closed' }] })
    expect(questions).toEqual(['shop asks: Close the shop?'])
  })

  it('updates its list of tools', async () => {
    const shop = new McpServer({ name: 'shop', version: '1.0.0' })
    shop.addTool({ name: 'one', handler: () => '1' })
    await using client = await connect(shop)
    const show = vi.fn<(names: readonly string[]) => void>()
    await followTools(client, show)
    await vi.waitFor(() => expect(show).toHaveBeenLastCalledWith(['one']))
    shop.addTool({ name: 'two', handler: () => '2' })
    await vi.waitFor(() => expect(show).toHaveBeenLastCalledWith(['one', 'two']))
  })
})
