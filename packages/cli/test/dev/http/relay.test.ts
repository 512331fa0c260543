import { settled } from '@jetway-apps/test-support'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { HttpRelay } from '../../../src/dev/http/http-relay.ts'
import { INITIALIZE, openSession, post, request } from '../support/raw-http.ts'
import { ask, json, listenOn, refusingProcess, relayHttp } from '../support/relay-http.ts'
import { useFakeTimers } from '../../support/fake-timers.ts'

const JSON_TYPE = { 'content-type': 'application/json' }
const PING = JSON.stringify(request(1, 'ping'))
const down = { id: 1, error: { code: -32_603, message: expect.stringContaining('is not running') } }
const busy = { error: { code: -32_603, message: expect.stringContaining('Too many requests wait') } }

/**
 * Returns a function that waits until `count` requests wait for a process, and resolves to their promises.
 * Counting fake timers would not work, because `fetch` sets timers for the connections of earlier tests.
 */
function waitsOf(relay: HttpRelay): (count: number) => Promise<readonly unknown[]> {
  const { mock } = vi.spyOn(relay, 'process')
  return async (count) => {
    while (mock.results.length < count) await new Promise((resolve) => setImmediate(resolve))
    return mock.results.map(({ value }) => value)
  }
}

describe('HttpRelay while no process is running', () => {
  it('responds to waiting requests with an error after 10 s', async () => {
    useFakeTimers()
    const { url, relay } = await relayHttp()
    const waiting = waitsOf(relay)
    const posted = [PING, `[${PING}]`].map((body) => ask(url, 'POST', JSON_TYPE, body))
    const got = ask(url, 'GET')
    const waits = await waiting(3)
    await vi.advanceTimersByTimeAsync(9_999)
    expect(await Promise.race([...waits, Promise.resolve('waiting')])).toBe('waiting')
    await vi.advanceTimersByTimeAsync(1)
    const answers = (await Promise.all(posted)).map(({ body }) => JSON.parse(body) as unknown)
    expect(answers).toMatchObject([down, [down]])
    const refused = await got
    expect(refused).toMatchObject({
      status: 503,
      headers: { 'content-type': 'application/json', connection: 'close' },
    })
    expect(JSON.parse(refused.body)).toEqual({
      jsonrpc: '2.0',
      error: { code: -32_600, message: 'The server is not running' },
    })
  })

  it('refuses waiting streams with 503 after 10 s', async () => {
    const { url, relay, start } = await relayHttp()
    const first = await start()
    const session = await openSession(url)
    first.end()
    useFakeTimers()
    const waiting = waitsOf(relay)
    const refused = [
      ask(url, 'GET', session),
      ask(url, 'POST', JSON_TYPE, JSON.stringify(request(1, 'subscriptions/listen'))),
    ]
    const deleted = ask(url, 'DELETE', session)
    await waiting(3)
    await vi.advanceTimersByTimeAsync(10_000)
    expect((await Promise.all(refused)).map(({ status }) => status)).toEqual([503, 503])
    expect((await deleted).status).toBe(204)
  })

  it('sends waiting requests to the process that starts', async () => {
    useFakeTimers()
    const { url, relay, prepare, start } = await relayHttp()
    const first = await start()
    first.end()
    const waiting = waitsOf(relay)
    const asked = ask(url, 'POST', JSON_TYPE, PING)
    await waiting(1)
    const second = await prepare()
    const timers = vi.getTimerCount()
    second.use()
    expect(vi.getTimerCount()).toBe(timers - 1)
    expect(JSON.parse((await asked).body)).toMatchObject({ id: 1, result: {} })
  })

  it('holds 1,024 requests, and immediately refuses the next one', async () => {
    useFakeTimers()
    const { url, relay, start } = await relayHttp()
    const waits = waitsOf(relay)
    const waiting = Array.from({ length: 1_023 }, () => relay.process())
    expect(relay.full).toBe(false)
    const last = ask(url, 'POST', JSON_TYPE, PING)
    await waits(1_024)
    expect(relay.full).toBe(true)
    expect(await relay.process()).toBeUndefined()
    const answers = await Promise.all(
      [PING, `[${PING}]`].map(async (body) => JSON.parse((await ask(url, 'POST', JSON_TYPE, body)).body)),
    )
    expect(answers).toMatchObject([busy, [busy]])
    await start()
    expect(relay.full).toBe(false)
    expect(JSON.parse((await last).body)).toMatchObject({ id: 1, result: {} })
    expect(new Set((await Promise.all(waiting)).map((process) => process?.generation))).toEqual(new Set([1]))
  })

  it('gives up on a request after 10 s if every process refuses the connection', async () => {
    const { relay, url } = await relayHttp()
    const { process: refusing, tried } = refusingProcess()
    await relay.prepare(refusing)
    relay.use(refusing)
    vi.useFakeTimers({ toFake: ['Date'] })
    onTestFinished(() => void vi.useRealTimers())
    const asked = ask(url, 'POST', JSON_TYPE, PING)
    await vi.waitFor(() => expect(tried).toHaveBeenCalled())
    vi.setSystemTime(Date.now() + 10_001)
    const { body } = await asked
    expect(JSON.parse(body)).toMatchObject(down)
    relay.lost(refusing)
  })
})

describe('HttpRelay with loopback protection', () => {
  it.each([
    ['Host', { host: 'attacker.example' }, 'The Host header is not one of this machine'],
    ['Origin', { origin: 'https://attacker.example' }, 'The Origin header is not one of this machine'],
  ])('refuses a foreign %s header', async (_, headers, message) => {
    const { url, start } = await relayHttp()
    const process = await start()
    const reply = await ask(url, 'POST', { ...JSON_TYPE, ...headers }, PING)
    expect(reply).toMatchObject({ status: 403, headers: { 'content-type': 'application/json' } })
    expect(JSON.parse(reply.body)).toEqual({ jsonrpc: '2.0', error: { code: -32_600, message } })
    expect(process.got).toEqual([])
  })

  it.each([{ host: 'localhost' }, { origin: 'http://localhost:5173' }])('accepts %o', async (headers) => {
    const { url, start } = await relayHttp()
    await start()
    expect((await ask(url, 'POST', { ...JSON_TYPE, ...headers }, PING)).status).toBe(200)
  })
})

it('HttpRelay refuses a body larger than 4 MiB', async () => {
  const { url, start } = await relayHttp()
  const process = await start()
  const limit = 4 * 1024 * 1024
  const refused = await post(url, PING.padEnd(limit + 1))
  expect(refused.status).toBe(413)
  expect(await refused.json()).toMatchObject({
    error: { message: `The body is larger than ${limit} bytes` },
  })
  expect((await post(url, PING.padEnd(limit))).status).toBe(200)
  expect(process.asked()).toEqual(['ping'])
})

describe('HttpRelay handling DELETE', () => {
  it('ends the session in its process, and does not reopen it in the next process', async () => {
    const { url, start } = await relayHttp()
    const first = await start()
    const session = await openSession(url)
    const second = await start()
    await post(url, request(1, 'ping'), session)
    const reply = await ask(`${url}?q`, 'DELETE', { ...session, 'x-sent': 's' })
    expect(reply).toMatchObject({ status: 200, body: 'deleted' })
    expect(second.got.at(-1)).toMatchObject({
      asks: 'DELETE',
      path: '/mcp?q',
      headers: { 'mcp-session-id': 'session-2', 'x-sent': 's' },
    })
    expect(first.asked()).not.toContain('DELETE')
    await post(url, request(1, 'ping'), session)
    expect(second.got.at(-1)?.headers['mcp-session-id']).toBe('session-1')
  })

  it('replies with 204 if the next process does not have the session yet', async () => {
    const { url, start } = await relayHttp()
    await start()
    const session = await openSession(url)
    const second = await start()
    expect((await ask(url, 'DELETE', session)).status).toBe(204)
    expect(second.got).toEqual([])
    expect(await ask(url, 'DELETE', session)).toMatchObject({ status: 200, body: 'deleted' })
  })
})

describe('HttpRelay handling requests to other paths', () => {
  it('forwards the request and its reply', async () => {
    const { url, start } = await relayHttp()
    const process = await start({
      PUT: (_, response) =>
        void response.writeHead(418, { 'x-reply': 'r', 'keep-alive': 'timeout=9' }).end('tea'),
    })
    const path = `${new URL(url).origin}/other?q=1`
    const reply = await ask(path, 'PUT', { 'x-sent': 's', te: 'trailers' }, 'text')
    expect(reply).toMatchObject({ status: 418, headers: { 'x-reply': 'r' }, body: 'tea' })
    expect(reply.headers['keep-alive']).not.toBe('timeout=9')
    expect(process.got).toMatchObject([
      { method: 'PUT', path: '/other?q=1', body: 'text', headers: { 'x-sent': 's' } },
    ])
    expect(process.got[0]?.headers).not.toHaveProperty('te')
    await ask(url, 'POST', { 'content-type': 'text/plain' }, PING)
    await ask(url, 'DELETE', { 'mcp-session-id': 'unknown' })
    expect(process.asked()).toEqual(['PUT', 'ping', 'DELETE'])
  })

  it('replies with 502 if the process ends before it sends the head of its reply', async () => {
    const { url, start } = await relayHttp()
    const process = await start({ PUT: () => void setImmediate(() => process.end()) })
    const reply = await ask(url, 'PUT')
    expect(reply).toMatchObject({
      status: 502,
      headers: { 'content-type': 'text/plain' },
      body: 'The server ended before it replied',
    })
  })

  it('aborts the reply if the process ends after it has sent the head of its reply', async () => {
    const { url, start } = await relayHttp()
    const process = await start({
      PUT(_, response) {
        response.writeHead(200, { 'content-length': '9' }).write('half')
        setImmediate(() => process.end())
      },
    })
    await expect(ask(url, 'PUT')).rejects.toThrow()
  })

  it('drains the process after the reply, without waiting for open streams', async () => {
    const { relay, url, start } = await relayHttp()
    let finish = (): void => {}
    const process = await start({
      PUT: (_, response) => void (finish = () => void response.end('done')),
      PATCH: (_, response) => response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders(),
    })
    const streaming = await fetch(url, { method: 'PATCH' })
    const asked = ask(url, 'PUT')
    await vi.waitFor(() => expect(process.got).toHaveLength(2))
    const drained = vi.fn()
    const draining = relay.drained({ generation: 1, port: 0, lines: undefined, ended: false }).then(drained)
    await settled()
    expect(drained).not.toHaveBeenCalled()
    finish()
    await draining
    expect((await asked).body).toBe('done')
    await streaming.body?.cancel()
  })

  it("aborts the process's request when the client disconnects", async () => {
    const left = vi.fn()
    const { url, start } = await relayHttp()
    const process = await start({ PUT: (_, response) => void response.once('close', left) })
    const abort = new AbortController()
    const asked = fetch(url, { method: 'PUT', signal: abort.signal }).catch(() => {})
    await vi.waitFor(() => expect(process.got).toHaveLength(1))
    abort.abort()
    await asked
    await vi.waitFor(() => expect(left).toHaveBeenCalledOnce())
  })
})

describe('HttpRelay with many sessions', () => {
  it('evicts the least recently used session that has no stream', async () => {
    const { url, start, relay } = await relayHttp()
    const first = await start()
    const streaming = await openSession(url)
    await listenOn(url, streaming)
    const current = await relay.process()
    if (current === undefined) throw new Error('no process')
    for (let count = 1; count < 256; count++)
      relay.opened(`s${count}`, current, { path: '/mcp', headers: {} })
    expect(first.asked()).toContain('GET')
    const second = await start()
    const isKept = async (id: string): Promise<boolean> => {
      await post(url, request(1, 'ping'), { 'mcp-session-id': id })
      return second.got.at(-1)?.headers['mcp-session-id'] !== id
    }
    expect(await isKept('s1')).toBe(true)
    relay.opened('new', current, { path: '/mcp', headers: {} })
    expect(await isKept('s1')).toBe(true)
    expect(await isKept('session-1')).toBe(true)
    expect(await isKept('s3')).toBe(true)
    expect(await isKept('s2')).toBe(false)
  })
})

describe('HttpRelay', () => {
  it('rejects if the port is in use', async () => {
    const { url } = await relayHttp()
    const other = new HttpRelay({ port: Number(new URL(url).port), host: '127.0.0.1', print: () => {} })
    await expect(other.listen()).rejects.toMatchObject({ code: 'EADDRINUSE' })
  })

  it('closes only after the current process has sent its reply', async () => {
    const front = await relayHttp()
    let finish = (): void => {}
    const process = await front.start({
      ping: ({ message }, response) => {
        finish = () => json(response, 200, { jsonrpc: '2.0', id: message.id, result: {} })
      },
    })
    const asked = ask(front.url, 'POST', JSON_TYPE, PING)
    await vi.waitFor(() => expect(process.got).toHaveLength(1))
    const closed = vi.fn()
    const closing = front.relay.close().then(closed)
    await settled()
    expect(closed).not.toHaveBeenCalled()
    await expect(ask(front.url, 'POST', JSON_TYPE, JSON.stringify(INITIALIZE))).rejects.toThrow(
      'ECONNREFUSED',
    )
    finish()
    expect((await asked).status).toBe(200)
    await closing
  })
})
