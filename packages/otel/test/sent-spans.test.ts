import type { SentRequest, SentResponse } from '@jetway/core/telemetry'
import { type Attributes, context, SpanStatusCode, trace, TraceFlags } from '@opentelemetry/api'
import type { ReadableSpan } from '@opentelemetry/sdk-trace-base'
import { describe, expect, it, vi } from 'vitest'
import { telemetry, type TelemetryOptions } from '../src/index.ts'
import { registerSdk } from './support/sdk.ts'

const ID = 'abcdefghijklmnopqrstuvwxyz'
const COMMON = { 'mcp.protocol.version': '2025-11-25', 'jsonrpc.request.id': '7' }
const CALL = {
  ...COMMON,
  'mcp.method.name': 'tools/call',
  'gen_ai.operation.name': 'execute_tool',
  'gen_ai.tool.name': 'tool',
}
const PROMPT = { ...COMMON, 'mcp.method.name': 'prompts/get' }
const prompt = { method: 'prompts/get', params: { name: 'p' } }

const sent = (change: Partial<SentRequest> = {}): SentRequest => ({
  method: 'tools/call',
  params: { name: 'tool' },
  id: 7,
  revision: '2025-11-25',
  sessionId: undefined,
  network: undefined,
  ...change,
})

/** Records a request to the peer, and returns its span. */
function send(
  request: SentRequest,
  response: SentResponse = {},
  options: TelemetryOptions = {},
): ReadableSpan {
  const { spans } = registerSdk()
  telemetry(options).sent(request).end(response)
  const [span] = spans()
  if (span === undefined) throw new Error('no span')
  return span
}

describe('the span of a sent request', () => {
  const LIST = { ...PROMPT, 'mcp.method.name': 'tools/list' }
  it.each<[string, SentRequest, string, Attributes]>([
    ['a tool', sent(), 'tools/call tool', CALL],
    ['no id', sent({ id: undefined }), 'tools/call tool', { ...CALL, 'jsonrpc.request.id': undefined }],
    [
      'no revision',
      sent({ revision: undefined }),
      'tools/call tool',
      { ...CALL, 'mcp.protocol.version': undefined },
    ],
    ['a prompt', sent(prompt), 'prompts/get p', { ...PROMPT, 'gen_ai.prompt.name': 'p' }],
    ['a list', sent({ method: 'tools/list' }), 'tools/list', LIST],
    ['no params', sent({ params: undefined }), 'tools/call', { ...CALL, 'gen_ai.tool.name': undefined }],
    [
      'a name that is a number',
      sent({ params: { name: 1 } }),
      'tools/call',
      { ...CALL, 'gen_ai.tool.name': undefined },
    ],
    [
      'a name of 128 characters',
      sent({ params: { name: 'x'.repeat(128) } }),
      `tools/call ${'x'.repeat(128)}`,
      { ...CALL, 'gen_ai.tool.name': 'x'.repeat(128) },
    ],
    [
      'a name of 129 characters',
      sent({ params: { name: 'x'.repeat(129) } }),
      'tools/call',
      { ...CALL, 'gen_ai.tool.name': undefined },
    ],
    [
      'a method that objects inherit',
      sent({ method: 'toString' }),
      'toString',
      { ...LIST, 'mcp.method.name': 'toString' },
    ],
    [
      'a network',
      sent({ network: { transport: 'tcp', protocol: 'http', address: 'a', port: 1 } }),
      'tools/call tool',
      {
        ...CALL,
        'network.transport': 'tcp',
        'network.protocol.name': 'http',
        'server.address': 'a',
        'server.port': 1,
      },
    ],
    [
      'a network without details',
      sent({ network: { transport: 'pipe' } }),
      'tools/call tool',
      { ...CALL, 'network.transport': 'pipe' },
    ],
  ])('has exactly the expected attributes for %s', (_what, request, name, attributes) => {
    const span = send(request)
    expect(span.name).toBe(name)
    expect(span.attributes).toEqual(attributes)
  })

  it.each<[string, SentRequest, SentResponse, Attributes, object]>([
    ['a result', sent(), { result: {} }, {}, { code: SpanStatusCode.UNSET }],
    ['isError: false', sent(), { result: { isError: false } }, {}, { code: SpanStatusCode.UNSET }],
    [
      'isError',
      sent(),
      { result: { isError: true } },
      { 'error.type': 'tool_error' },
      { code: SpanStatusCode.ERROR },
    ],
    [
      'isError in a result of another method',
      sent(prompt),
      { result: { isError: true } },
      {},
      { code: SpanStatusCode.UNSET },
    ],
    [
      'a failure',
      sent(),
      { failure: { type: 'timeout' } },
      { 'error.type': 'timeout' },
      { code: SpanStatusCode.ERROR },
    ],
    [
      'an error with a message of 257 characters',
      sent(),
      { failure: { type: '-32602', code: -32602, message: 'x'.repeat(257) } },
      { 'error.type': '-32602', 'rpc.response.status_code': '-32602' },
      { code: SpanStatusCode.ERROR, message: 'x'.repeat(256) },
    ],
    [
      'a session',
      sent(),
      { result: {}, opened: { revision: '2025-06-18', sessionId: ID } },
      { 'mcp.protocol.version': '2025-06-18', 'mcp.session.id': 'abcdefgh' },
      { code: SpanStatusCode.UNSET },
    ],
  ])('ends with %s', (_what, request, response, attributes, status) => {
    const span = send(request, response)
    const before = request.method === 'tools/call' ? CALL : { ...PROMPT, 'gen_ai.prompt.name': 'p' }
    expect(span.attributes).toEqual({ ...before, ...attributes })
    expect(span.status).toEqual(status)
  })

  it.each<[string, SentRequest, TelemetryOptions, readonly (string | undefined)[]]>([
    [
      'the arguments and the result of a tool',
      sent(),
      { capture: { arguments: true, results: true } },
      ['{"a":1}', '{"b":2}'],
    ],
    ['its arguments', sent(), { capture: { arguments: true } }, ['{"a":1}', undefined]],
    ['its result', sent(), { capture: { results: true } }, [undefined, '{"b":2}']],
    ['nothing', sent(), {}, [undefined, undefined]],
    [
      'no contents of a prompt',
      sent(prompt),
      { capture: { arguments: true, results: true } },
      [undefined, undefined],
    ],
  ])('can be configured to contain %s', (_what, request, options, texts) => {
    const params = { ...request.params, arguments: { a: 1 } }
    const { attributes } = send({ ...request, params }, { result: { b: 2 } }, options)
    const of = (name: string): unknown => attributes[`gen_ai.tool.call.${name}`]
    expect([of('arguments'), of('result')]).toEqual(texts)
  })

  it("includes the tool's name for at most 500 tools", () => {
    const { spans } = registerSdk()
    const both = telemetry()
    const names = [...Array.from({ length: 500 }, (_, i) => `${i}`), 'new', '0']
    for (const name of names) both.sent(sent({ params: { name } })).end({})
    expect(
      spans()
        .slice(499)
        .map(({ name }) => name),
    ).toEqual(['tools/call 499', 'tools/call', 'tools/call 0'])
  })
})

describe('the trace context of a sent request', () => {
  const traceId = '0af7651916cd43dd8448eb211c80319c'
  const spanId = 'b7ad6b7169203331'
  const within = (traceFlags: number, step: () => void): void => {
    const active = trace.setSpanContext(context.active(), { traceId, spanId, traceFlags })
    context.with(active, step)
  }

  it.each([
    [TraceFlags.SAMPLED, '01'],
    [TraceFlags.NONE, '00'],
    [0xff, '01'],
  ])('encodes the flags %i as %s', (flags, text) => {
    registerSdk()
    const carried = vi.fn<(meta: unknown) => void>()
    within(flags, () => carried(telemetry({ mode: 'propagate' }).sent(sent()).meta))
    expect(carried).toHaveBeenCalledWith({ traceparent: `00-${traceId}-${spanId}-${text}` })
  })

  it.each([
    [
      'with a state',
      { traceparent: 'own', tracestate: 'a=1', other: 1 },
      { traceparent: 'own', tracestate: 'a=1' },
    ],
    ['without a valid state', { traceparent: 'own', tracestate: 1 }, { traceparent: 'own' }],
  ])('is copied from _meta to the headers if the caller has passed a context %s', (_what, meta, headers) => {
    registerSdk()
    const request = sent({ params: { name: 'tool', _meta: meta } })
    expect(telemetry({ headers: true }).sent(request)).toMatchObject({ meta: undefined, headers })
    expect(telemetry().sent(request)).toMatchObject({ meta: undefined, headers: undefined })
  })

  it('is omitted if no span is active', () => {
    registerSdk()
    const { meta, headers } = telemetry({ mode: 'propagate', headers: true }).sent(sent())
    expect([meta, headers]).toEqual([undefined, undefined])
  })
})
