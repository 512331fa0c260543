import { callTool, initialize, ping, settled } from '@jetway-apps/test-support'
import { bearer } from '@jetway/core/http'
import { ALICE, BY_TOKEN, createServer, FakeClock, type Limit, waiting, type Web, web } from './row.ts'

/** Opens sessions, each kept open by a GET stream. Returns the status of the last `initialize`. */
async function opened(client: Web, count: number, headers = {}): Promise<unknown> {
  for (let i = 1; i < count; i++) {
    const session = await client.open(headers)
    await client.send('GET', session)
  }
  return (await client.post(initialize(), headers)).status
}

async function listened(client: Web, count: number, headers = {}): Promise<unknown> {
  let status = 0
  for (let i = 0; i < count; i++)
    status = (await client.modern('subscriptions/listen', { notifications: {} }, headers)).status
  return status
}

/** Returns the media type of the reply to a call that takes `ms`. */
async function replyAfter(ms: number): Promise<unknown> {
  const clock = new FakeClock()
  const client = web(waiting({ clock }), { streams: { upgradeAfterMs: 1_000 } })
  const session = await client.open()
  let type = 'none'
  void client
    .send('POST', session, JSON.stringify(callTool('wait')))
    .then(({ headers }) => (type = String(headers.get('content-type'))))
  await settled()
  await clock.advance(ms)
  return type
}

/** Returns the status of a ping in a session that has been idle for `ms`. */
async function idle(ms: number): Promise<unknown> {
  const clock = new FakeClock()
  const client = web(createServer({ clock }), { sessions: { ttlMs: 8_000 } })
  const session = await client.open()
  await clock.advance(ms)
  return (await client.post(ping(), session)).status
}

/** Returns the length of a session id that contains `bytes` encrypted bytes. */
async function sealedId(bytes: number): Promise<unknown> {
  const client = web(createServer(), { sessions: { seal: { keys: [new Uint8Array(32)] } } })
  const idOf = async (text: string): Promise<number> => {
    const { headers } = await client.post(
      initialize('2025-11-25', { capabilities: { experimental: { a: { text } } } }),
    )
    return headers.get('mcp-session-id')?.length ?? 0
  }
  // The id is base64url, and also contains a nonce and a tag of 28 bytes in total.
  const rest = Math.floor((await idOf('')) * 0.75) - 28
  return idOf('x'.repeat(bytes - rest))
}

const LINE = JSON.stringify(initialize())

export const HTTP: readonly Limit[] = [
  {
    limit: 'limits.bodyBytes',
    most: 1_000,
    use: async (bytes) =>
      (await web(createServer(), { limits: { bodyBytes: 1_000 } }).post(LINE.padEnd(bytes))).status,
    accepted: 200,
    refused: 413,
  },
  {
    limit: 'limits.bodyBytes, as declared',
    most: 1_000,
    use: async (bytes) =>
      (
        await web(createServer(), { limits: { bodyBytes: 1_000 } }).post(LINE.padEnd(1_000), {
          'content-length': String(bytes),
        })
      ).status,
    accepted: 200,
    refused: 413,
  },
  {
    limit: 'limits.bodyBytes, by default',
    most: 4_194_304,
    use: async (bytes) => (await web().post(LINE.padEnd(bytes))).status,
    accepted: 200,
    refused: 413,
  },
  {
    limit: 'sessions.max',
    most: 3,
    use: (count) => opened(web(createServer(), { sessions: { max: 3 } }), count),
    accepted: 200,
    refused: 503,
  },
  {
    limit: 'sessions.maxPerPrincipal',
    most: 3,
    use: (count) =>
      opened(web(createServer(), { ...BY_TOKEN, sessions: { maxPerPrincipal: 3 } }), count, ALICE),
    accepted: 200,
    refused: 503,
  },
  {
    limit: 'sessions.ttlMs, in ms',
    most: 8_000,
    use: idle,
    accepted: 200,
    refused: 404,
  },
  {
    limit: 'limits.subscriptions.max',
    most: 3,
    use: (count) => listened(web(createServer(), { limits: { subscriptions: { max: 3 } } }), count),
    accepted: 200,
    refused: 503,
  },
  {
    limit: 'limits.subscriptions.maxPerPrincipal',
    most: 3,
    use: (count) =>
      listened(
        web(createServer(), { ...BY_TOKEN, limits: { subscriptions: { maxPerPrincipal: 3 } } }),
        count,
        ALICE,
      ),
    accepted: 200,
    refused: 503,
  },
  {
    limit: 'streams.upgradeAfterMs, in ms',
    most: 999,
    use: replyAfter,
    accepted: 'none',
    refused: 'text/event-stream',
  },
  {
    limit: 'characters of the Authorization header that bearer reads',
    most: 16_384,
    use: async (length) => {
      const authenticate = bearer({ verify: () => ({ principal: 'alice' }) })
      const authorization = 'Bearer '.padEnd(length, 'x')
      return (await web(createServer(), { authenticate }).post(initialize(), { authorization })).status
    },
    accepted: 200,
    refused: 401,
  },
  {
    limit: 'bytes in a sealed session id, of 1,024 characters',
    most: 740,
    use: sealedId,
    accepted: 1_024,
    // This is the length of an id without encrypted data.
    refused: 45,
  },
]
