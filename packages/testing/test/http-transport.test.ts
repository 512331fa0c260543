import { McpServer } from '@jetway/core'
import { toFetch } from '@jetway/core/http'
import { describe, expect, it } from 'vitest'
import { HttpStatusError, HttpTransport } from '../src/http-transport.ts'
import { connectPeer } from '../src/peer.ts'
import { recordFetch } from '../src/record-fetch.ts'

const url = 'http://localhost/mcp'

describe('the HTTP client of tests', () => {
  it('sends session and version on every request, opens a GET stream, and ends the session', async () => {
    const { fetch, exchanges } = recordFetch(toFetch(new McpServer({ name: 'http', version: '1.0.0' })))
    const transport = new HttpTransport({ url, fetch, headers: { 'x-mine': '1' } })
    const peer = await connectPeer(transport, { revision: '2025-06-18' })
    await peer.request('ping')
    await peer.close()
    expect(exchanges.map(({ method, status }) => `${method} ${status}`)).toEqual([
      'POST 200',
      'POST 202',
      'GET 200',
      'POST 200',
      'DELETE 204',
    ])
    const [first, ...rest] = exchanges.map(({ requestHeaders }) => requestHeaders)
    expect(first).not.toHaveProperty('mcp-session-id')
    for (const headers of rest) {
      expect(headers).toMatchObject({
        'mcp-session-id': transport.sessionId,
        'mcp-protocol-version': '2025-06-18',
        'x-mine': '1',
      })
    }
  })

  it('rejects with the status if the response has no id', async () => {
    const transport = new HttpTransport({
      url,
      fetch: async () => new Response('nobody home', { status: 503 }),
    })
    const opening = connectPeer(transport, { revision: '2025-06-18' })
    await expect(opening).rejects.toThrow(HttpStatusError)
    await expect(opening).rejects.toMatchObject({ status: 503, body: 'nobody home' })
  })
})
