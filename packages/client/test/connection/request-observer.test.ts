import { settled } from '@jetway-apps/test-support'
import { type JsonObject, McpError } from '@jetway/core/protocol'
import type { ClientTelemetry } from '@jetway/core/telemetry'
import { describe, expect, it } from 'vitest'
import { Client } from '../../src/client/client.ts'
import type { ClientOptions } from '../../src/options/options.ts'
import { SessionLostError } from '../../src/errors.ts'
import { Method, Notification } from '../support/dates.ts'
import { FakeTransport } from '../support/fake-transport.ts'
import {
  INFO,
  listener,
  modern,
  type Script,
  scripted,
  ScriptedServer,
  sessions,
  timed,
} from '../support/scripted.ts'

const DONE = { content: [] }
const TRACE = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'

/** Returns telemetry that records its calls. */
function recording(
  given: { readonly active?: boolean; readonly meta?: JsonObject; readonly headers?: object } = {},
) {
  const { active = true, ...adds } = given
  const sent: [string, object][] = []
  const received: [string, object][] = []
  const closed: object[] = []
  const telemetry = {
    active,
    apart: (step) => step(),
    sent: ({ method, ...more }) => {
      const at: [string, object] = [method, more]
      return { ...adds, run: (step) => step(), end: (response) => void sent.push([...at.slice(0, 1), response] as never) }
    },
    received: ({ message, known, trace }) => ({
      wantsResult: true,
      run: (step) => step(),
      end: (served) => void received.push([message.method, { known, trace: trace?.traceparent, ...served }]),
    }),
    sessionClosed: (session) => void closed.push(session),
  } as ClientTelemetry // prettier-ignore
  return { telemetry, sent, received, closed }
}

/** Returns the recorded ends of all tool calls. */
const callsOf = (sent: readonly [string, object][]): object[] =>
  sent.filter(([method]) => method === Method.CallTool).map(([, response]) => response)

describe('telemetry for a sent request', () => {
  it('ends when the result arrives', async () => {
    const { telemetry, sent } = recording()
    const { client } = await scripted({ ...sessions(), [Method.CallTool]: DONE }, { telemetry })
    await client.callTool('x')
    expect(callsOf(sent)).toEqual([{ result: DONE, opened: undefined }])
    const initialize = sent.find(([method]) => method === Method.Initialize)?.[1]
    expect(initialize).toMatchObject({ opened: { revision: '2025-11-25', sessionId: undefined } })
  })

  it.each<[string, Script, object]>([
    [
      "the server's error",
      { [Method.CallTool]: { error: { code: -32000, message: 'No', data: 1 } } },
      { type: '-32000', code: -32000, message: 'No' },
    ],
    ["the client's error", { [Method.CallTool]: (_, server) => server.close() }, { type: 'closed' }],
  ])('ends with %s', async (_, script, failure) => {
    const { telemetry, sent } = recording()
    const { client } = await scripted({ ...sessions(), ...script }, { telemetry })
    await client.callTool('x').catch(() => {})
    expect(callsOf(sent)).toEqual([{ failure }])
  })

  it.each([
    [true, 'cancelled'],
    [false, '_OTHER'],
  ])('ends with a generic error type after any other error (aborted: %j)', async (aborts, type) => {
    const { telemetry, sent } = recording()
    const { client, server } = await scripted(sessions(), { telemetry })
    const controller = new AbortController()
    const { signal } = controller
    const call = client.callTool('x', aborts ? {} : { big: 1n }, { signal }).catch(() => {})
    if (aborts) {
      await server.hears(Method.CallTool)
      controller.abort(new Error('enough'))
    }
    await call
    expect(callsOf(sent)).toEqual([{ failure: { type } }])
  })

  it('adds metadata without replacing existing members', async () => {
    const meta = { traceparent: TRACE, 'com.example/a': 'telemetry' }
    const { telemetry } = recording({ meta })
    const { client, server } = await scripted(
      { ...sessions(), [Method.CallTool]: DONE, example: {} },
      { telemetry },
    )
    await client.callTool('x', {}, { _meta: { 'com.example/a': 'own' } })
    await client.request('example')
    const metas = server.heard.map(({ params }) => (params as JsonObject | undefined)?.['_meta'])
    expect(metas.at(-1)).toEqual(meta)
    expect(metas.at(-2)).toEqual({ traceparent: TRACE, 'com.example/a': 'own' })
  })

  it('adds headers if the request has its own stream', async () => {
    const { telemetry } = recording({ headers: { 'x-trace': 't' } })
    const transport = new FakeTransport(({ method }) =>
      method === Method.Discover ? { result: modern()[Method.Discover] as object } : { result: DONE },
    )
    const client = await new Client(INFO, { telemetry }).connect(transport)
    await client.callTool('x')
    expect(transport.of(Method.CallTool)[0]?.context.headers).toEqual({
      'Mcp-Method': 'tools/call',
      'Mcp-Name': 'x',
      'x-trace': 't',
    })
  })

  it('ends when the server acknowledges a subscription', async () => {
    const { telemetry, sent } = recording()
    const { client, server } = await scripted(
      {
        ...modern(),
        [Method.Listen]: ({ id, params }, own) =>
          own.notify(Notification.Acknowledged, {
            _meta: { 'io.modelcontextprotocol/subscriptionId': id },
            notifications: (params as { notifications: object }).notifications,
          }),
      },
      { telemetry },
    )
    await client.subscribe('note://a')
    server.answer(server.of(Method.Listen)[0]?.['id'], { resultType: 'complete' })
    await settled()
    expect(sent.filter(([method]) => method === Method.Listen)).toEqual([[Method.Listen, {}]])
  })

  it('records nothing while it is disabled', async () => {
    const { telemetry, sent, received } = recording({ active: false })
    const { client, server } = await scripted({ ...sessions(), [Method.CallTool]: DONE }, { telemetry })
    expect(await client.callTool('x')).toEqual(DONE)
    server.say({ jsonrpc: '2.0', id: 'p', method: 'ping' })
    await server.hears(({ id }) => id === 'p')
    expect([sent, received]).toEqual([[], []])
  })
})

describe('telemetry for a request from the server', () => {
  const handlers: ClientOptions['handlers'] = {
    requests: {
      'example/ok': () => ({ done: true }),
      'example/own': () => Promise.reject(new McpError(7, 'Own')),
      'example/other': () => Promise.reject(new Error('secret')),
    },
  }

  it.each([
    ['ping', { known: true, outcome: 'ok', result: {} }],
    ['example/ok', { known: true, outcome: 'ok', result: { done: true } }],
    ['example/own', { known: true, outcome: 'error', error: { code: 7, message: 'Own' } }],
    [
      'example/other',
      { known: true, outcome: 'error', error: { code: -32603, message: 'The client could not answer' } },
    ],
    ['example/none', { known: false, outcome: 'error', error: { code: -32601 } }],
  ])('given %s, records %j', async (method, expected) => {
    const { telemetry, received } = recording()
    const { server } = await scripted(sessions(), { telemetry, handlers })
    server.say({ jsonrpc: '2.0', id: 'q', method, params: { _meta: { traceparent: TRACE } } })
    await server.hears(({ id }) => id === 'q')
    expect(received).toMatchObject([[method, expected]])
  })

  it('records the outcome "cancelled" if the server cancels the request', async () => {
    const { telemetry, received } = recording()
    const { server } = await scripted(sessions(), {
      telemetry,
      handlers: {
        requests: {
          'example/wait': (_, { signal }) =>
            new Promise((_resolve, reject) => {
              signal.addEventListener('abort', () => reject(signal.reason as Error))
            }),
        },
      },
    })
    server.say({ jsonrpc: '2.0', id: 'q', method: 'example/wait' })
    await settled()
    server.notify(Notification.Cancelled, { requestId: 'q' })
    await settled()
    expect(received).toMatchObject([['example/wait', { outcome: 'cancelled' }]])
  })
})

describe('telemetry for a session', () => {
  it.each([
    ['records no failure if the client closes the session', false, undefined],
    ['records a failure if the connection is lost', true, 'closed'],
  ])('%s', async (_, isLost, failure) => {
    const { telemetry, closed } = recording()
    const transport = new FakeTransport(({ method }) => ({ result: sessions()[String(method)] as object }), {
      streamPerRequest: false,
    })
    const client = await new Client(INFO, { telemetry, revisions: ['2025-11-25'] }).connect(transport)
    if (isLost) transport.handlers.close({ kind: 'error', error: new Error('cut') })
    await client.close()
    expect(closed).toEqual([
      { revision: '2025-11-25', network: undefined, seconds: expect.any(Number) as number, failure },
    ])
  })

  it('records the duration in seconds, but only if the server has sessions', async () => {
    const first = recording()
    const { client, clock } = await timed(sessions(), { telemetry: first.telemetry })
    await clock.advance(1_500)
    await client.close()
    expect(first.closed).toMatchObject([{ seconds: 1.5 }])
    const second = recording()
    const other = await scripted(modern(), { telemetry: second.telemetry })
    await other.client.close()
    expect(second.closed).toEqual([])
  })

  it('ends when the server loses the session, and starts again with the next session', async () => {
    const { telemetry, closed } = recording()
    let lost = false
    const transport = new FakeTransport(({ method }) => {
      if (method === Method.Initialize) return { result: sessions()[Method.Initialize] as object }
      if (method === Method.Discover) return { error: { code: -32601, message: 'No' } }
      if (!lost) return { result: DONE }
      lost = false
      return new SessionLostError()
    })
    const client = await new Client(INFO, { telemetry }).connect(transport)
    lost = true
    await client.callTool('x')
    expect(closed).toMatchObject([{ failure: 'session-lost' }])
    await client.close()
    expect(closed).toHaveLength(2)
  })
})

it('telemetry that throws makes the client emit an error event, but does not prevent the request', async () => {
  const cause = new Error('no exporter')
  const { telemetry } = recording()
  const broken = Object.assign(telemetry, {
    sent: () => {
      throw cause
    },
  })
  const client = new Client(INFO, { telemetry: broken })
  const errors = listener(client, 'error')
  await client.connect(new ScriptedServer({ ...sessions(), [Method.CallTool]: DONE }).transport)
  expect(await client.callTool('x')).toEqual(DONE)
  expect(errors.mock.calls[0]?.[0]).toMatchObject({
    message: 'The telemetry failed. The request continues without it',
    cause,
  })
})
