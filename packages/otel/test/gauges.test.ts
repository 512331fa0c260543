import { silent } from '@jetway-apps/test-support'
import { McpServer } from '@jetway/core'
import { redis } from '@jetway/redis'
import { connectPeer, memoryTransport } from '@jetway/testing'
import { expect, it, onTestFinished } from 'vitest'
import { telemetry } from '../src/index.ts'
import { registerSdk } from './support/sdk.ts'

it('gauges count a store shared by two servers only once, and omit servers without stores', async () => {
  const { points } = registerSdk()
  const observed = telemetry()
  const start = (options: object): McpServer => {
    const server = new McpServer(
      { name: 'observed', version: '1' },
      { ...options, telemetry: observed, logger: silent },
    )
    onTestFinished(() => server.close())
    // The instruments are created when they are first used.
    return server
  }
  const alone = start({})
  await alone.handleMessage({ jsonrpc: '2.0', id: 1, method: 'ping' })
  expect(await points()).not.toHaveProperty('jetway.shared.available')
  const stores = redis({ url: 'redis://127.0.0.1:1', namespace: 'test', logger: silent })
  const shared = { ...stores, stats: () => ({ available: false, inFlight: 2, unsent: 3 }) }
  start({ shared })
  start({ shared })
  const values = Object.entries(await points()).flatMap(([name, [point]]) =>
    name.startsWith('jetway.shared.') ? [[name, point?.value]] : [],
  )
  expect(Object.fromEntries(values)).toEqual({
    'jetway.shared.available': 0,
    'jetway.shared.in_flight': 2,
    'jetway.shared.unsent': 3,
  })
})

it('gauges add up the open servers of several telemetry() instances', async () => {
  const { points } = registerSdk()
  const start = async (): Promise<McpServer> => {
    const server = new McpServer({ name: 'one', version: '1' }, { telemetry: telemetry(), logger: silent })
    onTestFinished(() => server.close())
    const transport = await memoryTransport.open(server)
    await connectPeer(await transport.dial(), { revision: '2025-11-25' })
    return server
  }
  const first = await start()
  const second = await start()
  const sessions = async (): Promise<unknown> => (await points())['jetway.server.sessions']?.[0]?.value
  expect(await sessions()).toBe(2)
  await first.close()
  expect(await sessions()).toBe(1)
  await second.close()
  expect(await sessions()).toBe(0)
})
