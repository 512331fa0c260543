import { createMemoryTransportPair, type Transport } from '@jetway/core/transport'
import { describe, expect, it } from 'vitest'
import { recordFetch } from '../src/record-fetch.ts'
import { recordTransport } from '../src/record-transport.ts'

describe('recordTransport', () => {
  it('records messages in both directions, as text and parsed, without changing them', async () => {
    const [left, right] = createMemoryTransportPair()
    const { transport, frames } = recordTransport(left)
    const atRight: string[] = []
    const answered = new Promise<string>((resolve) => {
      void transport.start({ message: resolve, malformed: () => {}, close: () => {} })
    })
    void right.start({
      message(text) {
        atRight.push(text)
        void right.send('not json')
      },
      malformed: () => {},
      close: () => {},
    })
    void transport.send('{"id":1}')
    expect(await answered).toBe('not json')
    expect(atRight).toEqual(['{"id":1}'])
    expect(frames).toEqual([
      { direction: 'sent', text: '{"id":1}', message: { id: 1 } },
      { direction: 'received', text: 'not json', message: undefined },
    ])
  })

  it('drops the oldest entries when its limit is exceeded', () => {
    const [left] = createMemoryTransportPair()
    const { transport, frames } = recordTransport(left, { limit: 2 })
    for (const text of ['1', '2', '3']) void transport.send(text)
    expect(frames.map((frame) => frame.text)).toEqual(['2', '3'])
  })
})

it('`recordTransport` passes on options, malformed messages and the end of the connection', async () => {
  const [left, right] = createMemoryTransportPair()
  const seen: unknown[] = []
  const inner: Transport = {
    start: (handlers) => {
      handlers.malformed('bad')
      return left.start(handlers)
    },
    send: async (_text, options) => void seen.push(options),
    close: () => left.close(),
  }
  const { transport, frames } = recordTransport(inner)
  await transport.start({
    message: () => {},
    malformed: (reason) => void seen.push(reason),
    close: ({ kind }) => void seen.push(kind),
  })
  await right.start({ message: () => {}, malformed: () => {}, close: () => void seen.push('right') })
  await transport.send('1', { headers: { a: 'b' } })
  await transport.close()
  await expect.poll(() => seen).toContain('right')
  await expect.poll(() => seen).toContain('end')
  expect(seen.slice(0, 2)).toEqual(['bad', { headers: { a: 'b' } }])
  expect(frames).toHaveLength(1)
})

it('`recordTransport` and `recordFetch` keep the newest 10,000 entries', async () => {
  const [left] = createMemoryTransportPair()
  const { transport, frames } = recordTransport(left)
  const { fetch, exchanges } = recordFetch(async () => ({ headers: new Headers(), body: null }) as Response)
  const request = { body: null, headers: new Headers() } as Request
  for (let i = 0; i < 10_001; i++) {
    if (i === 10_000)
      expect([frames.length, frames[0]?.text, exchanges.length]).toEqual([10_000, '0', 10_000])
    void transport.send(`${i}`)
    await fetch(request)
  }
  expect([frames.length, frames[0]?.text, exchanges.length]).toEqual([10_000, '1', 10_000])
})

describe('recordFetch', () => {
  const request = (): Request =>
    new Request('http://localhost/mcp', { method: 'POST', body: '{"id":1}', headers: { a: 'b' } })

  it('records the headers and bodies of a JSON response', async () => {
    const { fetch, exchanges } = recordFetch(async (incoming) => {
      expect(await incoming.text()).toBe('{"id":1}')
      return Response.json({ id: 1, result: {} }, { status: 201, headers: { 'mcp-session-id': 's' } })
    })
    const response = await fetch(request())
    expect(await response.json()).toEqual({ id: 1, result: {} })
    expect(response.status).toBe(201)
    expect(exchanges).toHaveLength(1)
    expect(exchanges[0]).toMatchObject({
      method: 'POST',
      url: 'http://localhost/mcp',
      requestBody: '{"id":1}',
      requestHeaders: { a: 'b' },
      status: 201,
      headers: { 'mcp-session-id': 's' },
      message: { id: 1, result: {} },
      events: [],
    })
  })

  it('records the events in a stream as the caller reads them', async () => {
    const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>()
    const writer = writable.getWriter()
    const { fetch, exchanges } = recordFetch(
      async () => new Response(readable, { headers: { 'content-type': 'text/event-stream' } }),
    )
    const reader = (await fetch(request())).body?.getReader()
    expect(exchanges[0]?.events).toEqual([])
    void writer.write(new TextEncoder().encode('id: 7\ndata: {"a":1}\n\n'))
    await reader?.read()
    expect(exchanges[0]).toMatchObject({
      events: [{ id: '7', data: '{"a":1}' }],
      message: undefined,
      body: 'id: 7\ndata: {"a":1}\n\n',
    })
  })

  it('records a character whose bytes arrive one by one', async () => {
    const body = new ReadableStream<Uint8Array>({
      start(controller) {
        for (const byte of new TextEncoder().encode('"é🛫"')) controller.enqueue(Uint8Array.of(byte))
        controller.close()
      },
    })
    const { fetch, exchanges } = recordFetch(async () => new Response(body))
    await (await fetch(request())).arrayBuffer()
    expect(exchanges[0]).toMatchObject({ body: '"é🛫"', message: 'é🛫' })
  })

  it('passes on a response without a body', async () => {
    const { fetch, exchanges } = recordFetch(async () => new Response(null, { status: 202 }))
    expect((await fetch(request())).status).toBe(202)
    expect(exchanges[0]).toMatchObject({ status: 202, body: '', message: undefined, events: [] })
    await fetch(new Request('http://localhost/mcp'))
    expect(exchanges[1]).toMatchObject({ method: 'GET', requestBody: '' })
  })
})
