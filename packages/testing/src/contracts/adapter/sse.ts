import { expect } from 'vitest'
import { type AdapterClient, callFrame, INITIALIZE, type OpenReply } from './client.ts'
import type { AdapterCase } from './types.ts'

/** Opens an HTTP+SSE stream. Returns the path and query to which messages must be posted. */
async function openSse(
  client: AdapterClient,
): Promise<{ readonly stream: OpenReply; readonly path: string }> {
  const { pathname } = new URL('sse', client.url)
  const stream = await client.open({
    method: 'GET',
    path: pathname,
    headers: { accept: 'text/event-stream' },
  })
  const text = await stream.until('\n\n')
  return { stream, path: /^event: endpoint\ndata: (.+)\n/.exec(text)?.[1] ?? '' }
}

const on = { legacySse: true, streams: { keepAlive: false } } as const

export const SSE_CASES: readonly AdapterCase[] = [
  {
    name: 'opens an HTTP+SSE stream, and answers posted messages on it',
    needs: 'legacySse',
    async run({ serve }) {
      const { client } = await serve(on)
      const { stream, path } = await openSse(client)
      expect(path).toMatch(/^\/message\?sessionId=/)
      expect(stream.headers['content-type']).toMatch(/^text\/event-stream/)
      expect(stream.headers['cache-control']).toBe('no-cache, no-transform')
      expect(stream.headers['x-accel-buffering']).toBe('no')
      const taken = await client.send({ path, body: INITIALIZE })
      expect([taken.status, taken.body]).toEqual([202, 'Accepted'])
      await stream.until('"serverInfo"')
      await client.send({ path, body: callFrame('echo', { text: 'on the stream' }) })
      await stream.until('on the stream')
    },
  },
  {
    name: 'passes every method on the HTTP+SSE routes to the endpoint',
    needs: 'legacySse',
    async run({ serve }) {
      const { client } = await serve(on)
      for (const [path, allowed, other] of [
        ['/sse', 'GET, OPTIONS', 'POST'],
        ['/message', 'POST, OPTIONS', 'GET'],
      ] as const) {
        for (const method of ['PUT', 'HEAD', 'DELETE', 'OPTIONS', other]) {
          const { status, headers } = await client.send({ method, path })
          expect([path, method, status, headers.allow]).toEqual([
            path,
            method,
            method === 'OPTIONS' ? 204 : 405,
            allowed,
          ])
        }
      }
      expect((await client.send({ path: '/message', body: INITIALIZE })).status).toBe(400)
    },
  },
  {
    name: 'ends the HTTP+SSE session when the peer closes its stream',
    needs: 'legacySse',
    async run({ serve }) {
      const { client, server } = await serve(on)
      let closed = 0
      server.on('session:close', () => closed++)
      const { stream, path } = await openSse(client)
      await client.send({ path, body: INITIALIZE })
      stream.leave()
      await client.eventually(() => closed === 1, 'the end of the session')
      expect((await client.send({ path, body: INITIALIZE })).status).toBe(404)
    },
  },
  {
    name: 'ends the HTTP+SSE stream when the mount is closed',
    needs: 'legacySse',
    async run({ serve }) {
      const { client, close } = await serve(on)
      const { stream, path } = await openSse(client)
      await client.send({ path, body: INITIALIZE })
      await client.within(close(), 'the end of a close')
      expect(await stream.whole()).toContain('"serverInfo"')
    },
  },
  {
    name: 'serves the HTTP+SSE routes only if legacySse is set',
    needs: 'legacySse',
    async run({ serve }) {
      const { client } = await serve()
      const reply = await client.send({
        method: 'GET',
        path: '/sse',
        headers: { accept: 'text/event-stream' },
      })
      expect([400, 404]).toContain(reply.status)
      expect(reply.headers['content-type'] ?? '').not.toContain('event-stream')
    },
  },
]
