import { once } from 'node:events'
import { connect, createServer as createHttp2, type Http2Server, type IncomingHttpHeaders } from 'node:http2'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { toFetch } from '@jetway/core/http'
import type { EndpointOptions } from '@jetway/core/http'
import { mcp as fastifyMcp } from '@jetway/fastify'
import { mcp as honoMcp } from '@jetway/hono'
import { mcp as nodeMcp } from '@jetway/node'
import Fastify from 'fastify'
import { Hono } from 'hono'
import { describe, expect, it, onTestFinished } from 'vitest'
import { callFrame, createServer, HEADERS } from '@jetway-apps/test-support/http'
import { http2Server } from '@jetway-apps/test-support/mounts'

const HOSTS: Readonly<Record<string, (options: EndpointOptions) => Http2Server | Promise<Http2Server>>> = {
  async Fastify(options) {
    const app = Fastify({ http2: true })
    await app.register(fastifyMcp, { server: createServer(), ...options })
    await app.ready()
    return app.server
  },
  Hono: (options) => http2Server(new Hono().use(honoMcp({ server: createServer(), ...options })).fetch),
  toFetch: (options) => http2Server(toFetch(createServer(), options)),
  Node: (options) => createHttp2(nodeMcp({ server: createServer(), ...options })),
}

interface Reply {
  readonly status: number | undefined
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

/** Serves with one host, and returns a function that calls a tool with more headers. */
async function serve(host: string, options: EndpointOptions = {}) {
  const http = await HOSTS[host]?.({ stateless: true, allowedHosts: ['mcp.example'], ...options })
  if (http === undefined) throw new Error(`No host is called ${host}`)
  await once(http.listen(0, '127.0.0.1'), 'listening')
  const client = connect(`http://127.0.0.1:${(http.address() as AddressInfo).port}`)
  onTestFinished(() => {
    client.destroy()
    http.close()
  })
  return async (tool: string, headers: object): Promise<Reply> => {
    const stream = client.request({ ':method': 'POST', ':path': '/mcp', ...HEADERS, ...headers })
    stream.end(callFrame(tool))
    const [answered] = (await once(stream, 'response')) as [IncomingHttpHeaders & { ':status'?: number }]
    return { status: answered[':status'], headers: answered, body: await text(stream) }
  }
}

describe.each(Object.keys(HOSTS))('HTTP/2 on %s', (host) => {
  it('takes the host from :authority', async () => {
    const call = await serve(host)
    expect(await call('name', { ':authority': 'mcp.example' })).toMatchObject({ status: 200 })
    expect(await call('name', { ':authority': 'MCP.example', host: 'mcp.example' })).toMatchObject({
      status: 200,
    })
    expect(await call('name', { ':authority': 'evil.example', host: 'mcp.example' })).toMatchObject({
      status: 403,
    })
  })

  it('sends streams without headers of HTTP/1', async () => {
    const warnings: Error[] = []
    const warn = (warning: Error): void => void warnings.push(warning)
    process.on('warning', warn)
    onTestFinished(() => void process.off('warning', warn))
    const call = await serve(host)
    const { headers, body } = await call('report', { ':authority': 'mcp.example' })
    expect(headers['content-type']).toBe('text/event-stream')
    expect(headers['connection']).toBeUndefined()
    expect(body).toMatch(/notifications\/progress[\s\S]*reported/)
    expect(warnings).toEqual([])
  })
})

it.each(['Fastify', 'Hono', 'Node'])(
  'HTTP/2 on %s refuses a Host that differs from :authority',
  async (host) => {
    const call = await serve(host)
    const differing = { ':authority': 'mcp.example', host: 'evil.example' }
    expect(await call('name', differing)).toMatchObject({ status: 400 })
  },
)
