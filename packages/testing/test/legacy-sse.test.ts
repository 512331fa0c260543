import { initialize } from '@jetway-apps/test-support'
import { createServer, post } from '@jetway-apps/test-support/http'
import { MOUNTS } from '@jetway-apps/test-support/mounts'
import type { EndpointOptions } from '@jetway/core/http'
import { describe, expect, it, onTestFinished } from 'vitest'

/** Reads a stream, which is cancelled after the test. `until` returns the text received so far. */
function reading({ body }: Response): { readonly until: (expected: string) => Promise<string> } {
  const reader = body?.pipeThrough(new TextDecoderStream()).getReader()
  onTestFinished(() => reader?.cancel().catch(() => {}))
  let received = ''
  return {
    async until(expected) {
      while (!received.includes(expected)) {
        const { value } = (await reader?.read()) ?? {}
        if (value === undefined) throw new Error(`The stream ended before ${expected}: ${received}`)
        received += value
      }
      return received
    },
  }
}

const MESSAGE = JSON.stringify(initialize('2024-11-05'))
const PROXIED = { publicUrl: 'https://mcp.example.com/tools/mcp', allowedHosts: ['*'] }
const PATHS = { legacySse: { ssePath: '/mcp/sse', messagePath: '/mcp/message' } }

// The adapter contract covers everything that does not depend on paths.
// https://modelcontextprotocol.io/specification/2024-11-05/basic/transports#http-with-sse
describe.each(Object.entries(MOUNTS))('HTTP+SSE on %s', (_name, mount) => {
  it.each<[string, string, EndpointOptions, string, string]>([
    ['at the root', '', {}, '/sse', '/message'],
    ['below a prefix', '/api/v1', {}, '/sse', '/api/v1/message'],
    ['at configured paths', '/api', PATHS, '/mcp/sse', '/api/mcp/message'],
    ['behind a proxy that strips a prefix', '', PROXIED, '/sse', '/tools/message'],
  ])(
    'announces the message path %s, and serves requests to it',
    async (_where, prefix, options, path, announced) => {
      const server = createServer()
      const { origin, stop } = await mount(server, { legacySse: true, ...options }, { base: prefix })
      onTestFinished(stop)
      const base = origin + prefix
      const response = await fetch(base + path, { headers: { accept: 'text/event-stream' } })
      const stream = reading(response)
      const address = /^event: endpoint\ndata: (.+)\n/.exec(await stream.until('\n\n'))?.[1] ?? ''
      const url = new URL(address, base)
      expect(url.pathname).toBe(announced)
      if (options === PROXIED) url.pathname = '/message'
      expect((await post(url.href, MESSAGE)).status).toBe(202)
      await stream.until('"protocolVersion":"2024-11-05"')
      expect((await post(`${base}/mcp`, JSON.stringify(initialize()))).status).toBe(200)
    },
  )
})
