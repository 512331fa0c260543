import { Notification } from '@jetway/core/protocol'
import { expect, it, vi } from 'vitest'
import { connected, connectedPair, scriptedTarget, settled, withTools, world } from './support/world.ts'

it('the manager calls listeners in order and reports each failure', async () => {
  const { manager, named } = world()
  const order: string[] = []
  manager.on('connected', () => {
    order.push('first')
    throw new Error('thrown')
  })
  manager.on('connected', async () => {
    order.push('second')
    await Promise.reject(new Error('rejected'))
  })
  const off = manager.on('connected', () => void order.push('third'))
  const same = (): void => void order.push('same')
  manager.on('connected', same)
  manager.on('connected', same)
  manager.on('error', () => {
    throw new Error('nobody hears this')
  })
  await manager.connect('a', scriptedTarget().target)
  await settled()
  expect(order).toEqual(['first', 'second', 'third', 'same', 'same'])
  expect(named('error')).toMatchObject([{ error: { message: 'thrown' } }, { error: { message: 'rejected' } }])
  off()
  order.length = 0
  await manager.connect('b', scriptedTarget().target)
  expect(order).toEqual(['first', 'second', 'same', 'same'])
})

it('the manager removes servers even if a serverRemoved listener throws', async () => {
  const onServerRemoved = vi.fn((server: string): Promise<void> => {
    if (server === 'a') throw new Error('thrown')
    return Promise.reject(new Error('rejected'))
  })
  const { manager, clock, named } = world({ reconnect: { maxAttempts: 0 } })
  manager.on('serverRemoved', ({ server }) => onServerRemoved(server))
  const a = scriptedTarget()
  const b = scriptedTarget()
  await manager.connectAll({
    a: a.target,
    b: b.target,
    c: scriptedTarget(withTools('x')).target,
  })
  await a.server.close()
  await b.lose()
  await clock.advance(1)
  expect(onServerRemoved.mock.calls).toEqual([['a'], ['b']])
  expect(named('serverRemoved')).toEqual(
    ['a', 'b'].map((server) => ({
      server,
      reason: 'The connection was lost, and reconnect.maxAttempts is 0',
    })),
  )
  expect(named('error')).toMatchObject([{ error: { message: 'thrown' } }, { error: { message: 'rejected' } }])
  expect(await manager.callTool('mcp__c__x')).toMatchObject({ content: [{ text: 'x' }] })
})

it("the manager adds the server's name to its events", async () => {
  const { events, a } = await connected()
  events.length = 0
  a.server.notify(Notification.Message, { level: 'info', logger: 'l', data: 1, server: 'forged' })
  a.server.notify(Notification.ResourceUpdated, { uri: 'x://1' })
  a.server.notify(Notification.PromptsListChanged)
  a.server.notify(Notification.ResourcesListChanged)
  a.server.say('no message')
  await settled()
  expect(events).toEqual([
    ['log', { server: 'a', level: 'info', logger: 'l', data: 1 }],
    ['resourceUpdated', { server: 'a', uri: 'x://1' }],
    ['listChanged', { server: 'a', list: 'prompts' }],
    ['listChanged', { server: 'a', list: 'resources' }],
    ['listChanged', { server: 'a', list: 'resourceTemplates' }],
    ['error', { server: 'a', error: expect.any(Error) }],
  ])
})

it('the manager describes each server in stats', async () => {
  const { manager, a, b } = await connectedPair({ ...withTools('x'), 'tools/call': undefined }, {})
  const call = manager.callTool('mcp__a__x').catch(() => {})
  await a.server.hears('tools/call')
  await b.lose()
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
