import { type Handle, McpServer, type ResourceDefinition, type SessionView } from '@jetway/core'
import { REVISIONS } from '@jetway/core/protocol'
import { describe, expect, it } from 'vitest'
import { type Cell, describeMatrix, SESSION_REVISIONS } from '../src/matrix.ts'
import type { TestConnection } from '../src/peer.ts'
import { HOST_TRANSPORTS, SSE_TRANSPORTS } from './support/host-transports.ts'

const ID = 'com.example/index'
const READY = 'notifications/com.example/index/ready'
const UPDATED = 'notifications/resources/updated'
const NOTE = 'note://1'
const CAPABILITIES = { extensions: { [ID]: {} } }

interface Made {
  readonly server: McpServer
  readonly note: Handle<ResourceDefinition>
  readonly sessions: SessionView[]
}

function createServer(options: object = {}): Made {
  const server = new McpServer(
    { name: 'test', version: '1' },
    { extensions: [{ id: ID, eras: ['legacy', 'modern'], notifications: [READY] }], ...options },
  )
  const sessions: SessionView[] = []
  server.on('session:open', ({ session }) => sessions.push(session))
  server.setTools([])
  server.setPrompts([])
  const note = server.addResource({ uri: NOTE, name: 'note', handler: () => 'one' })
  server.addResource({ uri: 'note://2', name: 'other', handler: () => 'two' })
  return { server, note, sessions }
}

/** Connects a client that has subscribed to one note, to all lists, and to the extension. */
async function connectListener(
  { connect, revision }: Cell,
  server: McpServer,
  capabilities = CAPABILITIES,
): Promise<TestConnection> {
  const connection = await connect(server, { capabilities })
  if (SESSION_REVISIONS.includes(revision)) {
    await connection.request('resources/subscribe', { uri: NOTE })
    return connection
  }
  const notifications = {
    toolsListChanged: true,
    promptsListChanged: true,
    resourcesListChanged: true,
    resourceSubscriptions: [NOTE],
    [ID]: true,
  }
  void connection.request('subscriptions/listen', { notifications }).catch(() => {})
  await connection.notification('notifications/subscriptions/acknowledged')
  return connection
}

/** Changes the list of prompts, waits for that notification, and returns all notifications that arrived before it. */
async function heardBy(connection: TestConnection, { server }: Made): Promise<readonly string[]> {
  server.notify.promptsChanged()
  await connection.notification('notifications/prompts/list_changed')
  return connection.notifications
    .map(({ method }) => method)
    .filter((method) => method !== 'notifications/subscriptions/acknowledged')
    .slice(0, -1)
}

describeMatrix('a server outside a call', { transports: HOST_TRANSPORTS }, (cell) => {
  it.each([
    ['toolsChanged', 'notifications/tools/list_changed'],
    ['resourcesChanged', 'notifications/resources/list_changed'],
    ['promptsChanged', 'notifications/prompts/list_changed'],
  ] as const)('notifies all clients when notify.%s is called', async (name, method) => {
    const { server } = createServer()
    const clients = [await connectListener(cell, server), await connectListener(cell, server)]
    server.notify[name]()
    await Promise.all(clients.map((client) => client.notification(method)))
  })

  it("sends an extension's notification to the clients that declared the extension", async () => {
    const made = createServer()
    const client = await connectListener(cell, made.server)
    const stranger = await connectListener(cell, made.server, {} as never)
    made.server.notify.extension(ID, READY, { terms: 3 })
    expect(await client.notification(READY)).toMatchObject({ params: { terms: 3 } })
    expect(await heardBy(stranger, made)).toEqual([])
  })

  it('notifies subscribers when a resource is updated through its handle', async () => {
    const made = createServer()
    const client = await connectListener(cell, made.server)
    made.note.update({ handler: () => 'changed' })
    made.note.update({ title: 'A note' })
    expect(await client.notification(UPDATED)).toMatchObject({ params: { uri: NOTE } })
    expect((await heardBy(client, made)).toSorted()).toEqual([
      'notifications/resources/list_changed',
      UPDATED,
    ])
  })
})

describeMatrix(
  'a server outside a call',
  { transports: [...HOST_TRANSPORTS, ...SSE_TRANSPORTS], revisions: SESSION_REVISIONS },
  (cell) => {
    it('sends log messages to all sessions, at the level that each session has set', async () => {
      const made = createServer()
      const [chatty, quiet] = [
        await connectListener(cell, made.server),
        await connectListener(cell, made.server),
      ]
      await chatty.request('logging/setLevel', { level: 'debug' })
      await quiet.request('logging/setLevel', { level: 'error' })
      made.server.log.debug({ load: 0.9 }, 'monitor')
      made.server.log.error('down')
      expect(await quiet.notification('notifications/message')).toMatchObject({
        params: { level: 'error', data: 'down' },
      })
      await chatty.notification('notifications/message', ({ level }) => level === 'error')
      expect(chatty.notifications[0]).toMatchObject({
        params: { level: 'debug', logger: 'monitor', data: { load: 0.9 } },
      })
    })

    it('can notify a single session', async () => {
      const made = createServer()
      const [mine, other] = [
        await connectListener(cell, made.server),
        await connectListener(cell, made.server),
      ]
      const [session] = made.sessions
      if (session === undefined) throw new Error('no session was opened')
      const own = made.server.forSession(session)
      own.notify.toolsChanged()
      own.notify.resourceUpdated(NOTE)
      own.notify.resourceUpdated('note://2')
      own.notify.extension(ID, READY)
      own.log.warning('only you')
      own.log.debug('below your level')
      expect(await heardBy(mine, made)).toEqual([
        'notifications/tools/list_changed',
        UPDATED,
        READY,
        'notifications/message',
      ])
      expect(await heardBy(other, made)).toEqual([])
    })
  },
)

describe('server.log', () => {
  it('sends nothing if logging is disabled', async () => {
    const { connect } = await import('../src/connect.ts')
    const made = createServer({ logging: false })
    const revision = REVISIONS.find(({ era }) => era === 'legacy')?.version
    await using client = await connect(made.server, revision === undefined ? {} : { revision })
    made.server.log.emergency('nobody hears it')
    made.server.notify.toolsChanged()
    await client.notification('notifications/tools/list_changed')
    expect(client.notifications).toHaveLength(1)
  })

  it('never throws, regardless of the data', () => {
    const cycle: Record<string, unknown> = {}
    cycle['self'] = cycle
    const { server } = createServer()
    for (const data of [cycle, 1n, undefined, () => {}]) server.log.error(data)
  })
})
