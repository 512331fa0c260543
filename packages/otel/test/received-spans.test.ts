import type { ReceivedCall, ServedCall } from '@jetway/core/telemetry'
import { type Attributes, SpanStatusCode } from '@opentelemetry/api'
import type { ReadableSpan } from '@opentelemetry/sdk-trace-base'
import { describe, expect, it } from 'vitest'
import { type CaptureOptions, telemetry, type TelemetryOptions } from '../src/index.ts'
import { registerSdk } from './support/sdk.ts'

const ID = 'abcdefghijklmnopqrstuvwxyz'
const OK: ServedCall = { outcome: 'ok' }
const CALL = {
  'mcp.method.name': 'tools/call',
  'mcp.protocol.version': '2025-11-25',
  'gen_ai.operation.name': 'execute_tool',
  'gen_ai.tool.name': 'tool',
  'jsonrpc.request.id': '7',
}
const NETWORK = { 'network.transport': 'tcp', 'network.protocol.name': 'http' }

type Message = Partial<ReceivedCall['message']>

const received = (change: Partial<Omit<ReceivedCall, 'message'>> & Message = {}): ReceivedCall => {
  const { id = 7, method = 'tools/call', params = {}, ...call } = change
  return {
    message: { jsonrpc: '2.0', id, method, params },
    trace: undefined,
    ctx: undefined,
    revision: '2025-11-25',
    sessionId: undefined,
    known: true,
    target: 'tool',
    queuedMs: 0,
    network: undefined,
    header: () => undefined,
    ...call,
  }
}

/** Records a received call, and returns its span. */
function receive(call: ReceivedCall, served: ServedCall = OK, options: TelemetryOptions = {}): ReadableSpan {
  const { spans } = registerSdk()
  telemetry(options).received(call).end(served)
  const [span] = spans()
  if (span === undefined) throw new Error('no span')
  return span
}

const prompt = { method: 'prompts/get', params: { name: 'p' } }
const read = { method: 'resources/read', target: 'note', params: { uri: 'note:///1' } }
const PROMPT = {
  'mcp.method.name': 'prompts/get',
  'mcp.protocol.version': '2025-11-25',
  'jsonrpc.request.id': '7',
}
const READ = { ...PROMPT, 'mcp.method.name': 'resources/read', 'mcp.resource.uri': 'note:///1' }

describe('the span of a received call', () => {
  it.each<[string, ReceivedCall, string, Attributes]>([
    ['a tool', received(), 'tools/call tool', CALL],
    [
      'no revision',
      received({ revision: undefined }),
      'tools/call tool',
      { ...CALL, 'mcp.protocol.version': undefined },
    ],
    ['no tool', received({ target: undefined }), 'tools/call', { ...CALL, 'gen_ai.tool.name': undefined }],
    [
      'a prompt',
      received({ ...prompt, target: 'p' }),
      'prompts/get p',
      { ...PROMPT, 'gen_ai.prompt.name': 'p' },
    ],
    ['no prompt', received({ ...prompt, target: undefined }), 'prompts/get', PROMPT],
    ['a resource', received(read), 'resources/read', { ...READ, 'jetway.resource.name': 'note' }],
    ['no resource', received({ ...read, target: undefined }), 'resources/read', READ],
    [
      'an unknown method',
      received({ known: false, method: 'x', target: undefined }),
      '_OTHER',
      { ...PROMPT, 'mcp.method.name': '_OTHER' },
    ],
    [
      'a URI that is not a string',
      received({ ...read, target: undefined, params: { uri: 1 } }),
      'resources/read',
      { ...READ, 'mcp.resource.uri': undefined },
    ],
    [
      'a URI of 1025 characters',
      received({ ...read, target: undefined, params: { uri: 'x'.repeat(1_025) } }),
      'resources/read',
      { ...READ, 'mcp.resource.uri': 'x'.repeat(1_024) },
    ],
    [
      'an id that has 65 characters',
      received({ id: 'x'.repeat(65) }),
      'tools/call tool',
      { ...CALL, 'jsonrpc.request.id': 'x'.repeat(64) },
    ],
    ['a wait of 1 ms', received({ queuedMs: 1 }), 'tools/call tool', CALL],
    ['a longer wait', received({ queuedMs: 1.5 }), 'tools/call tool', { ...CALL, 'jetway.queued_ms': 1.5 }],
    [
      'a network',
      received({ network: { transport: 'tcp', protocol: 'http' } }),
      'tools/call tool',
      { ...CALL, ...NETWORK },
    ],
    [
      'a network without a protocol',
      received({ network: { transport: 'pipe' } }),
      'tools/call tool',
      { ...CALL, 'network.transport': 'pipe' },
    ],
    ['a session', received({ sessionId: ID }), 'tools/call tool', { ...CALL, 'mcp.session.id': 'abcdefgh' }],
    [
      'a long session id',
      received({ sessionId: `${ID}${ID}` }),
      'tools/call tool',
      { ...CALL, 'mcp.session.id': 'abcdefghij' },
    ],
  ])('has exactly the expected attributes for %s', (_what, call, name, attributes) => {
    const span = receive(call)
    expect(span.name).toBe(name)
    expect(span.attributes).toEqual({ ...attributes, 'jetway.outcome': 'ok' })
  })

  it.each<[string, TelemetryOptions, Attributes]>([
    ['no resource URI', { resourceUri: false }, { 'mcp.resource.uri': undefined }],
    ['the full session id', { sessionId: 'full' }, { 'mcp.session.id': ID }],
    ['no session id', { sessionId: false }, { 'mcp.session.id': undefined }],
    ['no further attributes without a context', { attributes: () => ({ more: 1 }) }, {}],
  ])('can be configured to contain %s', (_what, options, change) => {
    const call = received({ ...read, target: undefined, sessionId: ID })
    const all = { ...READ, 'mcp.session.id': 'abcdefgh', 'jetway.outcome': 'ok' }
    expect(receive(call, OK, options).attributes).toEqual({ ...all, ...change })
  })

  it.each<[string, ServedCall, Attributes, object]>([
    ['a result', OK, {}, { code: SpanStatusCode.UNSET }],
    ['isError', { outcome: 'failed' }, { 'error.type': 'tool_error' }, { code: SpanStatusCode.ERROR }],
    ['a time limit', { outcome: 'timeout' }, { 'error.type': 'tool_error' }, { code: SpanStatusCode.ERROR }],
    ['a cancellation', { outcome: 'cancelled' }, {}, { code: SpanStatusCode.UNSET }],
    [
      'a client error',
      { outcome: 'error', error: { code: -32602, message: 'wrong' } },
      { 'rpc.response.status_code': '-32602' },
      { code: SpanStatusCode.UNSET },
    ],
    [
      'an error with a message of 257 characters',
      { outcome: 'error', error: { code: -32603, message: 'x'.repeat(257) } },
      { 'error.type': '-32603', 'rpc.response.status_code': '-32603' },
      { code: SpanStatusCode.ERROR, message: 'x'.repeat(256) },
    ],
    [
      'an error that the client did not see',
      { outcome: 'failed', hidden: { error: new Error('secret'), reference: 'r' } },
      { 'error.type': 'tool_error', 'jetway.error.reference': 'r' },
      { code: SpanStatusCode.ERROR },
    ],
    [
      'a session that it has opened',
      { outcome: 'ok', opened: { revision: '2025-06-18', sessionId: ID } },
      { 'mcp.protocol.version': '2025-06-18', 'mcp.session.id': 'abcdefgh' },
      { code: SpanStatusCode.UNSET },
    ],
  ])('ends with %s', (_what, served, attributes, status) => {
    const span = receive(received(), served)
    expect(span.attributes).toEqual({ ...CALL, 'jetway.outcome': served.outcome, ...attributes })
    expect(span.status).toEqual(status)
    expect(span.events).toEqual([])
  })

  it('records a thrown value that is not an Error as a string if `recordErrors` is true', () => {
    const hidden = { error: { toString: () => 'odd' }, reference: 'r' }
    const { events } = receive(received(), { outcome: 'failed', hidden }, { recordErrors: true })
    expect(events).toMatchObject([{ name: 'exception', attributes: { 'exception.message': 'odd' } }])
  })

  it.each<[string, object | undefined, CaptureOptions, string | undefined]>([
    ['4096 bytes', { a: 'x'.repeat(4_088) }, {}, `{"a":"${'x'.repeat(4_088)}"}`],
    ['4097 bytes', { a: 'x'.repeat(4_089) }, {}, `{"a":"${'x'.repeat(4_089)}"`],
    ['characters of several bytes', { a: 'ééé' }, { maxBytes: 10 }, '{"a":"éé'],
    ['an incomplete last character', { a: 'ééé' }, { maxBytes: 11 }, '{"a":"éé'],
    ['no arguments', undefined, {}, undefined],
  ])("contains a tool's arguments up to a maximum size: %s", (_what, args, limits, text) => {
    const params = args === undefined ? {} : { arguments: args }
    const span = receive(received({ params }), OK, { capture: { arguments: true, ...limits } })
    expect(span.attributes['gen_ai.tool.call.arguments']).toBe(text)
  })

  it.each<[string, ReceivedCall, CaptureOptions, boolean]>([
    ['a tool', received(), { results: true }, true],
    ['a tool without capture', received(), {}, false],
    ['no tool', received({ target: undefined }), { results: true }, false],
    ['a prompt', received({ ...prompt, target: 'p' }), { arguments: true, results: true }, false],
  ])('for %s, contains the result: %s', (_what, call, capture, wanted) => {
    const { spans } = registerSdk()
    const observation = telemetry({ capture }).received(call)
    observation.end({ ...OK, ...(wanted && { result: { content: [] } }) })
    expect(observation.wantsResult).toBe(wanted)
    const recorded = Object.keys(spans()[0]?.attributes ?? {}).filter((name) => name.includes('tool.call'))
    expect(recorded).toEqual(wanted ? ['gen_ai.tool.call.result'] : [])
  })

  it('adds to the duration metric unless the call is cancelled', async () => {
    const { points } = registerSdk()
    const both = telemetry()
    for (const outcome of ['ok', 'cancelled'] as const) both.received(received()).end({ outcome })
    const found = await points()
    const { 'jsonrpc.request.id': _id, ...bounded } = CALL
    expect(found['mcp.server.operation.duration']).toMatchObject([
      { attributes: bounded, value: { count: 1 } },
    ])
    expect(found['jetway.server.cancelled']?.map(({ attributes, value }) => [attributes, value])).toEqual([
      [{ 'mcp.method.name': 'tools/call' }, 1],
    ])
  })
})

describe('the telemetry object', () => {
  it.each<[string, boolean, TelemetryOptions, boolean]>([
    ['without an SDK', false, {}, false],
    ['in mode propagate without an SDK', true, { mode: 'propagate' }, false],
    ['with an SDK', true, {}, true],
    ['with an SDK and metrics: false', true, { metrics: false }, true],
  ])('is active %s: %s', (_what, active, options, registered) => {
    if (registered) registerSdk()
    expect(telemetry(options).active).toBe(active)
  })

  it('creates only spans if `metrics` is false', async () => {
    const { spans, points } = registerSdk()
    telemetry({ metrics: false }).received(received()).end(OK)
    expect(spans()).toHaveLength(1)
    expect(await points()).toEqual({})
  })

  it('records the durations of client sessions', async () => {
    const { points } = registerSdk()
    const session = { revision: '2025-11-25', network: { transport: 'pipe' }, seconds: 2 } as const
    telemetry().sessionClosed({ ...session, failure: undefined })
    telemetry().sessionClosed({ ...session, network: undefined, failure: 'closed' })
    const found = (await points())['mcp.client.session.duration'] ?? []
    expect(found.map(({ attributes }) => attributes)).toEqual([
      { 'mcp.protocol.version': '2025-11-25', 'network.transport': 'pipe' },
      { 'mcp.protocol.version': '2025-11-25', 'error.type': 'closed' },
    ])
  })
})
