import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { Inbox } from './support/inbox.ts'
import {
  type TransportName,
  SERVER_COMMANDS,
  listen,
  type Listening,
  stdioCommand,
} from './support/processes.ts'

describe.each(Object.keys(SERVER_COMMANDS) as TransportName[])(
  'the official client listens over %s',
  (transport) => {
    let server: Listening | undefined
    let client: Client
    let inbox: Inbox

    beforeAll(async () => {
      if (transport !== 'stdio') server = await listen(transport)
      client = new Client(
        { name: 'listening', version: '1' },
        { versionNegotiation: { mode: { pin: '2026-07-28' } } },
      )
      client.fallbackNotificationHandler = (message) => inbox.take(message)
      await client.connect(
        server === undefined
          ? new StdioClientTransport({ ...stdioCommand(), stderr: 'ignore' })
          : new StreamableHTTPClientTransport(new URL(server.url)),
      )
    })
    afterAll(async () => {
      await client?.close()
      await server?.stop()
    })
    afterEach(() => inbox.clear())

    it('to lists and resources, each by its own subscription, until it closes one', async () => {
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
      // The tools' notification comes after any of the resource.
      const removed = inbox.next('notifications/tools/list_changed')
      await client.callTool({ name: 'remove_tool', arguments: { name: 'listened' } })
      await removed
      expect(inbox.of('notifications/resources/updated')).toEqual([])
      await lists.close()
    })
  },
)
