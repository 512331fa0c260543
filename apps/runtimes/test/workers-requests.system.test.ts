import { initialize } from '@jetway-apps/test-support'
import type { JsonObject } from '@jetway/core/protocol'
import { sseEvents } from '@jetway/testing'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import type { Listening } from './support/processes.ts'
import { post, postCall } from './support/post.ts'
import { connectHttp } from './support/suite.ts'
import { listenInWorker, type WorkerOptions } from './support/worker.ts'

/**
 * A request cannot use anything that another request has opened:
 * https://developers.cloudflare.com/workers/observability/errors/
 */

let server: Listening
const serve = (file: string, options?: WorkerOptions): void => {
  beforeAll(async () => {
    server = await listenInWorker(new URL(file, import.meta.url), options)
  })
  afterAll(() => server?.stop())
}
const connect = connectHttp(() => server.url)
const subscribeTo = (uri: string): JsonObject => ({ notifications: { resourceSubscriptions: [uri] } })

const itReachesSubscribers = (uri: string): void =>
  it('reach subscribers', async () => {
    const peer = await connect({ revision: '2026-07-28' })
    peer.request('subscriptions/listen', subscribeTo(uri)).catch(() => 'ended with the connection')
    await peer.notification('notifications/subscriptions/acknowledged')
    await postCall(server.url, 'write_note')
    const { params } = await peer.notification('notifications/resources/updated')
    expect(params).toMatchObject({ uri })
    await peer.close()
  })

describe('a Worker that has already served a request', () => {
  serve('./fixtures/timed.worker.ts')
  beforeAll(async () => {
    expect(await (await postCall(server.url, 'wait', { ms: 1 })).text()).toContain('Waited')
  })

  it('turns a long call into a stream with keep-alive comments', async () => {
    const response = await postCall(server.url, 'wait', { ms: 600 })
    expect(response.headers.get('content-type')).toBe('text/event-stream')
    expect(await response.text()).toMatch(/^:[^]*Waited/m)
  })

  it('cancels a hanging call at its time limit', async () => {
    expect(await (await postCall(server.url, 'hang')).text()).toContain('isError')
  })

  it('responds separately to each concurrent call', async () => {
    const waits = Array.from({ length: 8 }, (_, index) => 10 + index * 30)
    const replies = await Promise.all(waits.map((ms) => postCall(server.url, 'wait', { ms })))
    const texts = await Promise.all(replies.map((reply) => reply.text()))
    expect(texts.filter((text) => text.includes('Waited'))).toHaveLength(waits.length)
  })
})

describe("notifications that a Worker sends on another request's stream", () => {
  describe('on the default server', () => {
    serve('./fixtures/timed.worker.ts')

    it('do not work in sessions, because initialize does not create a session', async () => {
      const peer = await connect({ revision: '2025-11-25' })
      const { result } = await peer.request('tools/call', { name: 'wait', arguments: { ms: 1 } })
      expect(result).toMatchObject({ content: [{ text: 'Waited' }] })
      const reply = await fetch(server.url, { headers: { accept: 'text/event-stream' } })
      expect([reply.status, reply.headers.get('allow')]).toEqual([405, 'POST, OPTIONS'])
      await peer.close()
    })

    it('do not work through subscriptions/listen, which is refused with a reason', async () => {
      const reply = await post(server.url, {
        method: 'subscriptions/listen',
        params: subscribeTo('bus://note'),
      })
      expect(reply.status).toBe(404)
      expect(await reply.json()).toMatchObject({
        error: { code: -32601, message: expect.stringContaining('Give the server a bus') as unknown },
      })
    })
  })

  it('do not work over /sse: the mount throws', async () => {
    const starting = listenInWorker(new URL('./fixtures/http-sse.worker.ts', import.meta.url))
    await expect(starting).rejects.toThrow(
      'legacySse needs sessions, which Workers have in Durable Objects alone',
    )
  })

  describe('with a bus that works across requests', () => {
    serve('./fixtures/bus.worker.ts')

    itReachesSubscribers('bus://note')
  })

  describe('in a Durable Object', () => {
    serve('../src/durable-object.ts', { durableObject: 'SessionsObject' })

    it('reach sessions', async () => {
      const peer = await connect({ revision: '2025-11-25' })
      await peer.request('resources/subscribe', { uri: 'object://note' })
      await peer.request('tools/call', { name: 'write_note' })
      const { params } = await peer.notification('notifications/resources/updated')
      expect(params).toMatchObject({ uri: 'object://note' })
      await peer.close()
    })

    itReachesSubscribers('object://note')

    it('reach clients over /sse', async () => {
      const leaving = new AbortController()
      const { signal } = leaving
      const headers = { accept: 'text/event-stream' }
      const stream = await fetch(new URL('/sse', server.url), { headers, signal })
      const events = sseEvents(stream.body!)
      const { value: endpoint } = await events.next()
      expect(endpoint?.event).toBe('endpoint')
      const posted = await fetch(new URL(endpoint?.data ?? '', server.url), {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(initialize('2024-11-05')),
      })
      expect(posted.status).toBe(202)
      const { value: answer } = await events.next()
      expect(answer?.data).toContain('"protocolVersion":"2024-11-05"')
      leaving.abort()
    })
  })
})

describe("a Worker's lifespan", () => {
  serve('./fixtures/lifespan.worker.ts')

  it('opens once, even if the first client disconnects', async () => {
    const leaving = new AbortController()
    const left = postCall(server.url, 'opened', {}, leaving)
    left.catch(() => 'gone')
    await vi.waitUntil(async () => (await (await fetch(`${server.url}/begun`)).text()) === '1')
    const waiting = postCall(server.url, 'opened')
    leaving.abort()
    expect(await (await waiting).text()).toContain('Opened 1')
    expect(await (await postCall(server.url, 'opened')).text()).toContain('Opened 1')
  })
})
