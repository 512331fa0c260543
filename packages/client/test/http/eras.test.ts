import type { McpServer } from '@jetway/core'
import { type EndpointOptions, toFetch } from '@jetway/core/http'
import { REVISIONS } from '@jetway/core/protocol'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { Client } from '../../src/client/client.ts'
import { http } from '../../src/http/http.ts'
import type { Fetch, HttpOptions } from '../../src/http/options.ts'
import type { ClientOptions } from '../../src/client/options.ts'
import { everything } from '../support/servers.ts'
import { listener } from '../support/scripted.ts'

const URL_OF = 'http://127.0.0.1:8000'
const open: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const close of open.splice(0).toReversed()) await close()
})

interface Mounted {
  readonly server: McpServer
  readonly fetch: Fetch
  /** Method and path of each request, and its status. */
  readonly seen: string[]
  readonly connect: (
    options?: ClientOptions,
    http?: HttpOptions & { readonly path?: string },
  ) => Promise<Client>
}

/** A server behind HTTP semantics, without sockets. */
function mount(server: McpServer, options: EndpointOptions = {}): Mounted {
  const handler = toFetch(server, options)
  open.push(() => handler.close({ deadline: 0 }))
  const seen: string[] = []
  const fetch: Fetch = async (url, init) => {
    const response = await handler(new Request(url, { ...init, ...(init.body && { duplex: 'half' }) }))
    seen.push(`${init.method} ${new URL(url).pathname} ${response.status}`)
    return response
  }
  return {
    server,
    fetch,
    seen,
    async connect(clientOptions = {}, { path = '/mcp', ...rest } = {}) {
      const client = new Client({ name: 'http-test', version: '1' }, { eras: false, ...clientOptions })
      open.push(() => client.close())
      return client.connect(http(URL_OF + path, { fetch, reconnect: { initialDelayMs: 1 }, ...rest }))
    },
  }
}

describe.each(REVISIONS)('a server of $version over Streamable HTTP', ({ version, era }) => {
  it('is connected, called and closed', async () => {
    const { connect, seen } = mount(everything(), { revisions: [version] })
    const client = await connect()
    expect(client.server?.protocolVersion).toBe(version)
    await client.listTools()
    expect((await client.callTool('add', { a: 2 })).content).toEqual([{ type: 'text', text: '{"sum":3}' }])
    const onProgress = vi.fn<(progress: { readonly progress: number }) => void>()
    await client.callTool('slow', {}, { onProgress })
    expect(onProgress.mock.calls.map(([{ progress }]) => progress)).toEqual([1, 2, 3])
    await client.close()
    expect(seen.at(-1)).toBe(era === 'legacy' ? 'DELETE /mcp 204' : 'POST /mcp 200')
  })

  it('asks the user through the client, in the way of its revision', async () => {
    const { connect } = mount(everything(), { revisions: [version] })
    const client = await connect({
      handlers: {
        elicit: () => ({ action: 'accept', content: { count: 3 } }),
        roots: () => [{ uri: 'file:///home' }],
        sample: () => ({ role: 'assistant', model: 'm', content: { type: 'text', text: 'peace' } }),
      },
    })
    const booking = client.callTool('book', { day: 'Monday' })
    if (REVISIONS.findIndex((each) => each.version === version) > 2) {
      await expect(booking).rejects.toThrow('cannot be asked')
      return
    }
    expect((await booking).content).toEqual([{ type: 'text', text: 'Monday: 3, file:///home, peace' }])
  })

  it('is cancelled when the caller aborts', async () => {
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

  it('sends list changes', async () => {
    const { connect, server } = mount(everything(), { revisions: [version] })
    const client = await connect()
    const changed = listener(client, 'toolsChanged')
    await vi.waitFor(() => {
      server.addTool({ name: `tool-${Math.random()}`, handler: () => 'x' })
      expect(changed).toHaveBeenCalled()
    })
  })
})

describe('negotiation over HTTP', () => {
  it('uses HTTP+SSE if Streamable HTTP is refused, https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#backwards-compatibility', async () => {
    const { connect, seen } = mount(everything(), { legacySse: true, revisions: ['2024-11-05'] })
    const client = await connect({}, { path: '/sse' })
    expect(client.server?.protocolVersion).toBe('2024-11-05')
    expect((await client.callTool('hello')).content).toEqual([{ type: 'text', text: 'Hello' }])
    expect(seen.filter((line) => line.startsWith('GET'))).toEqual(['GET /sse 200'])
    await client.close()
  })

  it('uses the newer era of a server with both', async () => {
    const { connect, seen } = mount(everything())
    const client = await connect()
    expect(client.server?.protocolVersion).toBe('2026-07-28')
    expect(seen).toEqual(['POST /mcp 200'])
  })

  it('opens no stream and sends no DELETE to a server without sessions', async () => {
    const { connect, seen } = mount(everything(), { stateless: true, revisions: ['2025-06-18'] })
    const client = await connect()
    await client.callTool('hello')
    await client.close()
    expect(seen).not.toContainEqual(expect.stringMatching(/^(DELETE|GET .* 200)/))
  })

  it('reports a server that does not exist', async () => {
    const client = new Client({ name: 'x', version: '1' }, { eras: false })
    await expect(client.connect(http('http://127.0.0.1:1/mcp'))).rejects.toThrow(
      'http://127.0.0.1:1 cannot be reached',
    )
  })

  it.for(['ftp://example.com/', 'http://me:secret@example.com/', 'example.com'])(
    '%s is not a server',
    (url) => {
      expect(() => http(url)).toThrow(TypeError)
    },
  )
})

it('a lost session is opened again, and the call succeeds', async () => {
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
