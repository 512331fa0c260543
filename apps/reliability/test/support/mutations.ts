import { callTool, initialize, INITIALIZED, ping, request, requestMeta } from '@jetway-apps/test-support'

const MESSAGES = [
  initialize(),
  INITIALIZED,
  ping(),
  callTool('echo', { text: 'Ærø 🛫 "x"', list: [1, -2, 3e2] }, { id: 'a', meta: { progressToken: 7 } }),
  callTool('echo', { text: 'x' }, { meta: requestMeta() }),
  request('tools/list', { cursor: 'dG9vbHM6ZWNobw', _meta: requestMeta() }),
  request('resources/read', { uri: 'file:///a%20b' }),
  request('prompts/get', { name: 'ask', arguments: { about: 'fuzz' } }),
  request('completion/complete', {
    ref: { type: 'ref/prompt', name: 'ask' },
    argument: { name: 'about', value: '' },
  }),
  { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1, reason: 'x' } },
  { jsonrpc: '2.0', id: 1, result: {} },
  { jsonrpc: '2.0', id: 1, error: { code: -32000, message: 'x' } },
].map((message) => Buffer.from(JSON.stringify(message)))

const HEADS = [
  'POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nAccept: application/json, text/event-stream\r\nContent-Type: application/json\r\n',
  'POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nAccept: */*\r\nContent-Type: application/json\r\nMCP-Protocol-Version: 2026-07-28\r\nMcp-Method: tools/call\r\n',
  'POST /message?sessionId=abc HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n',
  'GET /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nAccept: text/event-stream\r\nMcp-Session-Id: abc\r\nLast-Event-ID: 1\r\n',
  'DELETE /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nMcp-Session-Id: abc\r\n',
]

/**
 * Tokens that break parsers: structure, escapes, invalid UTF-8, numbers out of range, and names of prototypes.
 */
const TOKENS = [
  '{', '}', '[', ']', '"', '\\', ',', ':', '\\u0000', '\\ud800', '1e999', '-0', '9007199254740993', 'null',
  '"__proto__":', '"constructor":', '"id":', '\r\n', '\n', '\0', '%00', '%2e%2e/', ' ', '\ufeff',
].map((token) => Buffer.from(token)) // prettier-ignore
TOKENS.push(Buffer.from([0xff]), Buffer.from([0xc3]), Buffer.from([0xed, 0xa0, 0x80]))

type Random = () => number

const pick = <T>(random: Random, items: readonly T[]): T => items[Math.floor(random() * items.length)] as T

/** Returns a valid message to which one to four changes have been made. */
export const mutatedMessage = (random: Random): Buffer => mutate(random, pick(random, MESSAGES))

/** Returns the bytes of an HTTP request with a changed head, body or both. */
export function mutatedRequest(random: Random): Buffer {
  const body = random() < 0.5 ? mutatedMessage(random) : pick(random, MESSAGES)
  const length = random() < 0.9 ? body.length : Math.floor(random() * 10_000)
  const head = Buffer.from(`${pick(random, HEADS)}Content-Length: ${length}\r\n\r\n`)
  return Buffer.concat([random() < 0.5 ? mutate(random, head) : head, body])
}

function mutate(random: Random, original: Buffer): Buffer {
  let bytes = original
  const changes = 1 + Math.floor(random() * 4)
  for (let change = 0; change < changes; change++) bytes = pick(random, CHANGES)(random, bytes)
  return bytes
}

const CHANGES: readonly ((random: Random, bytes: Buffer) => Buffer)[] = [
  (random, bytes) => bytes.subarray(0, Math.floor(random() * bytes.length)),
  (random, bytes) => splice(random, bytes, Buffer.from([Math.floor(random() * 256)]), 1),
  (random, bytes) => splice(random, bytes, pick(random, TOKENS), 0),
  (random, bytes) => splice(random, bytes, pick(random, TOKENS), 1 + Math.floor(random() * 8)),
  (random, bytes) => splice(random, bytes, Buffer.alloc(0), 1 + Math.floor(random() * 16)),
  (random, bytes) => splice(random, bytes, part(random, bytes), 0),
  (random, bytes) => splice(random, bytes, part(random, pick(random, MESSAGES)), 0),
  (random, bytes) => splice(random, bytes, Buffer.from('['.repeat(Math.floor(random() * 300))), 0),
]

function splice(random: Random, bytes: Buffer, insert: Buffer, removed: number): Buffer {
  const at = Math.floor(random() * (bytes.length + 1))
  return Buffer.concat([bytes.subarray(0, at), insert, bytes.subarray(at + removed)])
}

function part(random: Random, bytes: Buffer): Buffer {
  const start = Math.floor(random() * bytes.length)
  return bytes.subarray(start, start + Math.floor(random() * 64))
}
