import { describe, expect, it } from 'vitest'
import { TransportError } from '../../src/errors.ts'
import { Method } from '../support/dates.ts'
import { FakeTransport } from '../support/fake-transport.ts'
import { sessions } from '../support/scripted.ts'
import { connected, settled, world } from './support/world.ts'

const CONTENTS = { contents: [] }

describe('requests that wait for a reconnect', () => {
  const reading = () => connected({ [Method.ReadResource]: CONTENTS }, { resources: false })

  it('are limited to 1,024 per reconnect', async () => {
    const { manager, clock, a } = await reading()
    for (let times = 0; times < 2; times++) {
      await a.lose()
      const waiting = Array.from({ length: 1_024 }, () => manager.readResource('a', 'a://b'))
      await expect(manager.readResource('a', 'a://b')).rejects.toMatchObject({
        code: 'unavailable',
        message: 'The server a is being reconnected, and 1024 requests wait for it already',
      })
      await clock.advance(2_000)
      const read = await Promise.all(waiting)
      expect(read.filter(({ contents }) => contents.length === 0)).toHaveLength(1_024)
    }
  })

  it('reject after half a minute', async () => {
    const { manager, clock, a } = await reading()
    a.down = new Error('down')
    await a.lose()
    const outcome = manager.readResource('a', 'a://b').catch(({ message }: Error) => message)
    await clock.advance(29_999)
    expect(manager.stats().servers).toMatchObject([{ state: 'reconnecting', attempts: 5 }])
    await clock.advance(1)
    expect(await outcome).toBe('The server a is being reconnected, which takes more than 30000 ms')
  })
})

describe('a failed request over HTTP', () => {
  /** Connects to a server that fails to read resources, and reads one. */
  async function failing(failure: Error, pong: object | Error | undefined) {
    const made = world({ resources: false })
    const dialled: FakeTransport[] = []
    await made.manager.connect('a', () => {
      const transport = new FakeTransport(({ method }) => {
        if (method === Method.Initialize) return { result: sessions()[Method.Initialize] as object }
        if (method === Method.Discover) return { error: { code: -32601, message: 'No' } }
        if (method === Method.Ping) return pong
        return method === Method.ReadResource ? failure : undefined
      })
      dialled.push(transport)
      return transport
    })
    await expect(made.manager.readResource('a', 'a://b')).rejects.toThrow(failure.message)
    await settled()
    return { ...made, transport: dialled[0] as FakeTransport }
  }

  it.each<[string, Error, number]>([
    ['no status', new TransportError('No'), 1],
    ['status 500', new TransportError('No', { status: 500 }), 1],
    ['status 404', new TransportError('No', { status: 404 }), 1],
    ['status 499', new TransportError('No', { status: 499 }), 0],
    ['missing credentials', new TransportError('No', { authFailed: true }), 0],
    ['another error', new Error('No'), 0],
  ])('causes a ping if the server may be down: %s', async (_, failure, pings) => {
    const { transport, named } = await failing(failure, { result: {} })
    expect(transport.of(Method.Ping)).toHaveLength(pings)
    expect(named('reconnecting')).toEqual([])
  })

  it.each<[string, object | Error, number]>([
    ['an error', { error: { code: 1, message: 'No' } }, 0],
    ['a status about the caller', new TransportError('No', { status: 400 }), 0],
    ["a proxy's status", new TransportError('No', { status: 502 }), 1],
    ['a failure', new Error('No'), 1],
  ])('causes a reconnect depending on the response to the ping: %s', async (_, pong, times) => {
    const { named } = await failing(new TransportError('No'), pong)
    expect(named('reconnecting')).toHaveLength(times)
  })

  it('causes a reconnect if the server does not respond to the ping within 5 s', async () => {
    const { clock, named, manager } = await failing(new TransportError('No'), undefined)
    await clock.advance(4_999)
    expect([named('reconnecting').length, manager.names()]).toEqual([0, ['a']])
    await clock.advance(1)
    expect([named('reconnecting').length, manager.names()]).toEqual([1, []])
  })
})
