/** Streams that stay open for the client while processes are replaced. */
import type { ServerResponse } from 'node:http'
import { deferred } from '@jetway-apps/test-support'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { openSession, post, request, TOOLS_CHANGED } from '../support/raw-http.ts'
import {
  type Front,
  json,
  listenOn,
  openStream,
  type OpenStream,
  readStream,
  relayHttp,
  type Reply,
  writeEvent,
} from '../support/relay-http.ts'

const mark = (text: string) => ({ jsonrpc: '2.0', method: 'notifications/mark', params: { text } })

interface Written {
  readonly reply: Reply
  write(message: unknown, id?: string): void
  end(): void
  readonly closed: () => void
}

/** A stream to which the test can write even before the relay requests it. */
function written(): Written {
  const open = deferred<ServerResponse>()
  const closed = vi.fn()
  return {
    closed,
    write: (message, id) => void open.promise.then((response) => writeEvent(response, message, id)),
    end: () => void open.promise.then((response) => response.end()),
    reply(_, response) {
      openStream(response, { 'mcp-session-id': 'its-own', 'x-reply': 'r' })
      response.once('close', closed)
      open.resolve(response)
    },
  }
}

describe('the GET stream of a session', () => {
  it('continues in the next process, which does not receive the last event id', async () => {
    const { url, start } = await relayHttp()
    const old = written()
    const first = await start({ GET: old.reply })
    const session = await openSession(url)
    const stream = await listenOn(`${url}?q=1`, { ...session, 'x-sent': 's', 'last-event-id': '1.get.a.b' })
    expect(stream.reply.status).toBe(200)
    expect(stream.reply.headers.get('mcp-session-id')).toBe('session-1')
    expect(stream.reply.headers.get('x-reply')).toBe('r')
    expect(first.got.at(-1)).toMatchObject({ path: '/mcp?q=1', headers: { 'last-event-id': 'a.b' } })
    old.write(mark('one'), '5')
    expect(await stream.next()).toEqual({ id: '1.get.5', message: mark('one') })
    const now = written()
    const second = await start({ GET: now.reply })
    await vi.waitFor(() => expect(second.asked()).toContain('GET'))
    const asked = second.got.find(({ asks }) => asks === 'GET')
    expect(asked).toMatchObject({
      path: '/mcp?q=1',
      headers: { 'mcp-session-id': 'session-2', 'x-sent': 's' },
    })
    expect(asked?.headers).not.toHaveProperty('last-event-id')
    await vi.waitFor(() => expect(old.closed).toHaveBeenCalled())
    first.end()
    now.write(mark('two'), '1')
    expect(await firstMark(stream)).toEqual({ id: '2.get.1', message: mark('two') })
    stream.close()
    await vi.waitFor(() => expect(now.closed).toHaveBeenCalled())
  })

  it.each(['1.get.', '2.get.7', '1.got.7', 'get.7', 'x1.get.7', `${'1'.repeat(16)}.get.7`])(
    'is not resumed with an event id from another process: %s',
    async (id) => {
      const { url, start } = await relayHttp()
      const first = await start()
      const session = await openSession(url)
      await listenOn(url, { ...session, 'last-event-id': id })
      const { headers } = first.got.find(({ asks }) => asks === 'GET') ?? {}
      expect(headers?.['last-event-id']).toBe(id === '1.get.' ? '' : undefined)
    },
  )

  it('ends when the current process ends the stream, but not when a replaced process does', async () => {
    const { url, start } = await relayHttp()
    const old = written()
    await start({ GET: old.reply })
    const session = await openSession(url)
    const ended = await listenOn(url, session)
    old.end()
    expect(await ended.rest()).toEqual([])
    const stays = await listenOn(url, session)
    const now = written()
    const second = await start({
      GET(got, response) {
        old.end()
        now.reply(got, response)
      },
    })
    await vi.waitFor(() => expect(second.asked()).toContain('GET'))
    now.write(mark('two'))
    expect((await stays.next())?.message).toEqual(mark('two'))
  })

  it('stays open until the next process starts', async () => {
    const { url, start } = await relayHttp()
    const first = await start()
    const stream = await listenOn(url, await openSession(url))
    first.end()
    const now = written()
    await start({ GET: now.reply })
    now.write(mark('two'))
    const second = await firstMark(stream)
    expect(second?.message).toEqual(mark('two'))
  })

  it("is refused with the process's own reply if the process has no such stream", async () => {
    const { url, start } = await relayHttp()
    await start({ GET: (_, response) => json(response, 405, 'none', { 'x-reply': 'r' }) })
    const session = await openSession(url)
    const { reply } = await listenOn(url, session)
    expect([reply.status, reply.headers.get('x-reply'), await reply.text()]).toEqual([405, 'r', 'none'])
  })

  it.each<[string, Readonly<Record<string, Reply>>]>([
    ['has no stream', { GET: (_, response) => json(response, 200, 'none') }],
    [
      'replies with another status',
      { GET: (_, response) => response.writeHead(202, { 'content-type': 'text/event-stream' }).end() },
    ],
    ['refuses the session', { initialize: (_, response) => json(response, 401, 'who?') }],
  ])('ends if the next process %s', async (_, replies) => {
    const { url, start } = await relayHttp()
    await start()
    const stream = await listenOn(url, await openSession(url))
    await start(replies)
    expect(await stream.rest()).toEqual([])
  })

  it("is refused with the process's own reply if the process refuses to open the session", async () => {
    const { url, start } = await relayHttp()
    await start()
    const session = await openSession(url)
    await start({
      initialize: (_, response) => json(response, 401, 'who?', { 'www-authenticate': 'Bearer' }),
    })
    const { reply } = await listenOn(url, session)
    expect([reply.status, reply.headers.get('www-authenticate'), await reply.text()]).toEqual([
      401,
      'Bearer',
      'who?',
    ])
  })

  it('protects its session from eviction at the limit of 256 until the stream is closed', async () => {
    const { url, start, relay } = await relayHttp()
    await start()
    const session = await openSession(url)
    const stream = await listenOn(url, session)
    const current = await relay.process()
    if (current === undefined) throw new Error('no process')
    const open = (): void => {
      for (let count = 0; count < 256; count++)
        relay.opened(`s${count}`, current, { path: '/mcp', headers: {} })
    }
    const second = await start()
    const idOfPing = async () => {
      await post(url, request(1, 'ping'), session)
      return second.got.filter(({ asks }) => asks === 'ping').at(-1)?.headers['mcp-session-id']
    }
    open()
    expect(await idOfPing()).toBe('session-2')
    stream.close()
    await vi.waitFor(async () => {
      open()
      expect(await idOfPing()).toBe('session-1')
    })
  })

  it('replaces the ids of questions', async () => {
    const { url, start } = await relayHttp()
    const now = written()
    const first = await start({ GET: now.reply })
    const session = await openSession(url)
    const stream = await listenOn(url, session)
    now.write({ jsonrpc: '2.0', id: 7, method: 'ping' })
    expect((await stream.next())?.message).toEqual({ jsonrpc: '2.0', id: '1:7', method: 'ping' })
    await post(url, { jsonrpc: '2.0', id: '1:7', result: {} }, session)
    expect(first.got.at(-1)?.message).toEqual({ jsonrpc: '2.0', id: 7, result: {} })
  })
})

/** Resolves to the next event that is not a list change. */
async function firstMark(stream: OpenStream) {
  for (;;) {
    const event = await stream.next()
    if (event?.message === undefined || 'params' in event.message) return event
  }
}

describe('subscriptions/listen', () => {
  const META = {
    'io.modelcontextprotocol/protocolVersion': 'x',
    'io.modelcontextprotocol/clientInfo': { name: 'c' },
    progressToken: 1,
  }
  const LISTEN = request(9, 'subscriptions/listen', {
    _meta: META,
    notifications: { toolsListChanged: true },
  })
  const acknowledged = (notifications: unknown) => ({
    jsonrpc: '2.0',
    method: 'notifications/subscriptions/acknowledged',
    params: { _meta: { 'io.modelcontextprotocol/subscriptionId': 9 }, notifications },
  })
  const announced = {
    ...TOOLS_CHANGED,
    params: { _meta: { 'io.modelcontextprotocol/subscriptionId': 9 } },
  }

  const process = (names: readonly string[], agreed: unknown = { toolsListChanged: true }) => {
    const stream = written()
    return {
      ...stream,
      replies: {
        'tools/list': () => ({ tools: names.map((name) => ({ name })) }),
        'subscriptions/listen': (got, response) => {
          stream.reply(got, response)
          stream.write(acknowledged(agreed))
        },
      } satisfies Readonly<Record<string, Reply>>,
    }
  }

  async function listening(front: Front): Promise<OpenStream> {
    const abort = new AbortController()
    onTestFinished(() => abort.abort())
    return readStream(
      await post(front.url, LISTEN, { 'mcp-method': 'subscriptions/listen', 'mcp-name': 'n' }, abort.signal),
      abort,
    )
  }

  it('moves to the next process, and receives one acknowledgement in total and the list changes', async () => {
    const front = await relayHttp()
    const first = await front.start(process(['a']).replies)
    const stream = await listening(front)
    expect((await stream.next())?.message).toEqual(acknowledged({ toolsListChanged: true }))
    await vi.waitFor(() => expect(first.asked()).toContain('prompts/list'))
    const list = first.got.find(({ asks }) => asks === 'tools/list')
    expect(list?.message.params).toEqual({
      _meta: {
        'io.modelcontextprotocol/protocolVersion': 'x',
        'io.modelcontextprotocol/clientInfo': { name: 'c' },
      },
    })
    expect(list?.headers['mcp-method']).toBe('tools/list')
    expect(list?.headers).not.toHaveProperty('mcp-name')
    const now = process(['a', 'b'])
    const second = await front.start(now.replies)
    expect((await stream.next())?.message).toEqual(announced)
    expect(front.printed).toEqual(['tools: +b'])
    expect(second.got[0]?.message).toEqual(LISTEN)
    first.end()
    // A response from the process ends the subscription.
    const answer = { jsonrpc: '2.0', id: 9, result: {} }
    now.write(answer)
    expect((await stream.next())?.message).toEqual(answer)
  })

  it('drops the response from a replaced process', async () => {
    const front = await relayHttp()
    const old = process(['a'])
    await front.start(old.replies)
    const stream = await listening(front)
    await stream.next()
    const read = deferred()
    const next = await front.prepare({
      'subscriptions/listen': (_, response) => {
        old.write({ jsonrpc: '2.0', id: 9, result: {} })
        old.write(mark('last'))
        void read.promise.then(() => {
          openStream(response)
          writeEvent(response, acknowledged({}))
        })
      },
    })
    next.use()
    expect((await stream.next())?.message).toEqual(mark('last'))
  })

  it.each([
    ['another list is', { promptsListChanged: true }, []],
    ['this list is', { toolsListChanged: true }, [announced]],
    ['this list is not validly', { toolsListChanged: 1 }, []],
    ['no list is', null, []],
  ])('announces only changes to acknowledged lists: %s acknowledged', async (_, agreed, expected) => {
    const front = await relayHttp()
    await front.start(process(['a'], agreed).replies)
    const stream = await listening(front)
    await stream.next()
    const now = process(['b'])
    await front.start(now.replies)
    await vi.waitFor(() => expect(front.printed).toEqual(['tools: +b -a']))
    now.write(mark('end'))
    const messages: (object | undefined)[] = []
    for (const _message of [...expected, mark('end')]) messages.push((await stream.next())?.message)
    expect(messages).toEqual([...expected, mark('end')])
  })

  it('announces changes again if the old process had announced them', async () => {
    const front = await relayHttp()
    const old = process(['a'])
    await front.start(old.replies)
    const stream = await listening(front)
    await stream.next()
    old.write(announced)
    expect((await stream.next())?.message).toEqual(announced)
    await front.start(process(['a']).replies)
    expect((await stream.next())?.message).toEqual(announced)
    expect(front.printed).toEqual([])
  })

  it('stays open when processes end while their lists are being read', async () => {
    const unhandled = vi.fn()
    globalThis.process.on('unhandledRejection', unhandled)
    onTestFinished(() => void globalThis.process.off('unhandledRejection', unhandled))
    const front = await relayHttp()
    const first = await front.start({ ...process(['a']).replies, 'tools/list': () => {} })
    const stream = await listening(front)
    await stream.next()
    const second = await front.start({
      ...process(['b']).replies,
      'tools/list': () => void setImmediate(() => second.end()),
    })
    await vi.waitFor(() => expect(second.asked()).toContain('tools/list'))
    await front.start(process(['c']).replies)
    first.end()
    await vi.waitFor(() => expect(front.printed).toEqual(['tools: +c']))
    expect(unhandled).not.toHaveBeenCalled()
  })

  it('forwards the error from a server that does not know the method', async () => {
    const front = await relayHttp()
    const error = { jsonrpc: '2.0', id: 9, error: { code: -32_601, message: 'no' } }
    await front.start({ 'subscriptions/listen': (_, response) => json(response, 200, error) })
    expect(await (await post(front.url, LISTEN)).json()).toEqual(error)
  })
})
