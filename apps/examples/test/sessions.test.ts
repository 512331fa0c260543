import type { TestConnection } from '@jetway/testing'
import { describe, expect, it } from 'vitest'
import { server, setPrice } from '../src/server/sessions.ts'
import { peerOf } from './support.ts'

const connect = (): Promise<TestConnection> => peerOf(server, { revision: '2025-11-25' })

describe('the server in the sessions guide', () => {
  it('announces its experimental capabilities', async () => {
    const client = await connect()
    expect(client.initialized['capabilities']).toMatchObject({
      experimental: { 'com.example/handoff': { version: 2 } },
    })
    await client.close()
  })

  it('has a tool that exists only in one session', async () => {
    const [one, other] = [await connect(), await connect()]
    const call = async (client: TestConnection, name: string, args: object = {}): Promise<unknown> =>
      (await client.request('tools/call', { name, arguments: args })).result?.['content']
    await call(one, 'open_case', { number: 7 })
    expect(await call(other, 'close_case')).toBeUndefined()
    expect(await call(one, 'close_case')).toMatchObject([{ text: 'Case 7 is closed' }])
    expect(await call(one, 'close_case')).toBeUndefined()
    await Promise.all([one.close(), other.close()])
  })

  it('notifies subscribers of a change', async () => {
    const client = await connect()
    await client.request('resources/subscribe', { uri: 'price://tea' })
    setPrice('tea', 5)
    expect(await client.notification('notifications/resources/updated')).toMatchObject({
      params: { uri: 'price://tea' },
    })
    expect((await client.request('resources/read', { uri: 'price://tea' })).result).toMatchObject({
      contents: [{ text: '5' }],
    })
    await client.close()
  })
})
