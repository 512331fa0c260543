import type { ServerResponse } from 'node:http'
import { gzipSync } from 'node:zlib'
import { type Asked, DONE } from './scripted.ts'

/** An invalid reply from a server to one request. */
export interface Attack {
  readonly reply: string
  readonly script: (asked: Asked) => void
  /** Matches the error of a call that receives the reply. */
  readonly error: RegExp
}

const JSON_TYPE = { 'content-type': 'application/json' }
const STREAM = { 'content-type': 'text/event-stream' }

const send =
  (type: Record<string, string>, body: string | Buffer, status = 200) =>
  ({ response }: Asked): void =>
    void response.writeHead(status, type).end(body)

const json =
  (value: (id: number | undefined) => unknown, status = 200) =>
  ({ response, message }: Asked): void =>
    void response.writeHead(status, JSON_TYPE).end(JSON.stringify(value(message.id)))

/** Sends a part of the reply, and then breaks the connection. */
const cutAfter =
  (type: Record<string, string>, part: string) =>
  ({ response }: Asked): void => {
    response.writeHead(200, type)
    response.write(part, () => response.destroy())
  }

/** Writes endlessly, as fast as the client reads. */
function endless(response: ServerResponse, piece: string): void {
  const write = (): void => void (response.destroyed || response.write(piece, write))
  write()
}

const answer = (id: number | undefined): object => ({ jsonrpc: '2.0', id, result: DONE })

const NONE = /The reply has no response to the request/
const CUT = /was cut|ended before the response/
const ENDED = /ended before the response/
const TOO_LONG = /longer than \d+|ended before the response/
/** Matches the error when a time limit of the client ends the request. */
export const TIMEOUT = /within \d+ ms/

/** The limit on the size of one message in these tests. */
export const MAX_MESSAGE_BYTES = 256 * 1024
const LONG = 'x'.repeat(MAX_MESSAGE_BYTES)

export const ATTACKS: readonly Attack[] = [
  { reply: 'status 502', script: send({}, 'Bad gateway', 502), error: /HTTP status 502: Bad gateway/ },
  { reply: 'an HTML page', script: send({ 'content-type': 'text/html' }, '<p>'), error: /text\/html/ },
  { reply: 'no content type', script: send({}, ''), error: /no content type/ },
  { reply: 'status 202', script: send({}, '', 202), error: /as if it were a notification/ },
  { reply: 'invalid JSON', script: send(JSON_TYPE, '{"a"'), error: /not valid JSON/ },
  { reply: 'an empty body', script: send(JSON_TYPE, ''), error: /not valid JSON/ },
  { reply: 'a different JSON object', script: send(JSON_TYPE, '{"ok":true}'), error: /malformed/ },
  { reply: 'invalid UTF-8', script: send(JSON_TYPE, Buffer.from([0xff, 0xfe])), error: /not UTF-8/ },
  { reply: 'a page that claims to be a stream', script: send(STREAM, '<p>'), error: ENDED },
  { reply: 'JSON that claims to be a stream', script: ({ message, response }) => send(STREAM, JSON.stringify(answer(message.id)))({ response } as Asked), error: ENDED },
  { reply: 'a stream that claims to be JSON', script: ({ message, response }) => send(JSON_TYPE, `data: ${JSON.stringify(answer(message.id))}\n\n`)({ response } as Asked), error: /not valid JSON/ },
  { reply: 'a body that claims to be compressed', script: send({ ...JSON_TYPE, 'content-encoding': 'gzip' }, '{}'), error: /was cut/ },
  { reply: 'a small body that inflates beyond the limit', script: send({ ...JSON_TYPE, 'content-encoding': 'gzip' }, gzipSync(`"${'x'.repeat(64 * MAX_MESSAGE_BYTES)}"`)), error: TOO_LONG },
  { reply: 'deeply nested JSON', script: send(JSON_TYPE, `{"jsonrpc":"2.0","id":1,"result":${'['.repeat(10_000)}${']'.repeat(10_000)}}`), error: /nested too deeply/ },
  { reply: 'a key that reaches a prototype', script: ({ message, response }) => send(JSON_TYPE, `{"jsonrpc":"2.0","id":${message.id},"result":{"__proto__":{"a":1}}}`)({ response } as Asked), error: /__proto__|not allowed|malformed|unsafe/ },

  { reply: 'the response to another request', script: json(() => answer(99)), error: NONE },
  { reply: 'an error for another request', script: json(() => ({ jsonrpc: '2.0', id: 99, error: { code: 1, message: 'x' } }), 400), error: NONE },
  { reply: 'a batch without the response', script: json(() => []), error: NONE },
  { reply: 'a notification', script: json(() => ({ jsonrpc: '2.0', method: 'notifications/message' })), error: NONE },
  { reply: 'a response with a null id', script: json(() => ({ jsonrpc: '2.0', id: null, result: {} })), error: NONE },
  { reply: 'a response that is also an error', script: json((id) => ({ ...answer(id), error: { code: 1, message: 'x' } })), error: /malformed|no response/ },
  { reply: 'a result that is not an object', script: json((id) => ({ jsonrpc: '2.0', id, result: 5 })), error: /malformed|no response|must be/ },
  { reply: 'an error without a code', script: json((id) => ({ jsonrpc: '2.0', id, error: 'x' })), error: /malformed|no response|needs/ },

  { reply: 'a cut connection', script: ({ response }) => response.destroy(), error: /cannot be reached/ },
  { reply: 'headers without a body', script: cutAfter({ ...JSON_TYPE, 'content-length': '100' }, ''), error: /was cut|cannot be reached/ },
  { reply: 'a part of the body', script: cutAfter({ ...JSON_TYPE, 'content-length': '100' }, '{"jsonrpc"'), error: /was cut/ },
  { reply: 'a stream that ends', script: ({ stream, response }) => (stream(), response.end()), error: ENDED },
  { reply: 'a stream that is cut within an event', script: cutAfter(STREAM, 'data: {'), error: CUT },
  { reply: 'a stream with an id that cannot be resumed', script: ({ method, response }) => (method === 'GET' ? void response.writeHead(400).end() : cutAfter(STREAM, 'id: 1\nretry: 0\ndata:\n\n')({ response } as Asked)), error: /Resuming a stream was answered with HTTP status|within \d+ ms/ },
  { reply: 'an event that is not a message', script: ({ stream }) => stream()('data: hello\n\n'), error: /not valid JSON/ },
  { reply: 'events for other requests only', script: ({ stream, response }) => (stream()(`data: ${JSON.stringify(answer(99))}\n\n`), response.end()), error: ENDED },

  { reply: 'nothing, on an open connection', script: () => {}, error: TIMEOUT },
  { reply: 'a stream without events', script: ({ stream }) => stream()(':\n\n'), error: TIMEOUT },
  { reply: 'an occasional byte', script: ({ response }) => trickle(response), error: TIMEOUT },
  { reply: 'an endless series of events', script: ({ stream, response }) => (stream(), endless(response, `data: ${JSON.stringify({ jsonrpc: '2.0', method: 'notifications/x' })}\n\n`.repeat(50))), error: TIMEOUT },
  { reply: 'an endless body', script: ({ response }) => (response.writeHead(200, JSON_TYPE), endless(response, 'x'.repeat(8_192))), error: TOO_LONG },
  { reply: 'an endless event', script: ({ stream, response }) => (stream(), endless(response, 'data: x\n'.repeat(1_000))), error: TOO_LONG },
  { reply: 'an endless line', script: ({ stream, response }) => (stream()('data: '), endless(response, 'x'.repeat(8_192))), error: TOO_LONG },
  { reply: 'an endless comment', script: ({ stream, response }) => (stream()(':'), endless(response, 'x'.repeat(8_192))), error: TOO_LONG },
  { reply: 'an event beyond the limit', script: ({ stream }) => stream()(`data: "${LONG}"\n\n`), error: TOO_LONG },
  { reply: 'a body beyond the limit', script: json((id) => ({ jsonrpc: '2.0', id, result: { content: [{ type: 'text', text: LONG }] } })), error: TOO_LONG },
  { reply: 'an endless error page', script: ({ response }) => (response.writeHead(500), endless(response, 'x'.repeat(8_192))), error: /HTTP status 500/ },
  { reply: 'endless headers', script: ({ response }) => headers(response), error: /cannot be reached: UND_ERR_HEADERS_OVERFLOW/ },
  { reply: 'a redirect to itself', script: ({ response }) => void response.writeHead(307, { location: '/mcp' }).end(), error: /redirects to another origin, or too often/ },
  { reply: 'a redirect to another origin', script: ({ response }) => void response.writeHead(308, { location: 'http://[::1]:1/' }).end(), error: /redirects to another origin/ },
  { reply: 'a redirect to nowhere', script: ({ response }) => void response.writeHead(307, { location: 'http://[' }).end(), error: /redirects to another origin/ },
] // prettier-ignore

/** Sends one byte every 20 ms. */
function trickle(response: ServerResponse): void {
  response.writeHead(200, JSON_TYPE)
  const timer = setInterval(() => response.write(' '), 20)
  response.once('close', () => clearInterval(timer))
}

function headers({ socket }: ServerResponse): void {
  const write = (): void =>
    void (socket?.destroyed || socket?.write(`x-more: ${'x'.repeat(1_000)}\r\n`, write))
  socket?.write('HTTP/1.1 200 OK\r\n', write)
}
