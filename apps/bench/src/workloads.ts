import { deepStrictEqual, ok } from 'node:assert/strict'
import { INITIALIZE, type Message, message, STANDING_VERSION } from './load/requests.ts'

/** The requests that are sent to every server, and the checks of their responses. */
export interface Workload {
  readonly name: string
  readonly title: string
  /** The key of the prepared response. */
  readonly answer: string
  readonly message: Message
  /** The headers of a request without a session. */
  readonly headers?: Readonly<Record<string, string>>
  /** Throws if the result is invalid. */
  verify(result: Record<string, unknown>): void
}

interface ToolCall {
  readonly name: string
  readonly arguments: object
}

const ADD: ToolCall = { name: 'add', arguments: { a: 2, b: 3 } }
const WEATHER: ToolCall = { name: 'weather', arguments: { city: 'Paris', days: 3 } }

export const TEXT: Workload = {
  name: 'text',
  title: 'tools/call, text',
  answer: 'add',
  message: message('tools/call', ADD),
  verify: ({ content, isError }) => {
    deepStrictEqual(content, [{ type: 'text', text: '5' }])
    ok(isError !== true)
  },
}

const PARIS = {
  city: 'Paris',
  days: 3,
  temperature: 21.5,
  conditions: 'Partly cloudy',
  wind: { speed: 12, direction: 'NW' },
}

export const STRUCTURED: Workload = {
  name: 'structured',
  title: 'tools/call, with an outputSchema',
  answer: 'weather',
  message: message('tools/call', WEATHER),
  verify: ({ content, structuredContent }) => {
    deepStrictEqual(structuredContent, PARIS)
    deepStrictEqual(content, [{ type: 'text', text: JSON.stringify(PARIS) }])
  },
}

/**
 * The same call in revision 2026-07-28, where each request carries its own metadata.
 *
 * @see
 * https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http#request-metadata
 */
function standing(workload: Workload, call: ToolCall): Workload {
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': STANDING_VERSION,
    'io.modelcontextprotocol/clientCapabilities': {},
    'io.modelcontextprotocol/clientInfo': { name: 'bench', version: '1.0.0' },
  }
  return {
    ...workload,
    message: message('tools/call', { ...call, _meta }),
    headers: { 'mcp-protocol-version': STANDING_VERSION, 'mcp-method': 'tools/call', 'mcp-name': call.name },
    verify: (result) => {
      workload.verify(result)
      deepStrictEqual(result['resultType'], 'complete')
    },
  }
}

/** The calls without a session. */
export const MODERN: readonly Workload[] = [standing(TEXT, ADD), standing(STRUCTURED, WEATHER)]

export const LIST: Workload = {
  name: 'list',
  title: 'tools/list, 102 tools',
  answer: 'tools/list',
  message: message('tools/list', {}),
  verify: ({ tools }) => {
    const listed = tools as { name: string; inputSchema: { properties: object } }[]
    deepStrictEqual(listed.length, 102)
    deepStrictEqual(
      listed.slice(0, 2).map(({ name }) => name),
      ['add', 'weather'],
    )
    deepStrictEqual(Object.keys(listed[101]?.inputSchema.properties ?? {}).length, 6)
  },
}

/** The requests to tools whose names begin with `bench_`. */
export const PREFIXED: readonly Workload[] = [
  { ...TEXT, message: message('tools/call', { ...ADD, name: 'bench_add' }) },
  { ...LIST, verify: ({ tools }) => deepStrictEqual((tools as object[]).length, 102) },
]

export const CREATE: Workload = {
  name: 'create',
  title: 'initialize: a session is created',
  answer: 'initialize',
  message: INITIALIZE,
  verify: ({ serverInfo, capabilities }) => {
    deepStrictEqual(serverInfo, { name: 'bench', version: '1.0.0' })
    ok(Object.hasOwn(capabilities as object, 'tools'))
  },
}

/**
 * Returns the result of a response, as JSON or as the last event of a stream. Throws if it is the response to
 * another request.
 */
export function resultOf(text: string, id: number): Record<string, unknown> {
  const [, data = text] = /\ndata: (.+)\n\n$/.exec(`\n${text}`) ?? []
  const answer = JSON.parse(data) as { jsonrpc?: unknown; id?: unknown; result?: Record<string, unknown> }
  deepStrictEqual(answer.jsonrpc, '2.0')
  deepStrictEqual(answer.id, id)
  ok(answer.result, `No result: ${text.slice(0, 300)}`)
  return answer.result
}
