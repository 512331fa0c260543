import { callTool, initialize, ping, settled } from '@jetway-apps/test-support'
import { PassThrough, Readable, Writable } from 'node:stream'
import { serveStdio } from '@jetway/stdio'
import { onTestFinished } from 'vitest'
import { z } from 'zod'
import { createServer, FakeClock, type Limit, list, web } from './row.ts'

/** Returns whether the response still arrives on a stream on which `bytes` bytes are queued. */
async function queued(bytes: number): Promise<unknown> {
  const server = createServer()
  server.addTool({
    name: 'say',
    inputSchema: z.object({ texts: z.array(z.string()) }),
    async handler({ texts }, ctx) {
      ctx.log.info('opens the stream')
      await settled()
      ctx.log.info('more than the adapter reads ahead, so the rest waits'.padEnd(20_000))
      for (const text of texts) ctx.log.info(text)
      await settled()
      return 'done'
    },
  })
  const client = web(server, { limits: { outboundBytes: 2_000 } })
  const session = await client.open()
  const events = async (...texts: string[]): Promise<readonly string[]> => {
    const call = callTool('say', { texts })
    const reply = await client.send('POST', session, JSON.stringify(call))
    await settled()
    return (await reply.text()).split(/(?<=\n\n)/)
  }
  const waiting = (await events('', '')).slice(3, 5).join('').length
  return (await events('', 'x'.repeat(bytes - waiting))).at(-1)?.includes('"result"')
}

/** Returns the status of a ping in a session that has `count` unanswered pings when the next ping is due. */
async function unanswered(count: number): Promise<unknown> {
  const clock = new FakeClock()
  const client = web(createServer({ clock }), {
    streams: { keepAlive: { mode: 'ping', intervalMs: 1_000, maxMissed: 3 } },
  })
  const session = await client.open()
  await client.send('GET', session)
  for (let i = 0; i < count; i++) await clock.advance(1_000)
  return (await client.post(ping(), session)).status
}

/** Returns the status of a ping in a session that has been idle for `ms` before `notifications/initialized`. */
async function uninitialized(ms: number): Promise<unknown> {
  const clock = new FakeClock()
  const client = web(createServer({ clock }), { sessions: { uninitializedTtlMs: 8_000 } })
  const id = (await client.post(initialize())).headers.get('mcp-session-id') ?? ''
  await clock.advance(ms)
  return (await client.post(ping(), { 'mcp-session-id': id, 'mcp-protocol-version': '2025-11-25' })).status
}

/** Returns the status of a ping on a different mount, in a session whose sealed id is `ms` old. */
async function sealed(ms: number): Promise<unknown> {
  const clock = new FakeClock()
  const seal = { keys: [new Uint8Array(32)], maxAgeMs: 8_000 }
  const [here, there] = [1, 2].map(() => web(createServer({ clock }), { sessions: { seal } }))
  const session = await here!.open()
  await clock.advance(ms)
  return (await there!.post(ping(), session)).status
}

/** Returns the status of a request whose body takes `ms`. */
async function slow(ms: number): Promise<unknown> {
  const clock = new FakeClock()
  const client = web(createServer({ clock }), { limits: { bodyTimeoutMs: 1_000 } })
  const body = new PassThrough()
  const reply = client.send('POST', {}, Readable.toWeb(body) as ReadableStream)
  await settled()
  await clock.advance(ms)
  body.end(JSON.stringify(initialize()))
  return (await reply).status
}

/**
 * Sends `count` concurrent requests whose bodies lack one byte, and then completes them. Returns the status
 * of the first.
 */
async function together(count: number): Promise<unknown> {
  const text = JSON.stringify(initialize())
  const client = web(createServer(), { limits: { bodyBytes: text.length } })
  const bodies = list(count, () => new PassThrough())
  const replies = bodies.map((body) => client.send('POST', {}, Readable.toWeb(body) as ReadableStream))
  for (const body of bodies) body.write(text)
  await settled()
  await settled()
  for (const body of bodies) body.end()
  return (await replies[0])?.status
}

/** Returns the status of a call while a previous response of `bytes` bytes has not been read. */
async function unreadReply(bytes: number): Promise<unknown> {
  const server = createServer()
  server.addTool({
    name: 'say',
    inputSchema: z.object({ size: z.number() }),
    async handler({ size }, ctx) {
      ctx.log.info('opens the stream')
      await settled()
      return 'x'.repeat(size)
    },
  })
  const client = web(server, { limits: { queuedBytes: 200_000 }, streams: { eventStore: false } })
  const session = await client.open()
  const say = (size: number): Promise<Response> =>
    client.send('POST', session, JSON.stringify(callTool('say', { size })))
  const rest = (await (await say(0)).text()).split(/(?<=\n\n)/).at(-1)?.length ?? 0
  const waiting = await say(bytes - rest)
  onTestFinished(() => waiting.body?.cancel())
  await settled()
  const next = await client.send('POST', session, JSON.stringify(callTool('say', { size: 0 })))
  await next.text()
  return next.status
}

/**
 * Returns how many of four calls run over stdio while the client reads nothing. The first one exceeds the limit
 * by `over` bytes.
 */
async function unread(over: number): Promise<unknown> {
  const calls = async (maxQueuedBytes: number): Promise<{ calls: number; waiting: number }> => {
    const input = new PassThrough()
    const output = new Writable({ highWaterMark: 1, write: () => {} })
    const server = createServer()
    let called = 0
    server.addTool({ name: 'count', handler: () => String(++called) })
    const handle = await serveStdio(server, { input, output, maxQueuedBytes })
    const say = async (message: object): Promise<void> => {
      input.write(`${JSON.stringify(message)}\n`)
      await settled()
    }
    await say(initialize())
    await say(callTool('count'))
    const waiting = output.writableLength
    for (let i = 0; i < 3; i++) await say(callTool('count'))
    output.destroy()
    await handle.close()
    return { calls: called, waiting }
  }
  const { waiting } = await calls(10_000)
  return (await calls(waiting - over)).calls
}

export const STREAMS: readonly Limit[] = [
  { limit: 'limits.outboundBytes', most: 2_000, use: queued, accepted: true, refused: false },
  { limit: 'half of limits.queuedBytes, for the replies of one caller', most: 100_000, use: unreadReply, accepted: 200, refused: 503 },
  { limit: 'streams.keepAlive.maxMissed', most: 3, use: unanswered, accepted: 200, refused: 404 },
  { limit: 'sessions.uninitializedTtlMs', most: 8_000, use: uninitialized, accepted: 200, refused: 404 },
  { limit: 'sessions.seal.maxAgeMs', most: 7_999, use: sealed, accepted: 200, refused: 404 },
  { limit: 'limits.bodyTimeoutMs', most: 999, use: slow, accepted: 200, refused: 408 },
  { limit: 'bodies of limits.bodyBytes that are read at once', most: 32, use: together, accepted: 200, refused: 503 },
  { limit: 'maxQueuedBytes of stdio', most: 0, use: unread, accepted: 3, refused: 2 },
] // prettier-ignore
