import { createServer, type IncomingMessage } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { gunzipSync, gzipSync } from 'node:zlib'
import { mcp as honoMcp } from '@jetway/hono'
import { mcp as nodeMcp } from '@jetway/node'
import { callFrame, createServer as create, HEADERS, listen, text } from '@jetway-apps/test-support/http'
import { FRAMEWORKS, listenForTest, onNode } from '@jetway-apps/test-support/mounts'
import { Hono } from 'hono'
import { describe, expect, it, onTestFinished } from 'vitest'

const FRAME = callFrame('name')

const send = (origin: string, coding: string, body: string | Uint8Array<ArrayBuffer>): Promise<Response> =>
  fetch(`${origin}/mcp`, { method: 'POST', headers: { ...HEADERS, 'content-encoding': coding }, body })

describe.each(Object.entries({ ...FRAMEWORKS, Node: onNode }))(
  'a body with a Content-Encoding, on %s',
  (_, mount) => {
    async function mounted(): Promise<string> {
      const { origin, stop } = await mount(create(), { stateless: true })
      onTestFinished(stop)
      return origin
    }

    it('is refused with 415 and Accept-Encoding: identity, without closing the connection', async () => {
      const origin = await mounted()
      const refused = await send(origin, 'gzip', gzipSync(FRAME))
      expect([refused.status, refused.headers.get('accept-encoding')]).toEqual([415, 'identity'])
      expect(await refused.json()).toMatchObject({ error: { code: -32600 } })
      expect((await send(origin, 'br, gzip', FRAME)).status).toBe(415)
    })

    it('is accepted if the encoding is identity', async () => {
      expect(await text(await send(await mounted(), 'Identity', FRAME))).toBe('test')
    })
  },
)

describe('a body that middleware has decompressed', () => {
  it('is accepted on Node.js as a parsed value, despite its Content-Encoding header', async () => {
    const handle = nodeMcp({ server: create(), stateless: true })
    const listening = await listen(
      createServer((request: IncomingMessage & { body?: unknown }, response) => {
        void buffer(request).then((bytes) => {
          request.body = JSON.parse(gunzipSync(bytes).toString()) as unknown
          handle(request, response)
        })
      }),
    )
    onTestFinished(listening.release)
    expect(await text(await send(listening.origin, 'gzip', gzipSync(FRAME)))).toBe('test')
  })

  it('is accepted on Hono in a new request, despite its Content-Encoding header', async () => {
    const app = new Hono()
    app.use(async (c, next) => {
      const { body } = c.req.raw
      const decoded = body?.pipeThrough(new DecompressionStream('gzip'))
      c.req.raw = new Request(c.req.raw, { body: decoded, duplex: 'half' } as RequestInit)
      await next()
    })
    app.use(honoMcp({ server: create(), stateless: true }))
    expect(await text(await send(await listenForTest(app.fetch), 'gzip', gzipSync(FRAME)))).toBe('test')
  })
})
