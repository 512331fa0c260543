import { once } from 'node:events'
import { connect, type IncomingHttpHeaders } from 'node:http2'
import { text } from 'node:stream/consumers'
import { describe, expect, it, onTestFinished } from 'vitest'
import { callFrame, createServer, HEADERS } from '@jetway-apps/test-support/http'
import { HTTP2_MOUNTS } from '@jetway-apps/test-support/http2-mounts'
import type { Mount } from '@jetway-apps/test-support/mounts'

interface Reply {
  readonly status: number | undefined
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

/** Serves a mount, and returns a function that calls a tool with additional headers. */
async function serve(mount: Mount) {
  const { origin, stop } = await mount(createServer(), { stateless: true, allowedHosts: ['mcp.example'] })
  const client = connect(origin)
  onTestFinished(() => {
    client.destroy()
    return stop()
  })
  return async (tool: string, headers: object): Promise<Reply> => {
    const stream = client.request({ ':method': 'POST', ':path': '/mcp', ...HEADERS, ...headers })
    stream.end(callFrame(tool))
    const [answered] = (await once(stream, 'response')) as [IncomingHttpHeaders & { ':status'?: number }]
    return { status: answered[':status'], headers: answered, body: await text(stream) }
  }
}

describe.each(Object.entries(HTTP2_MOUNTS))('HTTP/2 on %s', (_host, mount) => {
  it('reads the host from :authority', async () => {
    const call = await serve(mount)
    expect(await call('name', { ':authority': 'mcp.example' })).toMatchObject({ status: 200 })
    expect(await call('name', { ':authority': 'MCP.example', host: 'mcp.example' })).toMatchObject({
      status: 200,
    })
    expect(await call('name', { ':authority': 'evil.example', host: 'mcp.example' })).toMatchObject({
      status: 403,
    })
  })

  it('sends streams without HTTP/1 headers', async () => {
    const warnings: Error[] = []
    const warn = (warning: Error): void => void warnings.push(warning)
    process.on('warning', warn)
    onTestFinished(() => void process.off('warning', warn))
    const call = await serve(mount)
    const { headers, body } = await call('report', { ':authority': 'mcp.example' })
    expect(headers['content-type']).toBe('text/event-stream')
    expect(headers['connection']).toBeUndefined()
    expect(body).toMatch(/notifications\/progress[\s\S]*reported/)
    expect(warnings).toEqual([])
  })
})

const { toFetch: _joined, ...seeingBoth } = HTTP2_MOUNTS

it.each(Object.entries(seeingBoth))(
  'over HTTP/2 on %s, a mount refuses a Host header that differs from :authority',
  async (_host, mount) => {
    const call = await serve(mount)
    const differing = { ':authority': 'mcp.example', host: 'evil.example' }
    expect(await call('name', differing)).toMatchObject({ status: 400 })
  },
)
