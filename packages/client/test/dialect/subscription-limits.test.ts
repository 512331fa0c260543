import { settled } from '@jetway-apps/test-support'
import type { JsonObject } from '@jetway/core/protocol'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { Method, Notification } from '../support/dates.ts'
import {
  listener,
  modern,
  type Script,
  scripted,
  type ScriptedServer,
  sessions,
  timed,
} from '../support/scripted.ts'

const SUBSCRIPTION = 'io.modelcontextprotocol/subscriptionId'

/** Returns the script of a server that acknowledges subscriptions, by default unchanged. */
const listening = (agreed?: object): Script => ({
  ...modern(),
  [Method.Subscribe]: {},
  [Method.Unsubscribe]: {},
  [Method.Listen]: ({ id, params }, server) => {
    const { notifications } = params as { readonly notifications: object }
    server.notify(Notification.Acknowledged, {
      _meta: { [SUBSCRIPTION]: id },
      notifications: agreed ?? notifications,
    })
  },
})
const listens = (server: ScriptedServer): JsonObject[] => server.of(Method.Listen)
const filters = (server: ScriptedServer): unknown[] =>
  listens(server).map(({ params }) => (params as { notifications: unknown }).notifications)

describe.each([
  ['with sessions', { ...sessions(), ...listening(), ...sessions() }],
  ['without sessions', listening()],
])('subscribe %s', (_, script) => {
  it('accepts at most 1,024 resources', async () => {
    const { client } = await scripted(script)
    const uris = Array.from({ length: 1_024 }, (__, at) => `note://${at}`)
    await Promise.all(uris.map((uri) => client.subscribe(uri)))
    await client.subscribe('note://0')
    await expect(client.subscribe('note://more')).rejects.toThrow(
      'No more than 1024 resource subscriptions: unsubscribe from some',
    )
    await client.unsubscribe('note://0')
    await client.subscribe('note://more')
  })
})

describe('a subscription to notifications defined by an extension', () => {
  const ID = 'com.example/x'

  it("is part of the client's single subscription", async () => {
    const { client, server } = await scripted(listening())
    await client.subscribeExtension(ID)
    await client.subscribeExtension(ID)
    await client.subscribe('note://a')
    expect(filters(server)).toEqual([{ [ID]: true }, { [ID]: true, resourceSubscriptions: ['note://a'] }])
  })

  it('rejects if the server does not accept it, and can then be retried', async () => {
    const { client, server } = await scripted(listening({ [ID]: 1 }))
    for (let i = 0; i < 2; i++)
      await expect(client.subscribeExtension(ID)).rejects.toMatchObject({
        code: 'not-supported',
        message: `The server sends this client no notifications of ${ID}`,
      })
    await expect(client.subscribe('note://a')).rejects.toThrow(
      'The server does not allow subscriptions to note://a',
    )
    expect(filters(server).at(-1)).toEqual({ resourceSubscriptions: ['note://a'] })
  })

  it('sends no request in a session', async () => {
    const { client, server } = await scripted(sessions())
    const before = server.heard.length
    await client.subscribeExtension(ID)
    expect(server.heard).toHaveLength(before)
  })
})

describe('a subscription that the server ends', () => {
  /** Creates a client with one subscription, which it reopens without random delays. */
  async function watching(script = listening()) {
    const chance = vi.spyOn(Math, 'random').mockReturnValue(0)
    onTestFinished(() => chance.mockRestore())
    const made = await timed(script)
    const { client, server, clock } = made
    await client.subscribe('note://a')
    const end = async (): Promise<void> => {
      server.answer(listens(server).at(-1)?.['id'], { resultType: 'complete' })
      await settled()
    }
    /** Ends the subscription, and expects the client to reopen it after the given time. */
    const endsAndReturnsAfter = async (ms: number): Promise<void> => {
      const before = listens(server).length
      await end()
      await clock.advance(ms - 1)
      expect(listens(server)).toHaveLength(before)
      await clock.advance(1)
      expect(listens(server)).toHaveLength(before + 1)
    }
    return { ...made, endsAndReturnsAfter }
  }

  it('is reopened after delays that double up to half a minute', async () => {
    const { endsAndReturnsAfter } = await watching()
    for (const seconds of [1, 2, 4, 8, 16, 30, 30]) await endsAndReturnsAfter(1_000 * seconds)
  })

  it.each([
    [29_999, 2_000],
    [30_000, 1_000],
  ])('is reopened sooner if it has been open longer: after %i ms, the delay is %i ms', async (lasted, ms) => {
    const { endsAndReturnsAfter, clock } = await watching()
    await endsAndReturnsAfter(1_000)
    await clock.advance(lasted)
    await endsAndReturnsAfter(ms)
  })

  it('is reopened after a second if it delivered a notification', async () => {
    const { endsAndReturnsAfter, server } = await watching()
    await endsAndReturnsAfter(1_000)
    const id = listens(server).at(-1)?.['id']
    server.notify(Notification.ResourceUpdated, { uri: 'note://a', _meta: { [SUBSCRIPTION]: id } })
    await settled()
    await endsAndReturnsAfter(1_000)
  })

  it('makes subscribe() reject if it was never acknowledged', async () => {
    const { client } = await scripted({ ...modern(), [Method.Listen]: { resultType: 'complete' } })
    await expect(client.subscribe('note://a')).rejects.toMatchObject({
      code: 'not-supported',
      message: 'The server ended the subscription at once',
    })
  })
})

describe('notifications for a subscription', () => {
  it('emit events unless they belong to another subscription', async () => {
    const { client, server } = await scripted(listening())
    await client.subscribe('note://a')
    const heard = listener(client, 'resourceUpdated')
    const id = listens(server)[0]?.['id'] as number
    const tell = (uri: string, meta: object): void =>
      server.notify(Notification.ResourceUpdated, { uri, ...meta })
    tell('note://1', { _meta: { [SUBSCRIPTION]: id } })
    tell('note://2', { _meta: { [SUBSCRIPTION]: String(id) } })
    tell('note://3', { _meta: { [SUBSCRIPTION]: id + 1 } })
    tell('note://4', { _meta: { [SUBSCRIPTION]: null } })
    tell('note://5', { _meta: 'text' })
    tell('note://6', {})
    await settled()
    expect(heard.mock.calls.map(([{ uri }]) => uri)).toEqual([
      'note://1',
      'note://2',
      'note://4',
      'note://5',
      'note://6',
    ])
  })

  it('are requested as long as there are listeners and the server supports them', async () => {
    const capabilities = { tools: { listChanged: true }, prompts: { listChanged: true }, resources: {} }
    const { client, server } = await scripted({
      ...listening(),
      [Method.Discover]: { supportedVersions: ['2026-07-28'], capabilities },
    })
    const gap = listener(client, 'changesMissed')
    const offs = [client.on('resourcesChanged', () => {})]
    await settled()
    expect(gap).not.toHaveBeenCalled()
    offs.push(client.on('promptsChanged', () => {}))
    await settled()
    expect(gap).toHaveBeenCalledTimes(1)
    offs.push(
      client.on('promptsChanged', () => {}),
      client.on('notification', () => {}),
    )
    await settled()
    expect(filters(server)).toEqual([
      { promptsListChanged: true },
      { promptsListChanged: true, toolsListChanged: true },
    ])
    expect(gap).toHaveBeenCalledTimes(2)
    for (const off of offs) off()
    await settled()
    expect(gap).toHaveBeenCalledTimes(2)
    expect(server.of(Notification.Cancelled).at(-1)).toMatchObject({
      params: { requestId: listens(server).at(-1)?.['id'] },
    })
  })
})
