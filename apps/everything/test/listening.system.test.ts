import { Client } from '@modelcontextprotocol/client'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { transportV2 } from './support/clients.ts'
import { Inbox } from './support/inbox.ts'
import { serving, TRANSPORTS } from './support/processes.ts'

describe.each(TRANSPORTS)('the official client over %s', (transport) => {
  const target = serving(transport)
  let client: Client
  let inbox: Inbox

  beforeAll(async () => {
    client = new Client(
      { name: 'listening', version: '1' },
      { versionNegotiation: { mode: { pin: '2026-07-28' } } },
    )
    client.fallbackNotificationHandler = (message) => inbox.take(message)
    await client.connect(transportV2(target()))
  })
  afterAll(() => client?.close())
  afterEach(() => inbox.clear())

  it('subscribes to lists and resources separately, and can close each subscription', async () => {
    inbox = new Inbox()
    const lists = await client.listen({ toolsListChanged: true })
    const resources = await client.listen({ resourceSubscriptions: ['test://watched-resource'] })
    expect(lists.honoredFilter).toEqual({ toolsListChanged: true })
    expect(resources.honoredFilter).toEqual({ resourceSubscriptions: ['test://watched-resource'] })

    const changed = inbox.next('notifications/tools/list_changed')
    await client.callTool({ name: 'add_tool', arguments: { name: 'listened' } })
    await changed
    const updated = inbox.next('notifications/resources/updated')
    await client.callTool({ name: 'touch_watched_resource', arguments: {} })
    expect(await updated).toMatchObject({ params: { uri: 'test://watched-resource' } })

    await resources.close()
    expect(await resources.closed).toBe('local')
    inbox.clear()
    await client.callTool({ name: 'touch_watched_resource', arguments: {} })
    // This notification arrives after all of the resource's notifications.
    const removed = inbox.next('notifications/tools/list_changed')
    await client.callTool({ name: 'remove_tool', arguments: { name: 'listened' } })
    await removed
    expect(inbox.of('notifications/resources/updated')).toEqual([])
    await lists.close()
  })
})
