import { REVISIONS } from '@jetway/core/protocol'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { SessionLostError } from '../../src/errors.ts'
import { http } from '../../src/http/http.ts'
import { type Fetch, type HttpOptions, resolveHttpOptions } from '../../src/http/options.ts'
import { StreamableHttpTransport } from '../../src/http/streamable-http.ts'

const URL_OF_SERVER = 'http://127.0.0.1:8000/mcp'
const [MODERN] = REVISIONS.filter(({ era }) => era === 'modern')
const [LEGACY] = REVISIONS.filter(({ era }) => era === 'legacy')
const CALL = { jsonrpc: '2.0', id: 3, method: 'tools/call' } as const
const INITIALIZE = { jsonrpc: '2.0', id: 1, method: 'initialize' } as const
const RESULT = { jsonrpc: '2.0', id: 3, result: {} }
const SSE = { 'content-type': 'text/event-stream' }

/** Starts a transport that uses the test's `fetch`, and records what it reports. */
function started(fetch: Fetch, options: HttpOptions = {}) {
  const transport = new StreamableHttpTransport(resolveHttpOptions(URL_OF_SERVER, { fetch, ...options }))
  onTestFinished(() => transport.close())
  const messages: unknown[] = []
  const failed: [unknown, string][] = []
  const closed = vi.fn<(reason: object) => void>()
  const handlers = {
    message: (value: unknown) => void messages.push(value),
    malformed: () => {},
    requestFailed: (request: unknown, error: Error) => void failed.push([request, error.message]),
    close: closed,
  }
  transport.start(handlers)
  return { transport, messages, failed, closed, handlers }
}

/** Returns a stream with this text. The test may keep it open. */
function streamOf(text: string, held = false) {
  const cancel = vi.fn<() => void>()
  const body = new ReadableStream<Uint8Array<ArrayBuffer>>({
    start: (controller) => {
      controller.enqueue(new TextEncoder().encode(text))
      if (!held) controller.close()
    },
    cancel,
  })
  return { answer: new Response(body, { headers: SSE }), cancel }
}

describe('a reply', () => {
  it.each<[string, ResponseInit, string]>([
    ['status 202', { status: 202 }, 'The server answered a request with 202, as if it were a notification'],
    ['no content type', {}, 'The server answered a request with no content type'],
    [
      'an HTML page',
      { headers: { 'content-type': 'text/html; charset=utf-8' } },
      'The server answered a request with the content type text/html',
    ],
    ['a stream without a body', { headers: SSE }, 'with the content type text/event-stream'],
  ])('fails the request if it has %s', async (_, init, message) => {
    const { transport, messages } = started(async () => new Response(null, init))
    await expect(transport.send(CALL, { revision: LEGACY })).rejects.toMatchObject({
      code: 'transport',
      status: init.status ?? 200,
      message: expect.stringContaining(message) as string,
    })
    expect(messages).toEqual([])
  })

  it('fails the request immediately if it lacks the response to the request', async () => {
    const other = { ...RESULT, id: 4 }
    const { transport, messages, failed } = started(async () => Response.json(other))
    await transport.send(CALL, { revision: LEGACY })
    expect([messages, failed]).toEqual([[other], [[3, 'The reply has no response to the request']]])
  })

  it.each<[string, unknown, number, string | undefined]>([
    ['an error', { jsonrpc: '2.0', id: 3, error: { code: 1 } }, 400, undefined],
    ['another protocol version', { jsonrpc: '1.0', error: {} }, 400, '400: {"jsonrpc":"1.0","error":{}}'],
    ['a string as its error', { jsonrpc: '2.0', error: 'no' }, 500, '500: {"jsonrpc":"2.0","error":"no"}'],
    ['null', null, 400, '400: null'],
    ['an error about the caller', { jsonrpc: '2.0', error: {} }, 401, '401: {"jsonrpc":"2.0","error":{}}'],
    ['an error about access', { jsonrpc: '2.0', error: {} }, 403, '403: {"jsonrpc":"2.0","error":{}}'],
    ['an error about the path', { jsonrpc: '2.0', error: {} }, 404, undefined],
  ])(
    'with an error status is delivered or fails the request, depending on the body: %s',
    async (_, body, status, text) => {
      const { transport, messages } = started(async () => Response.json(body, { status }))
      const sent = transport.send(CALL, { revision: LEGACY })
      if (text !== undefined)
        await expect(sent).rejects.toThrow(`tools/call was answered with HTTP status ${text}`)
      else await sent
      expect(messages).toEqual(text === undefined ? [body] : [])
    },
  )

  it.each([400, 404, 405])(
    'to initialize with an error is delivered or fails the request, depending on the status: %i',
    async (status) => {
      const body = { jsonrpc: '2.0', id: 1, error: { code: 1 } }
      const { transport, messages } = started(async () => Response.json(body, { status }))
      const sent = transport.send(INITIALIZE, { revision: undefined })
      if (status === 400) await sent
      else await expect(sent).rejects.toMatchObject({ status })
      expect(messages).toEqual(status === 400 ? [body] : [])
    },
  )
})

describe('the session', () => {
  it('is set only by the response to initialize', async () => {
    const headers = { 'mcp-session-id': 's' }
    const { transport } = started(async () => Response.json(RESULT, { headers }))
    await transport.send(CALL, { revision: undefined })
    expect(transport.sessionId).toBeUndefined()
    await transport.send(INITIALIZE, { revision: undefined })
    expect(transport.sessionId).toBe('s')
    expect(transport.alive).toBe(true)
  })

  it('is lost after status 404, and its id is deleted', async () => {
    const { transport } = started(async () => new Response(null, { status: 404 }))
    await expect(transport.send(CALL, { revision: LEGACY })).rejects.not.toThrow(SessionLostError)
    transport.resume('s')
    await expect(transport.send(CALL, { revision: LEGACY })).rejects.toThrow(SessionLostError)
    expect(transport.sessionId).toBeUndefined()
  })

  it.each([
    [true, ['DELETE s']],
    [false, []],
  ])('is ended by close only if endSession is true: %j', async (endSession, expected) => {
    const seen: string[] = []
    const fetch: Fetch = async (_, { method, headers }) => {
      seen.push(`${method} ${(headers as Headers).get('mcp-session-id')}`)
      return new Response()
    }
    const { transport, closed } = started(fetch, { endSession })
    transport.resume('s')
    await Promise.all([transport.close(), transport.close()])
    expect(seen).toEqual(expected)
    expect(closed.mock.calls).toEqual([[{ kind: 'end' }]])
    expect(transport.alive).toBe(false)
    await expect(transport.send(CALL, { revision: LEGACY })).rejects.toThrow('The transport is closed')
    expect(() => transport.start({} as never)).toThrow('The transport is already started')
  })
})

describe("a request's stream", () => {
  it.each([
    ['without an event id', '', LEGACY, 'The stream ended before the response'],
    [
      'with an event id, in a revision without resumable streams',
      'id: 1\ndata:\n\n',
      MODERN,
      'The stream ended before',
    ],
  ])('fails the request if it ends early: %s', async (_, text, revision, message) => {
    const fetch = vi.fn<Fetch>(async () => streamOf(text).answer)
    const { transport, failed } = started(fetch)
    await transport.send(CALL, { revision })
    await vi.waitFor(() => expect(failed).toHaveLength(1))
    expect(failed[0]?.[1]).toContain(message)
    expect(fetch).toHaveBeenCalledTimes(1)
  })

  it('is cancelled one second after the response', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    onTestFinished(() => void vi.useRealTimers())
    const { answer, cancel } = streamOf(`data: ${JSON.stringify(RESULT)}\n\n`, true)
    const { transport, messages, failed } = started(async () => answer)
    await transport.send(CALL, { revision: LEGACY })
    await vi.advanceTimersByTimeAsync(999)
    expect([messages, cancel.mock.calls.length]).toEqual([[RESULT], 0])
    await vi.advanceTimersByTimeAsync(1)
    expect([cancel.mock.calls.length, failed]).toEqual([1, []])
    expect(vi.getTimerCount()).toBe(0)
  })

  it('is cancelled when its request is aborted', async () => {
    const { answer, cancel } = streamOf('', true)
    const { transport, failed } = started(async () => answer)
    const controller = new AbortController()
    await transport.send(CALL, { revision: LEGACY, signal: controller.signal })
    controller.abort(new Error('enough'))
    await vi.waitFor(() => expect(cancel).toHaveBeenCalledOnce())
    await transport.close()
    expect(failed).toEqual([])
  })
})

describe('a server that refuses initialize', () => {
  it.each([
    [400, ['POST', 'GET']],
    [404, ['POST', 'GET']],
    [405, ['POST', 'GET']],
    [401, ['POST']],
    [406, ['POST']],
    [500, ['POST']],
  ])(
    'is contacted over HTTP+SSE only after certain statuses: after %i, it receives %j',
    async (status, expected) => {
      const seen: unknown[] = []
      const fetch: Fetch = async (_, { method }) => {
        seen.push(method)
        return new Response(null, { status: method === 'POST' ? status : 418 })
      }
      const transport = await http(URL_OF_SERVER, { fetch })()
      await transport.start({
        message: () => {},
        malformed: () => {},
        requestFailed: () => {},
        close: () => {},
      })
      await expect(transport.send(INITIALIZE, { revision: undefined })).rejects.toMatchObject({ status })
      expect(seen).toEqual(expected)
      await expect(transport.send(CALL, { revision: undefined })).rejects.toMatchObject({ status })
      expect(seen).toEqual([...expected, 'POST'])
      expect(transport).toMatchObject({ streamPerRequest: true, alive: true, sessionId: undefined })
      await transport.close()
      expect(transport.alive).toBe(false)
    },
  )
})
