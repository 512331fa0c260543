import { REVISIONS } from '@jetway/core/protocol'
import { describe, expect, it } from 'vitest'
import { Client } from '../../src/client/client.ts'
import { http } from '../../src/http/http.ts'
import { mount } from '../support/mounted.ts'
import { everything } from '../support/servers.ts'
import { listener } from '../support/scripted.ts'

describe.each(REVISIONS)('a client that uses $version over Streamable HTTP', ({ version, era }) => {
  it('ends the session when it is closed', async () => {
    const { connect, seen } = mount(everything(), { revisions: [version] })
    const client = await connect()
    expect(client.server?.protocolVersion).toBe(version)
    await client.close()
    expect(seen.at(-1)).toBe(era === 'legacy' ? 'DELETE /mcp 204' : 'POST /mcp 200')
  })

  it('cancels the call when the caller aborts', async () => {
    const server = everything()
    let stopped: (() => void) | undefined
    const over = new Promise<void>((resolve) => (stopped = resolve))
    const started = new AbortController()
    server.addTool({
      name: 'watch',
      handler: (_, ctx) =>
        new Promise<string>(() => {
          ctx.signal.addEventListener('abort', () => stopped?.())
          started.abort(new Error('enough'))
        }),
    })
    const { connect } = mount(server, { revisions: [version] })
    const client = await connect()
    await expect(client.callTool('watch', {}, { signal: started.signal })).rejects.toThrow('enough')
    await over
  })
})

describe('negotiation over HTTP', () => {
  it('falls back to HTTP+SSE if Streamable HTTP is refused, https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#backwards-compatibility', async () => {
    const { connect, seen } = mount(everything(), { legacySse: true, revisions: ['2024-11-05'] })
    const client = await connect({}, { path: '/sse' })
    expect(client.server?.protocolVersion).toBe('2024-11-05')
    expect((await client.callTool('hello')).content).toEqual([{ type: 'text', text: 'Hello' }])
    expect(seen.filter((line) => line.startsWith('GET'))).toEqual(['GET /sse 200'])
    await client.close()
  })

  it('uses the newer era if the server supports both', async () => {
    const { connect, seen } = mount(everything())
    const client = await connect()
    expect(client.server?.protocolVersion).toBe('2026-07-28')
    expect(seen).toEqual(['POST /mcp 200'])
  })

  it('neither opens a stream nor sends DELETE if the server has no sessions', async () => {
    const { connect, seen } = mount(everything(), { stateless: true, revisions: ['2025-06-18'] })
    const client = await connect()
    await client.callTool('hello')
    await client.close()
    expect(seen).not.toContainEqual(expect.stringMatching(/^(DELETE|GET .* 200)/))
  })

  it('rejects if the server cannot be reached', async () => {
    const client = new Client({ name: 'x', version: '1' }, { eras: false })
    await expect(client.connect(http('http://127.0.0.1:1/mcp'))).rejects.toThrow(
      'http://127.0.0.1:1 cannot be reached',
    )
  })

  it.for(['ftp://example.com/', 'http://me:secret@example.com/', 'example.com'])(
    'rejects the URL %s',
    (url) => {
      expect(() => http(url)).toThrow(TypeError)
    },
  )
})

it('a client opens a new session if the server has lost the old one, and then retries the call', async () => {
  const first = mount(everything(), { revisions: ['2025-11-25'] })
  const second = mount(everything(), { revisions: ['2025-11-25'] })
  let serving = first
  const client = await first.connect({}, { fetch: (url, init) => serving.fetch(url, init) })
  const gap = listener(client, 'changesMissed')
  serving = second
  const results = await Promise.all([client.callTool('hello'), client.callTool('hello'), client.listTools()])
  expect(results[0].content).toEqual([{ type: 'text', text: 'Hello' }])
  expect(second.seen.filter((line) => line.endsWith(' 404')).length).toBeGreaterThan(0)
  expect(gap).toHaveBeenCalledTimes(1)
})
