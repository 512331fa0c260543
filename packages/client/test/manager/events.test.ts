import { Notification } from '@jetway/core/protocol'
import { expect, it, vi } from 'vitest'
import { scriptedDial, settled, withTools, world } from './support/world.ts'

it('listeners are called in their order, those that throw or reject too, and each failure is told', async () => {
  const { manager, named } = world()
  const order: string[] = []
  manager.on('mcp_connected', () => {
    order.push('first')
    throw new Error('thrown')
  })
  manager.on('mcp_connected', async () => {
    order.push('second')
    await Promise.reject(new Error('rejected'))
  })
  const off = manager.on('mcp_connected', () => void order.push('third'))
  const same = (): void => void order.push('same')
  manager.on('mcp_connected', same)
  manager.on('mcp_connected', same)
  manager.on('mcp_error', () => {
    throw new Error('nobody hears this')
  })
  await manager.connect('a', scriptedDial().dial)
  await settled()
  expect(order).toEqual(['first', 'second', 'third', 'same', 'same'])
  expect(named('mcp_error')).toMatchObject([
    { error: { message: 'thrown' } },
    { error: { message: 'rejected' } },
  ])
  off()
  order.length = 0
  await manager.connect('b', scriptedDial().dial)
  expect(order).toEqual(['first', 'second', 'same', 'same'])
})

it('a callback for servers that are given up may fail, and is not waited for', async () => {
  const onServerRemoved = vi.fn((server: string): Promise<void> => {
    if (server === 'a') throw new Error('thrown')
    return Promise.reject(new Error('rejected'))
  })
  const { manager, clock, named } = world({ onServerRemoved, reconnect: { maxAttempts: 0 } })
  const a = scriptedDial()
  const b = scriptedDial()
  await manager.connectAll({ a: a.dial, b: b.dial, c: scriptedDial(withTools('x')).dial })
  await a.server.close()
  await b.server.close()
  await settled()
  await clock.advance(1)
  expect(onServerRemoved.mock.calls).toEqual([['a'], ['b']])
  expect(named('mcp_server_removed')).toEqual(
    ['a', 'b'].map((server) => ({ server, reason: 'It was lost, and is not to be reconnected' })),
  )
  expect(named('mcp_error')).toMatchObject([
    { server: 'a', error: { message: 'thrown' } },
    { server: 'b', error: { message: 'rejected' } },
  ])
  expect(await manager.callTool('mcp__c__x')).toMatchObject({ content: [{ text: 'x' }] })
})

it('what servers tell is told with their names', async () => {
  const { manager, events } = world()
  const a = scriptedDial()
  await manager.connect('a', a.dial)
  events.length = 0
  a.server.notify(Notification.Message, { level: 'info', logger: 'l', data: 1, server: 'forged' })
  a.server.notify(Notification.ResourceUpdated, { uri: 'x://1' })
  a.server.notify(Notification.PromptsListChanged)
  a.server.notify(Notification.ResourcesListChanged)
  a.server.say('no message')
  await settled()
  expect(events).toEqual([
    ['mcp_log', { server: 'a', level: 'info', logger: 'l', data: 1 }],
    ['mcp_resource_updated', { server: 'a', uri: 'x://1' }],
    ['mcp_list_changed', { server: 'a', list: 'prompts' }],
    ['mcp_list_changed', { server: 'a', list: 'resources' }],
    ['mcp_list_changed', { server: 'a', list: 'resourceTemplates' }],
    ['mcp_error', { server: 'a', error: expect.any(Error) }],
  ])
})

it('numbers say how each server stands', async () => {
  const { manager } = world()
  const a = scriptedDial({ ...withTools('x'), 'tools/call': undefined })
  const b = scriptedDial()
  await manager.connectAll({ a: a.dial, b: b.dial })
  const call = manager.callTool('mcp__a__x').catch(() => {})
  await a.server.hears('tools/call')
  await b.server.close()
  await settled()
  expect(manager.stats()).toEqual({
    servers: [
      { server: 'a', state: 'connected', attempts: 0, pending: 1 },
      { server: 'b', state: 'reconnecting', attempts: 1, pending: 0 },
    ],
    cachedResources: 0,
  })
  await manager.closeAll()
  await call
})
