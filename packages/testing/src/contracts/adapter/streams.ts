import { once } from 'node:events'
import type { HttpRequest } from '@jetway/core/http'
import { expect } from 'vitest'
import { callFrame, INITIALIZE, textOf } from './client.ts'
import { watching } from './requests.ts'
import { holding } from './servers.ts'
import type { AdapterCase } from './types.ts'

const flowing: readonly AdapterCase[] = [
  {
    name: 'sends the head of a stream at once, before anything is written',
    async run({ serve }) {
      const { client } = await serve({ streams: { eventStore: false, keepAlive: false } })
      const reply = await client.listen()
      expect([reply.status, reply.text()]).toEqual([200, ''])
    },
  },
  {
    name: 'sends headers that prevent proxies from buffering a stream',
    async run({ serve }) {
      const { server, release } = holding()
      const { client } = await serve({ streams: { upgradeAfterMs: 10 } }, {}, server)
      const stream = await client.listen()
      const call = await client.open({
        headers: await client.initialize(),
        body: callFrame('hold'),
      })
      for (const { headers } of [stream, call]) {
        expect(headers['content-type']).toMatch(/^text\/event-stream/)
        expect(headers['cache-control']).toBe('no-cache, no-transform')
        expect(headers['x-accel-buffering']).toBe('no')
      }
      release()
    },
  },
  {
    name: 'sends each frame when it is written',
    async run({ serve }) {
      const { server, release } = holding()
      const { client } = await serve({ stateless: true }, {}, server)
      const reply = await client.open({ body: callFrame('hold', { reports: true }) })
      await reply.until('notifications/progress')
      release()
      expect(await reply.whole()).toContain('"text":"released"')
    },
  },
  {
    name: 'keeps an open stream alive with comments',
    async run({ serve }) {
      const { client } = await serve({ streams: { eventStore: false, keepAlive: { intervalMs: 10 } } })
      const reply = await client.listen()
      await reply.until(': keep-alive\n\n: keep-alive\n\n')
    },
  },
  {
    name: 'sends the head of a long call when it becomes a stream',
    async run({ serve }) {
      const { server, release } = holding()
      const { client } = await serve({ stateless: true, streams: { upgradeAfterMs: 10 } }, {}, server)
      const reply = await client.open({ body: callFrame('hold') })
      expect(reply.headers['content-type']).toMatch(/^text\/event-stream/)
      release()
      expect(textOf({ status: reply.status, headers: reply.headers, body: await reply.whole() })).toBe(
        'released',
      )
    },
  },
]

const leaving: readonly AdapterCase[] = [
  {
    name: 'aborts the signal when the peer closes an open stream',
    async run({ serve }) {
      const { seen, authenticate } = watching()
      const { server, release } = holding()
      const { client } = await serve({ stateless: true, authenticate }, {}, server)
      const reply = await client.open({ body: callFrame('hold', { reports: true }) })
      const { signal } = seen[0] as HttpRequest
      const aborted = once(signal, 'abort')
      expect(signal.aborted).toBe(false)
      reply.leave()
      await client.within(aborted, 'the signal of a peer that left a stream')
      release()
    },
  },
  {
    name: 'aborts the signal when the peer disconnects before the reply, and still serves others',
    async run({ serve }) {
      const { seen, authenticate } = watching()
      const { server, release, calls } = holding()
      server.addTool({ name: 'after', handler: () => 'after' })
      const { client } = await serve({ stateless: true, authenticate }, {}, server)
      const connection = await client.raw()
      await connection.send(client.post(callFrame('hold')))
      await client.eventually(() => calls() === 1, 'the call to run')
      const { signal } = seen[0] as HttpRequest
      const aborted = once(signal, 'abort')
      connection.leave()
      await client.within(aborted, 'the signal of a peer that left')
      release()
      expect(await client.call('after')).toBe('after')
    },
  },
  {
    name: 'does not abort the signal after the peer received the whole reply',
    async run({ serve }) {
      const early: AbortSignal[] = []
      const { seen, authenticate } = watching()
      const { client } = await serve({
        stateless: true,
        authenticate: (request) => (early.push(request.signal), authenticate(request)),
      })
      const connection = await client.raw()
      await connection.send(client.post(callFrame('echo', { text: 'x' }), { connection: 'close' }))
      await connection.until(() => false, 'the end of the connection')
      await client.send({ body: callFrame('report', { text: 'x', times: 1 }) })
      await client.call('echo', { text: 'x' })
      const signals = [...early, ...seen.map(({ signal }) => signal)]
      expect(signals.map(({ aborted }) => aborted)).toEqual(Array(6).fill(false))
    },
  },
  {
    name: 'passes an aborted signal if the signal is first read after the peer disconnected',
    async run({ serve }) {
      const { seen, authenticate } = watching()
      const { server, release, calls } = holding()
      const { client } = await serve({ stateless: true, authenticate }, {}, server)
      const connections = [await client.raw(), await client.raw()] as const
      for (const connection of connections) {
        const before = calls()
        await connection.send(client.post(callFrame('hold')))
        await client.eventually(() => calls() === before + 1, 'the call to run')
      }
      const [unread, read] = seen as [HttpRequest, HttpRequest]
      const aborted = once(read.signal, 'abort')
      // The peers disconnect one after another. Once the signal that was read early has aborted, the signal that
      // was not read must have aborted as well.
      for (const connection of connections) {
        connection.leave()
        await client.send({ body: INITIALIZE })
      }
      await client.within(aborted, 'the signal of a peer that left')
      await client.eventually(() => unread.signal.aborted, 'a signal that is read late')
      release()
    },
  },
]

/** The cases for open streams, and for peers that disconnect. */
export const STREAM_CASES: readonly AdapterCase[] = [...flowing, ...leaving]
