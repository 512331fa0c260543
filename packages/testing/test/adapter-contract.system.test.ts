import { buffer, text } from 'node:stream/consumers'
import { describe, expect, it } from 'vitest'
import { type AdapterCase, adapterCases, runAdapterCase } from '../src/contracts/adapter.ts'
import { breakable, type Parts, SOUND } from './support/breakable-adapter.ts'

const CASES = adapterCases(breakable().capabilities)
/** A case that nearly every broken adapter passes. */
const PLAIN = 'answers a call with JSON'
/**
 * Returns the time limit of a case, in ms. The limit is short for cases that wait for a reply in vain. Cases
 * that fail in a comparison keep their usual limit, because a busy machine may need it.
 */
const patienceFor = (message: string): number | undefined =>
  message.startsWith('expected') ? undefined : 2_000

interface Fault {
  readonly does: string
  readonly parts: Partial<Parts>
  /** The cases that must fail, each with a part of the failure's message. */
  readonly breaks: Readonly<Record<string, string>>
}

const inRequests: readonly Fault[] = [
  {
    does: 'reads the body before the guard',
    parts: {
      async serve(exchanged, parts) {
        const body = await buffer(exchanged.req)
        await SOUND.serve(exchanged, { ...parts, read: async () => body })
      },
    },
    breaks: {
      'answers a forbidden Host and a DELETE before the body arrives': 'for a reply',
      'accepts a body of exactly the limit, and answers 413 to a declared length of one byte more':
        'for a reply',
    },
  },
  {
    does: 'looks up headers case-sensitively, and passes the last value of a query parameter',
    parts: {
      request(exchanged, parts) {
        const { rawHeaders, url } = exchanged.req
        const spelled = (name: string): string | undefined => rawHeaders[rawHeaders.indexOf(name) + 1]
        return Object.assign(SOUND.request(exchanged, parts), {
          header: (name: string) =>
            name.startsWith('x-') ? spelled(name) : exchanged.req.headersDistinct[name]?.[0],
          query: (name: string) => new URLSearchParams(url?.split('?')[1]).getAll(name).at(-1),
        })
      },
    },
    breaks: {
      'passes the method, the first value of a query parameter, and headers by lower-case name':
        "expected [ '2', 'ä', undefined ] to deeply equal [ '1', 'ä', undefined ]",
    },
  },
  {
    does: 'shows the first of repeated headers only',
    parts: {
      request: (exchanged, parts) =>
        Object.assign(SOUND.request(exchanged, parts), {
          rawHeaders: Object.entries(exchanged.req.headers).flat(),
        }),
    },
    breaks: {
      'refuses a repeated Mcp-Session-Id': "expected '200' to be '400'",
      'refuses repeated headers only if they must be single':
        "expected [ 'authorization', '200' ] to deeply equal [ 'authorization', …(1) ]",
    },
  },
  {
    does: 'does not pass the addresses of the socket',
    parts: {
      request: (exchanged, parts) => Object.assign(SOUND.request(exchanged, parts), { peer: undefined }),
    },
    breaks: {
      'passes both addresses of the socket': '.toMatch() expects to receive a string, but got undefined',
      'accepts loopback Hosts only on a loopback socket':
        'expected [ 200, …(1) ] to deeply equal [ 403, …(1) ]',
    },
  },
  {
    does: 'decodes each chunk of a body separately',
    parts: {
      async read(req) {
        let decoded = ''
        for await (const chunk of req as AsyncIterable<Buffer>) decoded += chunk.toString()
        return Buffer.from(decoded)
      },
    },
    breaks: {
      'reads a body whose chunks split a character': `to contain '"text":"aä€😀"'`,
    },
  },
  {
    does: 'ignores the body limit',
    parts: { read: (req) => buffer(req) },
    breaks: {
      'counts a chunked body, and answers 413 beyond the limit':
        'expected [ 200, …(1) ] to deeply equal [ 413, …(1) ]',
    },
  },
  {
    does: 'refuses a body of exactly the limit',
    parts: { read: (req, limit) => SOUND.read(req, limit - 1) },
    breaks: {
      'accepts a body of exactly the limit, and answers 413 to a declared length of one byte more':
        'expected 413 to be 200',
      'counts a chunked body, and answers 413 beyond the limit': 'Status 413 and no result',
    },
  },
  {
    does: 'parses JSON itself',
    parts: { read: async (req) => ({ parsed: JSON.parse(await text(req)) as unknown }) },
    breaks: {
      'answers a body that is not JSON with a JSON-RPC error':
        'expected [ 500, …(1) ] to deeply equal [ 400, …(1) ]',
    },
  },
  {
    does: 'waits for the rest of an aborted body',
    parts: {
      read: (req) =>
        new Promise((resolve) => {
          const chunks: Buffer[] = []
          req.on('error', () => {})
          req
            .on('data', (chunk: Buffer) => chunks.push(chunk))
            .on('end', () => resolve(Buffer.concat(chunks)))
        }),
    },
    breaks: {
      'answers a request whose client disconnects before the end of the body, and serves others':
        'for the end of the request',
    },
  },
  {
    does: 'rereads a body that the host has parsed',
    parts: {
      async serve(exchanged, parts) {
        if (exchanged.host.parsesBodies === true) await buffer(exchanged.req)
        await SOUND.serve({ ...exchanged, host: {} }, parts)
      },
    },
    breaks: {
      'accepts a body that the host has parsed': 'Status 400 and no result',
    },
  },
  {
    does: 'accepts one request per connection',
    parts: {
      async serve(exchanged, parts) {
        exchanged.res.shouldKeepAlive = false
        await SOUND.serve(exchanged, parts)
      },
    },
    breaks: {
      'answers many requests on one connection in order, as JSON and as streams':
        "expected [ '<1>' ] to deeply equal [ '<1>', '<2>', '<3>', '<4>', …(46) ]",
    },
  },
  {
    does: 'parses the body of a refused request as the next request',
    parts: {
      async serve(exchanged, parts) {
        const { req, res } = exchanged
        res.once('finish', () => {
          if (res.statusCode === 403) req.on('data', (left: Buffer) => req.socket.write(left))
        })
        await SOUND.serve(exchanged, parts)
      },
    },
    breaks: {
      'never reads the body of a refused request as the next request': "to contain '<smuggled>'",
    },
  },
  {
    does: 'creates the context too early, outside the endpoint',
    parts: {
      async serve(exchanged, parts) {
        const mount = exchanged.host.locals?.()
        await SOUND.serve({ ...exchanged, host: { ...exchanged.host, locals: () => mount } }, parts)
      },
    },
    breaks: {
      'does not compute locals if the guard refuses the head': 'expected 1 to be +0',
      'answers 500 as JSON-RPC if `locals` throws, and writes the message only to the log':
        "expected [ 500, 'secret' ] to deeply equal [ 500, …(1) ]",
    },
  },
  {
    does: 'creates the context twice',
    parts: {
      request(exchanged, parts) {
        const locals = (): unknown => (exchanged.host.locals?.(), exchanged.host.locals?.())
        return SOUND.request({ ...exchanged, host: { locals } }, parts)
      },
    },
    breaks: {
      'passes locals to tools, and computes them once per call': `expected '{"locals":{"made":2}}' to be '{"locals":{"made":1}}'`,
      'passes on auth info from the host, and refuses expired auth info before the body arrives': `expected '{}' to be '{"auth":"ada"}'`,
    },
  },
  {
    does: 'handles paths below its own',
    parts: { isForMcp: (path) => path.startsWith('/mcp') },
    breaks: {
      'leaves other paths and their bodies to the host, also when the server has closed':
        "expected [ '/mcp2', 400, true ] to deeply equal [ '/mcp2', 404, false ]",
    },
  },
]

const inReplies: readonly Fault[] = [
  {
    does: 'drops the headers of whole replies',
    parts: { sendWhole: (res, { status, body }) => void res.writeHead(status).end(body) },
    breaks: {
      [PLAIN]: '.toMatch() expects to receive a string, but got undefined',
      'sends the session id with the initialize response, as JSON and as a stream':
        'expected [ 200, undefined ] to deeply equal [ 200, StringMatching{…} ]',
      'sends the headers Allow and WWW-Authenticate with a refusal':
        "expected undefined to be 'GET, POST, DELETE, OPTIONS'",
      'answers HEAD with 405 and without a body, and OPTIONS with 204':
        "expected [ 405, '', undefined ] to deeply equal [ 405, '', …(1) ]",
    },
  },
  {
    does: 'drops the headers of streams',
    parts: { sendHead: (res) => res.flushHeaders() },
    breaks: {
      'sends a whole stream in order, and ends it':
        '.toMatch() expects to receive a string, but got undefined',
      'sends headers that prevent proxies from buffering a stream':
        '.toMatch() expects to receive a string, but got undefined',
    },
  },
  {
    does: 'drops the headers set by the host when it sends a stream',
    parts: {
      sendHead(res, reply) {
        for (const name of res.getHeaderNames()) res.removeHeader(name)
        SOUND.sendHead(res, reply)
      },
    },
    breaks: {
      'keeps headers set by the host on every kind of reply':
        "expected [ 'stream', { …(7) } ] to deeply equal [ 'stream', ObjectContaining{…} ]",
    },
  },
  {
    does: 'counts characters of a body instead of bytes',
    parts: {
      sendWhole(res, reply) {
        if (reply.body !== undefined) res.setHeader('content-length', reply.body.length)
        SOUND.sendWhole(res, reply)
      },
    },
    breaks: {
      [PLAIN]: 'Unterminated string in JSON',
      'sends a large response byte for byte': 'Unterminated string in JSON',
    },
  },
  {
    does: 'treats every body as text',
    parts: {
      sendWhole: (res, { status, headers, body }) =>
        SOUND.sendWhole(res, { status, headers, ...(body !== undefined && { body: String(body) }) }),
    },
    breaks: {
      'sends a binary body unchanged': 'Unexpected non-whitespace character after JSON',
    },
  },
  {
    does: 'sends streams in another encoding',
    parts: { write: (res, chunk) => void res.write(chunk, 'latin1') },
    breaks: {
      'sends a whole stream in order, and ends it': 'Bad control character in string literal in JSON',
    },
  },
  {
    does: 'adds a body to replies without one',
    parts: {
      sendWhole: (res, { headers, body = '{}' }) => SOUND.sendWhole(res, { status: 200, headers, body }),
    },
    breaks: {
      'sends replies without a body: 202 to a notification, 204 to a DELETE':
        "expected [ 200, '{}' ] to deeply equal [ 202, '' ]",
      'answers HEAD with 405 and without a body, and OPTIONS with 204':
        "expected [ 200, '', …(1) ] to deeply equal [ 405, '', …(1) ]",
    },
  },
  {
    does: 'writes its own error messages for server errors',
    parts: {
      sendWhole(res, reply) {
        if (reply.status < 500) SOUND.sendWhole(res, reply)
        else res.writeHead(500).end('Sorry')
      },
    },
    breaks: {
      'answers 500 as JSON-RPC if a mount option throws, rejects or returns a header that cannot be sent':
        "expected [ 500, 'Sorry' ] to deeply equal [ 500, …(1) ]",
      'answers 500 as JSON-RPC if `locals` throws, and writes the message only to the log':
        "expected [ 500, 'Sorry' ] to deeply equal [ 500, …(1) ]",
      'answers running calls while the server closes, and new calls with 503':
        "expected [ 500, undefined, 'Sorry' ] to deeply equal [ 503, '1', StringContaining{…} ]",
    },
  },
]

const inStreams: readonly Fault[] = [
  {
    does: 'delays the head of a stream until its first frame',
    parts: {
      sendHead: (res, { status, headers }) => {
        res.statusCode = status
        res.setHeaders(new Map(Object.entries(headers)))
      },
    },
    breaks: {
      'sends the head of a stream at once, before anything is written': 'for the head of the reply to GET',
    },
  },
  {
    does: 'sends only the Content-Type header of a stream',
    parts: {
      sendHead: (res, { headers, ...reply }) => {
        const kept = Object.entries(headers).filter(([name]) => !/^(cache-control|x-accel)/.test(name))
        SOUND.sendHead(res, { ...reply, headers: Object.fromEntries(kept) })
      },
    },
    breaks: {
      'sends headers that prevent proxies from buffering a stream':
        "expected undefined to be 'no-cache, no-transform'",
    },
  },
  {
    does: 'buffers a stream until it ends',
    parts: {
      async serve(exchanged, parts) {
        let all = ''
        const end = (): void => void exchanged.res.end(all)
        await SOUND.serve(exchanged, {
          ...parts,
          sendHead: () => {},
          write: (_res, chunk) => void (all += chunk),
          end,
        })
      },
    },
    breaks: {
      'sends each frame when it is written': 'for the head of the reply to POST',
      'sends the head of a long call when it becomes a stream': 'for the head of the reply to POST',
    },
  },
  {
    does: 'does not send keep-alive comments',
    parts: { write: (res, chunk) => (chunk.startsWith(':') ? undefined : SOUND.write(res, chunk)) },
    breaks: {
      'keeps an open stream alive with comments': 'for : keep-alive',
    },
  },
  {
    does: 'never ends a stream',
    parts: { end: () => {} },
    breaks: {
      'sends a whole stream in order, and ends it': 'for the end of a reply',
      'ends open streams when it is closed, and accepts a second close': 'for the end of a reply',
    },
  },
  {
    does: 'ignores backpressure',
    parts: { write: (res, chunk) => void res.write(chunk) },
    breaks: {
      'applies backpressure while the peer does not read, and sends everything when it reads again':
        'expected 1024 to be less than 512',
    },
  },
  {
    does: 'waits for a slow peer, but does not notice when it disconnects',
    parts: {
      signal: () => new AbortController().signal,
      write: (res, chunk) =>
        res.write(chunk) ? undefined : new Promise((resolve) => res.once('drain', resolve)),
    },
    breaks: {
      'releases the writer when a peer that does not read disconnects':
        'for the writer to go on without its peer',
    },
  },
  {
    does: 'never reports that the peer disconnected',
    parts: { signal: () => new AbortController().signal },
    breaks: {
      'aborts the signal when the peer closes an open stream': 'for the signal of a peer that left a stream',
      'aborts the signal when the peer disconnects before the reply, and still serves others':
        'for the signal of a peer that left',
      'passes an aborted signal if the signal is first read after the peer disconnected':
        'for the signal of a peer that left',
    },
  },
  {
    does: 'does not report a peer that disconnected before the signal was read',
    parts: { signal: (req, res) => (res.destroyed ? new AbortController().signal : SOUND.signal(req, res)) },
    breaks: {
      'passes an aborted signal if the signal is first read after the peer disconnected':
        'for a signal that is read late',
    },
  },
  {
    does: 'mistakes the end of a reply for a disconnect',
    parts: {
      signal(_req, res) {
        const left = new AbortController()
        if (res.destroyed) left.abort()
        else res.once('close', () => left.abort())
        return left.signal
      },
    },
    breaks: {
      'does not abort the signal after the peer received the whole reply':
        'expected [ true, true, true, true, true, true ] to deeply equal [ false, false, false, false, …(2) ]',
    },
  },
]

const inConnections: readonly Fault[] = [
  {
    does: 'keeps every connection open',
    parts: {
      sendHead(res, reply) {
        res.setHeader('connection', 'keep-alive')
        SOUND.sendHead(res, reply)
      },
    },
    breaks: {
      'closes the connection after a stream if the client requests it': 'for the end of the connection',
    },
  },
  {
    does: 'opens pipelined streams before their turn',
    parts: { turn: (_req, _res, begin) => begin() },
    breaks: {
      'opens the stream of a pipelined call when the previous stream has ended':
        'for the first stream to open',
    },
  },
  {
    does: 'does not report that a response is queued',
    parts: { isQueued: () => false },
    breaks: {
      'refuses the stream of a session while an earlier response on its connection is unfinished':
        'The reply to initialize has no mcp-session-id',
      'refuses a question of a call while an earlier response on its connection is unfinished':
        'for the question to be refused',
    },
  },
  {
    does: 'does not end a connection whose client does not read',
    parts: {
      turn: (_req, _res, begin) => begin(),
      signal(_req, res) {
        const left = new AbortController()
        res.once('close', () => left.abort())
        return left.signal
      },
    },
    breaks: {
      'releases the streams of a connection that ends while the client does not read its replies':
        'for the stream to end',
    },
  },
  {
    does: 'does not watch the connections of pipelined requests',
    parts: {
      signal(_req, res) {
        const left = new AbortController()
        res.once('close', () => left.abort())
        return left.signal
      },
    },
    breaks: {
      'aborts the signals of pipelined requests when the connection ends': 'for the signals',
    },
  },
]

const inClosing: readonly Fault[] = [
  {
    does: 'never finishes closing',
    parts: { close: () => new Promise(() => {}) },
    breaks: {
      'answers running calls when it is closed, as JSON and as a stream': 'for the close',
      'ends open streams when it is closed, and accepts a second close': 'for the close',
      'closes even if a peer has stopped reading': 'for the close',
    },
  },
  {
    does: 'does not wait for running calls when it closes',
    parts: { close: (endpoint) => endpoint.close({ deadline: 0 }) },
    breaks: {
      'answers running calls when it is closed, as JSON and as a stream': 'Status 503 and no result',
    },
  },
  {
    does: 'does nothing when it is closed',
    parts: { close: async () => {} },
    breaks: {
      'ends open streams when it is closed, and accepts a second close': 'for the end of a reply',
      'does not start calls after it was closed': 'expected [ undefined, 503 ] to include 200',
    },
  },
]

const inDoors: readonly Fault[] = [
  {
    does: 'routes the HTTP+SSE stream path to the MCP path',
    parts: { route: (path) => (path === '/message' ? 'message' : 'mcp') },
    breaks: {
      'opens an HTTP+SSE stream, and answers posted messages on it': 'The reply ended before',
    },
  },
  {
    does: 'routes the HTTP+SSE message path to the MCP path',
    parts: { route: (path) => (path === '/sse' ? 'sse' : 'mcp') },
    breaks: {
      'opens an HTTP+SSE stream, and answers posted messages on it':
        "expected [ 200, …(1) ] to deeply equal [ 202, 'Accepted' ]",
      'passes every method on the HTTP+SSE routes to the endpoint':
        "expected [ '/message', 'PUT', 405, …(1) ] to deeply equal [ '/message', 'PUT', 405, …(1) ]",
    },
  },
  {
    does: 'never reports that the peer closed the HTTP+SSE stream',
    parts: { signal: () => new AbortController().signal },
    breaks: {
      'ends the HTTP+SSE session when the peer closes its stream': 'for the end of the session',
    },
  },
  {
    does: 'leaves the HTTP+SSE stream open',
    parts: { end: () => {} },
    breaks: {
      'ends the HTTP+SSE stream when the mount is closed': 'for the end of a reply',
    },
  },
  {
    does: 'answers every path with an event stream',
    parts: {
      isForMcp: () => true,
      serve: async ({ res }) => void res.writeHead(200, { 'content-type': 'text/event-stream' }).end(),
    },
    breaks: {
      [PLAIN]: "expected 'text/event-stream' to match /^application\\/json(;|$)/json(;|$)",
      'serves the HTTP+SSE routes only if legacySse is set': 'expected [ 400, 404 ] to include 200',
    },
  },
]

const inDocuments: readonly Fault[] = [
  {
    does: 'serves documents below /.well-known/ only',
    parts: {
      document: (documents, exchanged) =>
        exchanged.req.url?.startsWith('/.well-known/') ? SOUND.document(documents, exchanged) : undefined,
    },
    breaks: {
      'serves the documents of the option card with their headers, byte for byte':
        'expected { …(4) } to match object { …(4) }',
      'serves the card below a prefix, and leaves the catalog to the app':
        'expected [ 404, 404, 404 ] to deeply equal [ 200, 404, 404 ]',
    },
  },
  {
    does: 'passes no headers to documents, and treats HEAD as GET',
    parts: {
      document: (documents, { req }) =>
        documents?.answer({ method: 'GET', path: req.url ?? '', header: () => undefined }),
    },
    breaks: {
      'answers HEAD and If-None-Match for a document without a body':
        "expected [ 200, true, …(1) ] to deeply equal [ 304, true, '' ]",
    },
  },
  {
    does: 'serves the first document only',
    parts: {
      document: (documents, exchanged) =>
        documents?.paths[0] === exchanged.req.url ? SOUND.document(documents, exchanged) : undefined,
    },
    breaks: {
      'serves the documents of authenticate and card together, without authentication':
        'expected [ 200, 404, 404 ] to deeply equal [ 200, 200, 200 ]',
      'serves the card below a prefix if the app serves the documents of authenticate at its root':
        'expected [ 200, 404, 404 ] to deeply equal [ 200, 200, 404 ]',
    },
  },
]

const FAULTS = [
  ...inRequests,
  ...inReplies,
  ...inStreams,
  ...inConnections,
  ...inClosing,
  ...inDoors,
  ...inDocuments,
]

function named(name: string): AdapterCase {
  const found = CASES.find((each) => each.name === name)
  if (found === undefined) throw new Error(`No case is called ${name}`)
  return found
}

describe('the adapter contract', () => {
  it.each(FAULTS)('fails for an adapter that $does', async ({ parts, breaks }) => {
    const subject = breakable(parts)
    // The cases run concurrently, because most of them wait until their time limit.
    await Promise.all(
      Object.entries(breaks).map(([name, message]) =>
        expect(runAdapterCase(subject, named(name), patienceFor(message)), name).rejects.toThrow(message),
      ),
    )
    if (breaks[PLAIN] === undefined) await runAdapterCase(subject, named(PLAIN))
  })
})

it('each case of the adapter contract fails for at least one broken adapter', () => {
  const broken = new Set(FAULTS.flatMap(({ breaks }) => Object.keys(breaks)))
  expect(CASES.map(({ name }) => name).filter((name) => !broken.has(name))).toEqual([])
})
