import { settled } from '@jetway-apps/test-support'
import { describe, expect, it } from 'vitest'
import { McpError, McpServer, result, type ServerEvents } from '../../src/index.ts'
import { toFetch } from '../../src/http/fetch.ts'
import { createHarness, type Harness, initializeMessage } from './support/harness.ts'

type Heard = { [Event in keyof ServerEvents]: ServerEvents[Event][] }

function listening(options: Parameters<typeof createHarness>[0] = {}): Harness & { readonly heard: Heard } {
  const heard: Heard = {
    'session:open': [],
    'session:close': [],
    'roots:change': [],
    request: [],
    reject: [],
    overflow: [],
  }
  const harness = createHarness(options)
  harness.server.on('session:open', (event) => heard['session:open'].push(event))
  harness.server.on('session:close', (event) => heard['session:close'].push(event))
  harness.server.on('request', (event) => heard.request.push(event))
  harness.server.on('reject', (event) => heard.reject.push(event))
  harness.server.on('overflow', (event) => heard.overflow.push(event))
  return { ...harness, heard }
}

describe('server.on', () => {
  it('emits session:open and session:close once per session', async () => {
    const { open, clock, endpoint, heard } = listening()
    const session = await open({ version: '2025-06-18' })
    await clock.advance(500)
    await session.delete()
    await endpoint.close()
    expect(heard['session:open']).toEqual([
      {
        sessionId: session.id,
        session: expect.objectContaining({ id: session.id }) as object,
        principal: '',
        revision: '2025-06-18',
        client: 'test',
        resumed: false,
      },
    ])
    expect(heard['session:close']).toEqual([
      {
        sessionId: session.id,
        principal: '',
        revision: '2025-06-18',
        createdAt: clock.now() - 500,
        durationMs: 500,
        cause: 'ended',
      },
    ])
  })

  it('emits `request` with the outcome and the caller', async () => {
    let finish = (): void => {}
    const setUp = (server: McpServer): void => {
      server.addTool({ name: 'ok', handler: () => 'fine' })
      server.addTool({ name: 'bad', handler: () => result.error('no') })
      server.addTool({ name: 'thrown', handler: () => Promise.reject(new Error('canary')) })
      server.addTool({ name: 'refused', handler: () => { throw new McpError(-1234, 'mine') } }) // prettier-ignore
      server.addTool({ name: 'large', maxResultBytes: 1_024, handler: () => 'x'.repeat(2_000) })
      server.addTool({ name: 'slow', handler: () => new Promise<string>((resolve) => (finish = () => resolve('ok'))) }) // prettier-ignore
    }
    const { open, heard, clock } = listening({ setUp })
    const session = await open()
    for (const name of ['ok', 'bad', 'thrown', 'refused', 'large']) await session.call(name)
    const slow = session.call('slow')
    await settled()
    await clock.advance(250)
    finish()
    await slow
    const cancelled = session.call('slow', {}, { id: 9 })
    await settled()
    await session.post({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 9 } })
    await cancelled
    await session.post({ jsonrpc: '2.0', id: 10, method: 'tools/list' })
    expect(heard.request.map(({ name, outcome, errorCode, durationMs }) => [name, outcome, errorCode, durationMs])) // prettier-ignore
      .toEqual([
        ['ok', 'ok', undefined, 0],
        ['bad', 'failed', undefined, 0],
        ['thrown', 'failed', undefined, 0],
        ['refused', 'error', -1234, 0],
        ['large', 'failed', undefined, 0],
        ['slow', 'ok', undefined, 250],
        ['slow', 'cancelled', undefined, 0],
        [undefined, 'ok', undefined, 0],
      ])
    expect(heard.request[0]).toMatchObject({
      method: 'tools/call',
      sessionId: session.id,
      revision: '2025-06-18',
      auth: undefined,
    })
  })

  it('emits `reject` with the key of the refusal in the status table', async () => {
    const { send, post, heard } = listening()
    await send({ method: 'PUT' })
    await post(initializeMessage(), { origin: 'https://evil.example' })
    await post({ jsonrpc: '2.0', id: 1, method: 'ping' }, { 'mcp-session-id': 'unknown' })
    await post({ ...initializeMessage(), params: {} })
    expect(heard.reject).toEqual([
      { route: 'mcp', status: 405, reason: 'wrongMethod' },
      { route: 'mcp', status: 403, reason: 'forbiddenOrigin' },
      { route: 'mcp', status: 404, reason: 'unknownSession' },
      { route: 'mcp', status: 400, reason: 'initializeRefused' },
    ])
  })

  it('emits `overflow` for streams and calls', async () => {
    const finishers: (() => void)[] = []
    const setUp = (server: McpServer): void => {
      server.addTool({
        name: 'chatty',
        handler: (_args, ctx) => {
          for (let count = 0; count < 20; count++) ctx.log.error('x'.repeat(100))
          return new Promise<string>((resolve) => finishers.push(() => resolve('done')))
        },
      })
    }
    const { open, heard } = listening({
      setUp,
      endpoint: { limits: { outboundBytes: 1_000 }, streams: { eventStore: false } },
      server: { limits: { running: 1, inFlight: 1 } },
    })
    const session = await open()
    const running = session.call('chatty')
    const refused = await session.call('chatty', {}, { id: 3 })
    expect(refused.status).toBe(503)
    for (const finish of finishers) finish()
    await running
    expect(heard.overflow).toContainEqual({
      queue: 'calls',
      action: 'refuse',
      bytes: 0,
      sessionId: session.id,
    })
    const [dropped] = heard.overflow.filter(({ queue }) => queue === 'stream')
    expect(dropped).toMatchObject({ action: 'drop', sessionId: session.id })
    expect(dropped?.bytes).toBeGreaterThan(100)
  })

  it('does not call removed listeners, and calls the remaining listeners if one throws', async () => {
    const { server, open, heard, log } = listening()
    const off = server.on('session:open', () => { throw new Error('canary') }) // prettier-ignore
    server.on('session:open', () => Promise.reject(new Error('canary')))
    await open()
    await settled()
    expect(log.map(({ message }) => message)).toEqual(Array(2).fill('A listener of the server failed'))
    off()
    await open()
    await settled()
    expect(log).toHaveLength(3)
    expect(heard['session:open']).toHaveLength(2)
  })

  it('validates event names, listeners and payload types', () => {
    const { server } = createHarness()
    // @ts-expect-error unknown event
    expect(() => server.on('sessions', () => {})).toThrow(/session:open/)
    // @ts-expect-error no listener
    expect(() => server.on('request')).toThrow(/a function/)
    // @ts-expect-error payload of another event
    server.on('request', ({ sessionID }) => sessionID)
  })
})

describe('ctx.waitUntil', () => {
  const leaving = (work: () => Promise<unknown>) => (server: McpServer) => {
    server.addTool({
      name: 'leave',
      handler: (_args, ctx) => {
        ctx.waitUntil(work())
        return 'answered'
      },
    })
  }

  it('does not delay the response, but makes the mount wait for the work before it closes', async () => {
    let finish = (): void => {}
    const setUp = leaving(() => new Promise<void>((resolve) => (finish = resolve)))
    const { open, endpoint } = createHarness({ setUp })
    const session = await open()
    expect((await session.call('leave')).status).toBe(200)
    let closed = false
    const closing = endpoint.close().then(() => (closed = true))
    await settled()
    expect(closed).toBe(false)
    finish()
    await closing
  })

  it('does not delay closing beyond the deadline', async () => {
    const { open, endpoint, clock } = createHarness({ setUp: leaving(() => new Promise(() => {})) })
    await (await open()).call('leave')
    const closing = endpoint.close({ deadline: 50 })
    await clock.advance(50)
    await closing
  })

  it('logs the error if the work fails', async () => {
    const err = new Error('canary')
    const { open, log } = createHarness({ setUp: leaving(() => Promise.reject(err)) })
    await (await open()).call('leave')
    await settled()
    expect(log).toMatchObject([{ fields: { err }, message: 'Work passed to ctx.waitUntil failed' }])
  })

  it('passes the work to the execution context of a Cloudflare Worker', async () => {
    const server = new McpServer({ name: 'worker', version: '1' })
    leaving(async () => 'left')(server)
    const kept: Promise<unknown>[] = []
    const handler = toFetch(server, { stateless: true })
    const request = new Request('http://localhost/mcp', {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'leave' } }),
    })
    const response = await handler(request, {}, { waitUntil: (work: Promise<unknown>) => kept.push(work) })
    expect(response.status).toBe(200)
    expect(kept).toHaveLength(1)
    await Promise.all(kept)
  })
})
