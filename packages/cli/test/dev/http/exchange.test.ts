/** POST requests, each of which receives exactly one response. */
import { settled } from '@jetway-apps/test-support'
import { describe, expect, it, vi } from 'vitest'
import { answerOf, callOf, openSession, post, request } from '../support/raw-http.ts'
import {
  ask,
  json,
  openStream,
  readStream,
  refusingProcess,
  relayHttp,
  type Reply,
  streams,
  writeEvent,
} from '../support/relay-http.ts'

const JSON_TYPE = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }

const lost = (id: number) => ({
  id,
  error: { code: -32_603, message: expect.stringContaining('was restarted') },
})

describe('an HTTP exchange', () => {
  it('forwards the request and the reply with their end-to-end headers', async () => {
    const { url, start } = await relayHttp()
    const process = await start({
      ping: ({ message }, response) =>
        json(response, 201, answerOf(message.id), {
          'x-reply': 'r',
          'keep-alive': 'timeout=9',
          'mcp-session-id': 'unknown',
        }),
    })
    const body = JSON.stringify(request(1, 'ping'))
    const reply = await ask(
      `${url}?q=1`,
      'POST',
      {
        ...JSON_TYPE,
        'x-sent': 's',
        te: 'trailers',
        'transfer-encoding': 'chunked',
        'mcp-session-id': 'unknown',
      },
      body,
    )
    expect(reply).toMatchObject({
      status: 201,
      body: JSON.stringify(answerOf(1)),
      headers: { 'x-reply': 'r', 'content-type': 'application/json', 'mcp-session-id': 'unknown' },
    })
    expect(reply.headers['keep-alive']).not.toBe('timeout=9')
    expect(process.got).toMatchObject([
      {
        path: '/mcp?q=1',
        method: 'POST',
        body,
        headers: { 'x-sent': 's', 'content-length': `${body.length}`, 'mcp-session-id': 'unknown' },
      },
    ])
    expect(process.got[0]?.headers).not.toHaveProperty('te')
    expect(process.got[0]?.headers).not.toHaveProperty('transfer-encoding')
  })

  it.each([
    ['plain text', 'text/plain', 'not found', 404],
    ['JSON that is not a message', 'application/json', '7', 400],
    ['broken JSON', 'application/json', '{', 200],
    ['no media type', undefined, '', 202],
  ])('forwards a reply with %s unchanged', async (_, type, body, status) => {
    const { url, start } = await relayHttp()
    await start({
      ping: (_got, response) =>
        void response.writeHead(status, type === undefined ? {} : { 'content-type': type }).end(body),
    })
    const reply = await post(url, request(1, 'ping'))
    expect([reply.status, reply.headers.get('content-type'), await reply.text()]).toEqual([
      status,
      type ?? null,
      body,
    ])
  })

  it('forwards a malformed request to the server', async () => {
    const { url, start } = await relayHttp()
    const process = await start({ POST: (_, response) => json(response, 400, 'why') })
    expect(await (await post(url, '{')).text()).toBe('why')
    expect(process.got[0]?.body).toBe('{')
  })

  it("replaces the process's session id in each reply", async () => {
    const { url, start } = await relayHttp()
    const named: Reply = ({ message }, response) =>
      json(response, 200, answerOf(message.id), { 'mcp-session-id': 'session-2' })
    await start()
    const session = await openSession(url)
    await start({ ping: named })
    const replies = [await post(url, request(1, 'ping'), session), await post(url, callOf(2, 'a'), session)]
    expect(replies.map(({ headers }) => headers.get('mcp-session-id'))).toEqual(['session-1', null])
  })

  it('does not open a session in the next process if a 404 reply has ended the session', async () => {
    const { url, start } = await relayHttp()
    await start({ ping: (_, response) => json(response, 404, 'gone') })
    const session = await openSession(url)
    expect((await post(url, callOf(1, 'a'), session)).status).toBe(200)
    expect((await post(url, request(1, 'ping'), session)).status).toBe(404)
    const second = await start()
    await post(url, request(1, 'ping'), session)
    expect(second.asked()).toEqual(['ping'])
    expect(second.got[0]?.headers['mcp-session-id']).toBe('session-1')
  })

  it.each([
    ['a request other than initialize', request(1, 'ping'), 200],
    ['a status other than 200', request(1, 'initialize'), 201],
  ])('does not open a session for %s', async (_, message, status) => {
    const { url, start } = await relayHttp()
    const reply: Reply = (got, response) =>
      json(response, status, answerOf(got.message.id), { 'mcp-session-id': 'no-session' })
    await start({ initialize: reply, ping: reply })
    await (await post(url, message)).text()
    const second = await start()
    await post(url, request(2, 'ping'), { 'mcp-session-id': 'no-session' })
    expect(second.asked()).toEqual(['ping'])
  })
})

describe('an HTTP exchange when its process ends', () => {
  it('returns an error result for calls, and an error response for other requests', async () => {
    const { url, start } = await relayHttp()
    const process = await start({ 'tools/call': () => {}, 'resources/read': () => {} })
    const call = post(url, callOf(1, 'a'))
    const read = post(url, request(2, 'resources/read'))
    await vi.waitFor(() => expect(process.got).toHaveLength(2))
    process.end()
    const [called, other] = await Promise.all([call, read])
    expect([called.status, called.headers.get('content-type')]).toEqual([200, 'application/json'])
    expect(await called.json()).toEqual({
      jsonrpc: '2.0',
      id: 1,
      result: {
        content: [{ type: 'text', text: 'The server was restarted while this ran; call again' }],
        isError: true,
      },
    })
    expect(await other.json()).toMatchObject(lost(2))
  })

  it('responds to each request of a batch, and accepts notifications', async () => {
    const { url, start } = await relayHttp()
    const process = await start({ POST: () => {}, answer: () => {}, 'notifications/x': () => {} })
    const batch = post(url, [
      request(1, 'ping'),
      { jsonrpc: '2.0', method: 'notifications/x' },
      callOf(2, 'a'),
    ])
    const alone = post(url, [request(1, 'ping')])
    const note = post(url, { jsonrpc: '2.0', method: 'notifications/x' })
    await vi.waitFor(() => expect(process.got).toHaveLength(3))
    process.end()
    expect(await (await batch).json()).toMatchObject([lost(1), { id: 2, result: { isError: true } }])
    expect(await (await alone).json()).toMatchObject([lost(1)])
    expect((await note).status).toBe(202)
  })

  it('responds to the request if the process aborts its reply', async () => {
    const { url, start } = await relayHttp()
    const process = await start({
      ping(_, response) {
        response.writeHead(200, { 'content-type': 'application/json', 'content-length': '50' }).write('{')
        setImmediate(() => process.end())
      },
    })
    expect(await (await post(url, request(1, 'ping'))).json()).toMatchObject(lost(1))
  })

  it('sends the initialize request and all undelivered requests to the next process', async () => {
    const { url, start, prepare } = await relayHttp()
    const first = await start({ initialize: () => void setImmediate(() => first.end()) })
    const opened = post(url, request(1, 'initialize'))
    await vi.waitFor(() => expect(first.got).toHaveLength(1))
    const second = await prepare()
    second.use()
    expect((await opened).headers.get('mcp-session-id')).toBe('session-2')
    expect(second.asked()).toEqual(['initialize'])
  })

  it('sends a request to the next process after ECONNREFUSED', async () => {
    const { relay, url, start } = await relayHttp()
    const { process: refusing, tried } = refusingProcess()
    await relay.prepare(refusing)
    relay.use(refusing)
    const asked = post(url, request(1, 'ping'))
    await vi.waitFor(() => expect(tried).toHaveBeenCalled())
    const next = await start()
    expect(await (await asked).json()).toEqual(answerOf(1))
    expect(next.asked()).toEqual(['ping'])
    relay.lost(refusing)
  })

  it('drains the process once every exchange has received its reply', async () => {
    const { relay, url, start } = await relayHttp()
    let finish = (): void => {}
    const process = await start({
      ping: ({ message }, response) => void (finish = () => json(response, 200, answerOf(message.id))),
    })
    const unused = { generation: 99, port: 1, lines: undefined, ended: false }
    await relay.drained(unused)
    const asked = post(url, request(1, 'ping'))
    await vi.waitFor(() => expect(process.got).toHaveLength(1))
    let drained = false
    const draining = relay.drained({ ...unused, generation: 1 }).then(() => (drained = true))
    await settled()
    expect(drained).toBe(false)
    finish()
    await draining
    expect(await (await asked).json()).toEqual(answerOf(1))
  })
})

describe('the stream of an HTTP exchange', () => {
  it('forwards events with ids that identify the process', async () => {
    const { url, start } = await relayHttp()
    const progress = { jsonrpc: '2.0', method: 'notifications/progress', params: { progress: 1 } }
    await start({
      'tools/call': ({ message }, response) => {
        openStream(response, { 'x-reply': 'r' })
        response.write('id: 0\nretry: 5\ndata: \n\n')
        response.write(`event: message\nid: 1\ndata: ${JSON.stringify(progress)}\n\n`)
        response.write('data: one\ndata: two\n\n')
        response.write(`data: ${JSON.stringify(answerOf(message.id))}\n\n`)
        response.end()
      },
    })
    const reply = await post(url, callOf(1, 'a'))
    expect([reply.status, reply.headers.get('content-type'), reply.headers.get('x-reply')]).toEqual([
      200,
      'text/event-stream',
      'r',
    ])
    expect(await reply.text()).toBe(
      [
        'id: 1.post.0\nretry: 5\ndata: ',
        `event: message\nid: 1.post.1\ndata: ${JSON.stringify(progress)}`,
        'data: one\ndata: two',
        `data: ${JSON.stringify(answerOf(1))}`,
        '',
      ].join('\n\n'),
    )
  })

  it('responds to pending requests when the process ends', async () => {
    const { url, start } = await relayHttp()
    const process = await start({ POST: streams([answerOf(2)]), answer: streams([answerOf(2)]) })
    const abort = new AbortController()
    const reply = await post(url, [callOf(1, 'a'), request(2, 'ping'), request(3, 'ping')], {})
    const stream = readStream(reply, abort)
    expect((await stream.next())?.message).toEqual(answerOf(2))
    process.end()
    expect(await stream.rest()).toMatchObject([{ id: 1, result: { isError: true } }, lost(3)])
  })

  it('sends no response if the process closed the stream early, because the client may resume it', async () => {
    const { url, start } = await relayHttp()
    const ends: Reply = (_, response) => {
      openStream(response)
      writeEvent(response, '', '1')
      response.end()
    }
    const process = await start({ ping: ends, GET: streams([answerOf(1)], [answerOf(5)]) })
    const session = await openSession(url)
    const stream = readStream(await post(url, request(1, 'ping'), session), new AbortController())
    expect(await stream.rest()).toEqual([])
    expect(process.asked()).toContain('ping')
  })

  it('sends an error if a replaced process ends the stream without a response', async () => {
    const { url, start } = await relayHttp()
    let finish = (): void => {}
    const first = await start({
      ping(_, response) {
        openStream(response)
        finish = () => void response.end()
      },
    })
    const reply = await post(url, request(1, 'ping'))
    expect(first.asked()).toEqual(['ping'])
    await start()
    finish()
    expect(await readStream(reply, new AbortController()).rest()).toMatchObject([lost(1)])
  })

  it("closes the process's stream when the client disconnects", async () => {
    const { url, start, relay } = await relayHttp()
    const left = vi.fn()
    const process = await start({
      ping(_, response) {
        openStream(response)
        response.once('close', left)
      },
    })
    const abort = new AbortController()
    const reply = await post(url, request(1, 'ping'), {}, abort.signal)
    expect(reply.status).toBe(200)
    abort.abort()
    await vi.waitFor(() => expect(left).toHaveBeenCalledOnce())
    await relay.drained({ generation: process.generation, port: 0, lines: undefined, ended: false })
  })
})
