import type { ReceivedCall, SentRequest, ServedCall, ServerNetwork } from '@jetway/core/telemetry'
import type { Attributes } from '@opentelemetry/api'
import type { TelemetryOptions } from './options.ts'

/**
 * The attribute names of the MCP conventions, which are still in development. They are defined here because
 * the conventions' own package uses different names.
 *
 * @see https://github.com/open-telemetry/semantic-conventions-genai/blob/main/docs/gen-ai/mcp.md
 */
export const Name = {
  method: 'mcp.method.name',
  revision: 'mcp.protocol.version',
  session: 'mcp.session.id',
  uri: 'mcp.resource.uri',
  requestId: 'jsonrpc.request.id',
  tool: 'gen_ai.tool.name',
  prompt: 'gen_ai.prompt.name',
  operation: 'gen_ai.operation.name',
  arguments: 'gen_ai.tool.call.arguments',
  result: 'gen_ai.tool.call.result',
  address: 'server.address',
  port: 'server.port',
  transport: 'network.transport',
  protocol: 'network.protocol.name',
  error: 'error.type',
  status: 'rpc.response.status_code',
  resource: 'jetway.resource.name',
  outcome: 'jetway.outcome',
  reference: 'jetway.error.reference',
  queued: 'jetway.queued_ms',
} as const

/** Recorded instead of an unknown method, because a client could invent any number of names. */
const OTHER = '_OTHER'
/** The shortest wait that is recorded, in ms. Shorter waits are normal. */
const NOTABLE_WAIT_MS = 1
const MAX_ID = 64
const MAX_URI = 1_024
const SHORT_SESSION = 10

export const methodOf = ({ known, message }: ReceivedCall): string => (known ? message.method : OTHER)

export function spanNameOf(call: ReceivedCall): string {
  const method = methodOf(call)
  return call.target !== undefined && method !== 'resources/read' ? `${method} ${call.target}` : method
}

/**
 * Returns the attributes that both spans and metrics have. Attributes whose values a peer could invent are
 * excluded.
 */
export function boundedAttributesOf(call: ReceivedCall): Attributes {
  const method = methodOf(call)
  const { target, network, revision } = call
  const attributes: Attributes = { [Name.method]: method }
  if (revision !== undefined) attributes[Name.revision] = revision
  if (method === 'tools/call') {
    attributes[Name.operation] = 'execute_tool'
    if (target !== undefined) attributes[Name.tool] = target
  } else if (method === 'prompts/get' && target !== undefined) attributes[Name.prompt] = target
  if (network === undefined) return attributes
  attributes[Name.transport] = network.transport
  if (network.protocol !== undefined) attributes[Name.protocol] = network.protocol
  return attributes
}

export function networkAttributesOf(network: ServerNetwork | undefined): Attributes {
  if (network === undefined) return {}
  const { transport, protocol, address, port } = network
  return {
    [Name.transport]: transport,
    ...(protocol !== undefined && { [Name.protocol]: protocol }),
    ...(address !== undefined && { [Name.address]: address }),
    ...(port !== undefined && { [Name.port]: port }),
  }
}

/** Returns the attributes of a call's span when it starts. */
export function startAttributesOf(
  call: ReceivedCall,
  bounded: Attributes,
  options: TelemetryOptions,
): Attributes {
  const { message, ctx, target, queuedMs } = call
  return {
    ...bounded,
    ...requestAttributesOf({ id: message.id, sessionId: call.sessionId, params: message.params }, options),
    ...(message.method === 'resources/read' && target !== undefined && { [Name.resource]: target }),
    ...(queuedMs > NOTABLE_WAIT_MS && { [Name.queued]: queuedMs }),
    ...(ctx !== undefined && options.attributes?.(ctx)),
  }
}

type Identity = Pick<SentRequest, 'id' | 'sessionId' | 'params'>

/** Returns the attributes that only spans have, because their values differ in each request. */
export function requestAttributesOf(
  { id, sessionId, params }: Identity,
  options: TelemetryOptions,
): Attributes {
  const uri = params?.['uri']
  const session = sessionIdOf(sessionId, options)
  return {
    ...(id !== undefined && { [Name.requestId]: String(id).slice(0, MAX_ID) }),
    ...(session !== undefined && { [Name.session]: session }),
    ...(options.resourceUri !== false && typeof uri === 'string' && { [Name.uri]: uri.slice(0, MAX_URI) }),
  }
}

/** Shortens the id, because the id of an anonymous session is a secret. */
export function sessionIdOf(
  id: string | undefined,
  { sessionId = 'short' }: TelemetryOptions,
): string | undefined {
  if (id === undefined || sessionId === false) return undefined
  return sessionId === 'full' ? id : id.slice(0, Math.min(SHORT_SESSION, Math.floor(id.length / 3)))
}

/** The error codes for mistakes of the client, which do not count as server errors. */
const CLIENT_ERRORS: ReadonlySet<number> = new Set([-32700, -32600, -32601, -32602, -32002])

export interface Failure {
  readonly type: string
  readonly message?: string
}

/** Returns the type of a failure, or undefined for a success or a client's mistake. */
export function failureOf({ outcome, error }: ServedCall): Failure | undefined {
  if (error !== undefined)
    return CLIENT_ERRORS.has(error.code) ? undefined : { type: `${error.code}`, message: error.message }
  return outcome === 'failed' || outcome === 'timeout' ? { type: 'tool_error' } : undefined
}

/** Returns the attributes for spans and metrics when a call ends. */
export function endAttributesOf(served: ServedCall): Attributes {
  const failure = failureOf(served)
  return {
    ...(failure !== undefined && { [Name.error]: failure.type }),
    ...(served.error !== undefined && { [Name.status]: `${served.error.code}` }),
    ...(served.opened !== undefined && { [Name.revision]: served.opened.revision }),
  }
}
