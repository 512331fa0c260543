import { settled } from '@jetway-apps/test-support'
import { McpServer } from '@jetway/core'
import { toFetch } from '@jetway/core/http'
import { describe, expect, it } from 'vitest'
import { HttpStatusError, HttpTransport } from '../src/http-transport.ts'
import { connectPeer } from '../src/peer.ts'
import { recordFetch } from '../src/record-fetch.ts'

const url = 'http://localhost/mcp'

describe('HttpTransport', () => {
  it('sends the session id and version with every later request, including the GET stream and DELETE', async () => {
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

  it('rejects with the status if the reply is not a response', async () => {
    const transport = new HttpTransport({
      url,
      fetch: async () => new Response('nobody home', { status: 503 }),
    })
    const opening = connectPeer(transport, { revision: '2025-06-18' })
    await expect(opening).rejects.toThrow(HttpStatusError)
    await expect(opening).rejects.toMatchObject({ status: 503, body: 'nobody home' })
  })

  it('throws if it is started twice, and sends DELETE only once if it is closed repeatedly', async () => {
    const { fetch, exchanges } = recordFetch(toFetch(new McpServer({ name: 'http', version: '1.0.0' })))
    const transport = new HttpTransport({ url, fetch, listen: false })
    await connectPeer(transport, { revision: '2025-06-18' })
    expect(() => transport.start({ message: () => {}, malformed: () => {}, close: () => {} })).toThrow(
      'started already',
    )
    await Promise.all([transport.close(), transport.close()])
    await transport.close()
    expect(exchanges.map(({ method }) => method)).toEqual(['POST', 'POST', 'DELETE'])
  })

  it('closes after the server has ended, and sends no DELETE without a session', async () => {
    const asked: string[] = []
    const ends: unknown[] = []
    const opened = async (headers: Record<string, string>): Promise<HttpTransport> => {
      const transport = new HttpTransport({
        url,
        listen: false,
        fetch: async (request) => {
          asked.push(request.method)
          if (request.method === 'DELETE') throw new TypeError('gone')
          return new Response(null, { status: 202, headers })
        },
      })
      transport.start({ message: () => {}, malformed: () => {}, close: (reason) => void ends.push(reason) })
      await transport.send('{}')
      return transport
    }
    await (await opened({})).close()
    expect(asked).toEqual(['POST'])
    await (await opened({ 'mcp-session-id': 's' })).close()
    expect(asked).toEqual(['POST', 'POST', 'DELETE'])
    expect(ends).toEqual([{ kind: 'end' }, { kind: 'end' }])
  })

  /** Returns the messages that a transport delivers for one response, followed by the end or error. */
  async function delivered(response: () => Response): Promise<unknown[]> {
    const seen: unknown[] = []
    const transport = new HttpTransport({ url, fetch: async () => response() })
    transport.start({
      message: (text) => void seen.push(text),
      malformed: () => {},
      close: (reason) => void seen.push(reason.kind),
    })
    await transport.send('{"method":"x"}').catch((error: Error) => void seen.push(error.message))
    await settled()
    return seen
  }
  const stream = (text: string, fails = false): Response =>
    new Response(
      new ReadableStream({
        start(controller) {
          controller.enqueue(new TextEncoder().encode(text))
          if (!fails) controller.close()
        },
        pull(controller) {
          if (fails) controller.error(new Error('cut'))
        },
      }),
      { headers: { 'content-type': 'Text/Event-Stream; charset=utf-8' } },
    )

  it.each<[string, () => Response, unknown[]]>([
    ['a JSON response', () => Response.json({ id: 1 }), ['{"id":1}']],
    ['an empty body', () => new Response(''), []],
    ['a missing body', () => new Response(null, { status: 202 }), []],
    [
      'an error with an id',
      () => Response.json({ id: 1, error: {} }, { status: 400 }),
      ['{"id":1,"error":{}}'],
    ],
    ['an error without an id', () => Response.json({ a: 1 }, { status: 400 }), ['HTTP status 400: {"a":1}']],
    ['text with a success status', () => new Response('no JSON'), ['no JSON']],
    ['messages of a stream', () => stream('data: 1\n\nevent: message\ndata: 2\n\n'), ['1', '2']],
    ['a stream with other events', () => stream('id: 1\ndata:\n\nevent: other\ndata: 2\n\n'), []],
    ['a stream that is cut off', () => stream('data: 1\n\n', true), ['1', 'error']],
  ])('delivers %s', async (_, response, expected) => {
    expect(await delivered(response)).toEqual(expected)
  })

  it('ends a request when its signal aborts', async () => {
    let signal: AbortSignal | undefined
    const transport = new HttpTransport({
      url,
      fetch: async (request) => {
        signal = request.signal
        return new Response(null, { status: 202 })
      },
    })
    const control = new AbortController()
    await transport.send('{}', { signal: control.signal })
    expect(signal?.aborted).toBe(false)
    control.abort()
    expect(signal?.aborted).toBe(true)
  })
})
