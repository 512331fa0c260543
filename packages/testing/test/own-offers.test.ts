import { silent } from '@jetway-apps/test-support'
import { McpServer, type SessionView } from '@jetway/core'
import { expect, it } from 'vitest'
import { describeMatrix, SESSION_REVISIONS } from '../src/matrix.ts'
import type { TestConnection } from '../src/peer.ts'
import { HOST_TRANSPORTS } from './support/host-transports.ts'

const CHANGED = 'notifications/tools/list_changed'

function createServer(options: object = {}) {
  const server = new McpServer({ name: 'test', version: '1' }, { logger: silent, ...options })
  const sessions: SessionView[] = []
  server.on('session:open', ({ session }) => sessions.push(session))
  server.addTool({ name: 'common', handler: () => 'for all' })
  server.addTool({ name: 'later', handler: () => 'for all' })
  server.addResource({ uri: 'a://common', name: 'common', handler: () => 'for all' })
  server.addResourceTemplate({ uriTemplate: 'a://{any}', name: 'any', handler: () => 'for all' })
  server.addTool({
    name: 'unlock',
    handler(_args, { session }) {
      if (session === undefined) throw new Error('no session')
      const own = server.forSession(session)
      own.addTool({ name: 'secret', handler: () => 'mine' })
      own.addTool({ name: 'common', handler: () => 'mine' }, { replace: true })
      own.addResource({ uri: 'a://secret', name: 'secret', handler: () => 'mine' })
      own.addResourceTemplate({ uriTemplate: 'own://{x}', name: 'own', handler: ({ x }) => `mine ${x}` })
      return 'unlocked'
    },
  })
  return { server, sessions }
}

const namesOf = async (connection: TestConnection, method: string, member: string): Promise<unknown[]> => {
  const names: unknown[] = []
  let cursor: unknown
  do {
    const { result } = await connection.request(method, cursor === undefined ? {} : { cursor })
    const items = (result?.[member] ?? []) as readonly { readonly name: string }[]
    names.push(...items.map(({ name }) => name))
    cursor = result?.['nextCursor']
  } while (cursor !== undefined)
  return names
}
const call = async (connection: TestConnection, name: string): Promise<unknown> => {
  const { result, error } = await connection.request('tools/call', { name })
  return error?.code ?? (result?.['content'] as readonly { readonly text: string }[] | undefined)?.[0]?.text
}
const read = async (connection: TestConnection, uri: string): Promise<unknown> => {
  const { result, error } = await connection.request('resources/read', { uri })
  return error?.code ?? (result?.['contents'] as readonly { readonly text: string }[] | undefined)?.[0]?.text
}

describeMatrix(
  'entries added for a single session',
  { transports: HOST_TRANSPORTS, revisions: SESSION_REVISIONS },
  ({ connect }) => {
    it.each([{}, { limits: { pageSize: 1 } }])(
      'can be listed and called only in that session (server options: %j)',
      async (options) => {
        const { server } = createServer(options)
        const [mine, other] = [await connect(server), await connect(server)]
        await namesOf(mine, 'tools/list', 'tools')
        expect(await call(mine, 'unlock')).toBe('unlocked')
        expect(await namesOf(mine, 'tools/list', 'tools')).toEqual(['common', 'later', 'unlock', 'secret'])
        expect(await namesOf(other, 'tools/list', 'tools')).toEqual(['common', 'later', 'unlock'])
        expect(await namesOf(mine, 'resources/list', 'resources')).toEqual(['common', 'secret'])
        expect(await namesOf(other, 'resources/list', 'resources')).toEqual(['common'])
        expect(await namesOf(mine, 'resources/templates/list', 'resourceTemplates')).toEqual(['any', 'own'])
        expect(await namesOf(other, 'resources/templates/list', 'resourceTemplates')).toEqual(['any'])
        expect([await call(mine, 'secret'), await call(mine, 'common'), await call(mine, 'later')]).toEqual([
          'mine',
          'mine',
          'for all',
        ])
        expect([await call(other, 'secret'), await call(other, 'common')]).toEqual([-32602, 'for all'])
        expect([await read(mine, 'a://secret'), await read(mine, 'own://7')]).toEqual(['mine', 'mine 7'])
        expect([await read(other, 'a://secret'), await read(other, 'own://7')]).toEqual(['for all', -32002])
      },
    )

    it("cause notifications only to the session's client, at most once per tick", async () => {
      const { server } = createServer()
      const [mine, other] = [await connect(server), await connect(server)]
      await call(mine, 'unlock')
      await mine.notification('notifications/resources/list_changed')
      await mine.notification(CHANGED)
      expect(mine.notifications).toHaveLength(2)
      server.addTool({ name: 'last', handler: () => '' })
      await other.notification(CHANGED)
      expect(other.notifications).toHaveLength(1)
    })

    it("can be subscribed to by the session's client", async () => {
      const { server } = createServer()
      const [mine, other] = [await connect(server), await connect(server)]
      await call(mine, 'unlock')
      expect(await mine.request('resources/subscribe', { uri: 'own://1' })).toMatchObject({ result: {} })
      expect(await other.request('resources/subscribe', { uri: 'own://1' })).toMatchObject({
        error: { code: -32002 },
      })
      server.notify.resourceUpdated('own://1')
      expect(await mine.notification('notifications/resources/updated')).toMatchObject({
        params: { uri: 'own://1' },
      })
      await mine.request('resources/unsubscribe', { uri: 'own://1' })
      server.notify.resourceUpdated('own://1')
      server.addTool({ name: 'last', handler: () => '' })
      await other.notification(CHANGED)
      const updates = [...mine.notifications, ...other.notifications].filter(
        ({ method }) => method === 'notifications/resources/updated',
      )
      expect(updates).toHaveLength(1)
    })

    it('can be added when the session opens, and removed later', async () => {
      const { server, sessions } = createServer()
      server.on('session:open', ({ session }) => {
        server.forSession(session).addTool({ name: 'early', handler: () => 'mine' })
      })
      const mine = await connect(server)
      expect(await call(mine, 'early')).toBe('mine')
      expect(mine.notifications).toEqual([])
      const own = server.forSession(sessions[0] as SessionView)
      expect([own.removeTool('common'), own.removeTool('early')]).toEqual([false, true])
      await mine.notification(CHANGED)
      expect([await call(mine, 'early'), await call(mine, 'common')]).toEqual([-32602, 'for all'])
    })
  },
)
