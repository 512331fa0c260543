import { describe, expect, it, vi } from 'vitest'
import {
  fetchHttp,
  type HttpCall,
  mediaType,
  readRefusal,
  readText,
  statusError,
} from '../../src/http/fetch.ts'
import { type Fetch, type HttpOptions, resolveHttpOptions } from '../../src/http/options.ts'

const URL_OF_SERVER = 'http://127.0.0.1:8000/mcp'

/** Sends one request with the test's `fetch`. */
function sending(fetch: Fetch, call: Partial<HttpCall> = {}, options: HttpOptions = {}): Promise<Response> {
  const { signal } = new AbortController()
  const resolved = resolveHttpOptions(URL_OF_SERVER, { fetch, ...options })
  return fetchHttp(resolved, { url: URL_OF_SERVER, method: 'POST', headers: {}, signal, ...call })
}

/** Returns a body that consists of these chunks, and a spy for its cancellation. */
function bodyOf(...pieces: readonly Uint8Array<ArrayBuffer>[]) {
  const cancel = vi.fn<() => void>()
  let at = 0
  const body = new ReadableStream<Uint8Array<ArrayBuffer>>(
    {
      pull: (controller) => {
        const piece = pieces[at++]
        if (piece === undefined) controller.close()
        else controller.enqueue(piece)
      },
      cancel,
    },
    { highWaterMark: 0 },
  )
  return { body, cancel }
}
const bytes = (text: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(text)

describe('a redirect', () => {
  /** Redirects the given number of times, and then replies with 200. */
  const redirecting =
    (status: number, times: number, location = '/next'): Fetch =>
    async () =>
      times-- > 0
        ? new Response(null, { status, headers: { location } })
        : new Response('there', { status: 200 })

  it.each([
    ['GET', 301, 200],
    ['GET', 302, 200],
    ['GET', 303, 303],
    ['GET', 307, 200],
    ['GET', 308, 200],
    ['POST', 301, 301],
    ['POST', 302, 302],
    ['POST', 303, 303],
    ['POST', 307, 200],
    ['POST', 308, 200],
    ['DELETE', 302, 302],
  ] as const)(
    'is followed or returned: a %s redirected with status %i resolves to status %i',
    async (method, status, expected) => {
      expect((await sending(redirecting(status, 1), { method })).status).toBe(expected)
    },
  )

  it('is followed at most three times', async () => {
    expect((await sending(redirecting(307, 3))).status).toBe(200)
    await expect(sending(redirecting(307, 4))).rejects.toMatchObject({
      code: 'transport',
      status: 307,
      message: 'http://127.0.0.1:8000 redirects to another origin, or too often',
    })
  })

  it('fails if its target is invalid, and is returned if it has no target', async () => {
    await expect(sending(redirecting(308, 1, 'http://['))).rejects.toMatchObject({ status: 308 })
    expect((await sending(async () => new Response(null, { status: 307 }))).status).toBe(307)
  })

  it('releases the connection', async () => {
    const { body, cancel } = bodyOf(bytes('moved'))
    const answers = [new Response(body, { status: 307, headers: { location: '/x' } }), new Response()]
    await sending(async () => answers.shift() as Response)
    expect(cancel).toHaveBeenCalledOnce()
  })
})

describe('a request', () => {
  it('sends protocol headers instead of custom headers with the same names', async () => {
    const names = ['mcp-session-id', 'mcp-protocol-version', 'mcp-method', 'mcp-name', 'last-event-id']
    const headers = {
      ...Object.fromEntries(names.map((name) => [name, 'mine'])),
      accept: 'mine',
      'x-own': '1',
    }
    let sent: RequestInit = {}
    const fetch: Fetch = async (_, init) => {
      sent = init
      return new Response()
    }
    await sending(fetch, { headers: { accept: 'ours', 'mcp-name': 'ours' }, body: '{}' }, { headers })
    expect([...(sent.headers as Headers)]).toEqual([
      ['accept', 'ours'],
      ['mcp-name', 'ours'],
      ['x-own', '1'],
    ])
    expect(sent).toMatchObject({ method: 'POST', redirect: 'manual', body: '{}' })
    await sending(fetch)
    expect(sent).not.toHaveProperty('body')
  })

  it('is not sent if it is aborted while the headers are created', async () => {
    const fetch = vi.fn<Fetch>(async () => new Response())
    const waiting = new AbortController()
    const reason = new Error('enough')
    const headers = async (): Promise<Record<string, string>> => {
      waiting.abort(reason)
      return {}
    }
    await expect(sending(fetch, { signal: waiting.signal }, { headers })).rejects.toBe(reason)
    expect(fetch).not.toHaveBeenCalled()
  })

  it("rejects with the signal's reason if it is aborted", async () => {
    const waiting = new AbortController()
    const reason = new Error('enough')
    const fetch: Fetch = async () => {
      waiting.abort(reason)
      throw new TypeError('fetch failed')
    }
    await expect(sending(fetch, { signal: waiting.signal })).rejects.toBe(reason)
  })

  it.each<[string, unknown, string, boolean]>([
    ['a refused connection', { cause: { code: 'ECONNREFUSED' } }, ': ECONNREFUSED', true],
    ['a reset', { cause: { code: 'ECONNRESET' } }, ': ECONNRESET', false],
    ['an error without a code', { cause: {} }, '', false],
    ['an error with a numeric code', { cause: { code: 7 } }, '', false],
    ['an error without a cause', new TypeError('fetch failed'), '', false],
    ['an undefined error', undefined, '', false],
  ])(
    'that fails with %s reports whether the server may have processed it',
    async (_, cause, text, unprocessed) => {
      await expect(sending(() => Promise.reject(cause))).rejects.toMatchObject({
        code: 'transport',
        message: `http://127.0.0.1:8000 cannot be reached${text}`,
        cause,
        unprocessed,
        authFailed: false,
      })
    },
  )
})

describe('readText', () => {
  it('decodes characters that are split across chunks', async () => {
    const all = bytes('für')
    const { body } = bodyOf(all.slice(0, 2), all.slice(2))
    expect(await readText(new Response(body), 4)).toBe('für')
    expect(await readText(new Response(null), 0)).toBe('')
  })

  it.each([
    ['exceeds the limit by one byte', [bytes('123'), bytes('45')], 'The response is longer than 4 bytes', 1],
    ['is not UTF-8', [new Uint8Array([0xff]), bytes('1')], 'The response was cut, or is not UTF-8', 1],
    ['ends within a character', [new Uint8Array([0xc3])], 'The response was cut, or is not UTF-8', 0],
  ])('rejects if the response %s, and releases the connection', async (_, pieces, message, cancelled) => {
    const { body, cancel } = bodyOf(...pieces)
    await expect(readText(new Response(body), 4)).rejects.toMatchObject({ code: 'transport', message })
    expect(cancel).toHaveBeenCalledTimes(cancelled)
  })

  it('reads up to 1 MiB of an error reply, and includes 256 characters of it in the message', async () => {
    const text = 'x'.repeat(1_048_576)
    expect(await readRefusal(new Response(text))).toBe(text)
    expect(await readRefusal(new Response(`${text}x`))).toBe('')
    expect(statusError(503, 'ping', text)).toMatchObject({
      status: 503,
      message: `ping was answered with HTTP status 503: ${'x'.repeat(256)}`,
    })
    expect(statusError(503, 'ping', '').message).toBe('ping was answered with HTTP status 503')
  })
})

it.each([
  ['Text/Event-Stream ; charset=utf-8', 'text/event-stream'],
  ['application/json', 'application/json'],
  [undefined, ''],
])('mediaType parses the content type %j as %j', (type, expected) => {
  const headers = type === undefined ? {} : { 'content-type': type }
  expect(mediaType(new Response(null, { headers }))).toBe(expected)
})
