import { ErrorCode, type McpError } from '../../errors.ts'
import { type JsonObject, toErrorObject } from '../jsonrpc.ts'
import { Method, SERVER_INFO } from '../methods.ts'
import { baseRevision } from './base.ts'
import type { RevisionData } from './data.ts'
import { type Envelope, NOT_KEPT, type Revision } from './revision.ts'

/** Creates the behaviour of revisions whose requests have their own metadata, from one revision's data. */
export function modernRevision(data: RevisionData): Revision {
  const base = baseRevision(data)
  return {
    ...base,
    era: 'modern',
    rounds,
    cancelOnDisconnect: true,
    parameterHeaders: true,
    envelope,
    encodeResult: (method, result) => {
      const { _meta } = result
      // The fields of a tool's result are selected individually, which also omits the envelope's fields.
      const content = method === Method.CallTool ? result : withoutEnvelope(method, result)
      if (_meta === undefined) return base.encodeResult(method, content)
      // The result's own metadata comes first, where the envelope looks for it.
      const own = { ...(_meta as JsonObject), [SERVER_INFO]: undefined }
      const rest = base.encodeResult(method, { ...content, _meta: undefined })
      return `{"_meta":${JSON.stringify(own)}${rest === '{}' ? '}' : `,${rest.slice(1)}`}`
    },
    encodeError: (error) => {
      const plain = toErrorObject(error)
      return error.reason === 'missing-capability'
        ? { ...plain, code: ErrorCode.MissingClientCapability }
        : plain
    },
    httpStatus,
  }
}

/**
 * The methods whose results have cache hints. See
 * https://modelcontextprotocol.io/specification/2026-07-28/server/utilities/caching.
 */
const CACHEABLE: ReadonlySet<string> = new Set([
  Method.Discover,
  Method.ListTools,
  Method.ListPrompts,
  Method.ListResources,
  Method.ListResourceTemplates,
  Method.ReadResource,
])
const META = '{"_meta":{'
const COMPLETE = '{"resultType":"complete"'

/** Omits the envelope's fields, which middleware may have added to a result, because a key must not occur twice. */
function withoutEnvelope(method: string, result: JsonObject): JsonObject {
  const { resultType, ttlMs, cacheScope, ...rest } = result
  const hinted = CACHEABLE.has(method) && (ttlMs ?? cacheScope) !== undefined
  if (resultType === undefined && !hinted) return result
  return hinted ? rest : { ...result, resultType: undefined }
}

/**
 * The envelope is added to the result's text, because most results are already serialised, and some are sent to
 * many callers.
 */
const envelope: Envelope = (method, json, server, hints = NOT_KEPT, type) => {
  let head = type === undefined ? COMPLETE : `{"resultType":${JSON.stringify(type)}`
  if (type === undefined && CACHEABLE.has(method))
    head += `,"ttlMs":${hints.ttlMs},"cacheScope":"${hints.cacheScope}"`
  head += `,"_meta":{"${SERVER_INFO}":${server}`
  if (!json.startsWith(META)) return json === '{}' ? `${head}}}` : `${head}},${json.slice(1)}`
  const own = json.slice(META.length)
  return own.startsWith('}') ? head + own : `${head},${own}`
}

/** https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/mrtr#supported-requests */
const rounds: Revision['rounds'] = new Map<string, JsonObject>([
  [Method.CallTool, { content: [] }],
  [Method.GetPrompt, { messages: [] }],
  [Method.ReadResource, { contents: [] }],
])

/** https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http */
function httpStatus({ code, reason }: McpError): number {
  if (reason === 'busy' || reason === 'ended') return 503
  if (reason === 'malformed' || reason === 'missing-capability') return 400
  switch (code) {
    case ErrorCode.MethodNotFound:
      return 404
    case ErrorCode.ParseError:
    case ErrorCode.InvalidRequest:
    case ErrorCode.HeaderMismatch:
    case ErrorCode.MissingClientCapability:
    case ErrorCode.UnsupportedProtocolVersion:
      return 400
    default:
      return 200
  }
}

/** Creates the behaviour that all session revisions share, from one revision's data. */
export const legacyRevision = (data: RevisionData): Revision => ({
  ...baseRevision(data),
  era: 'legacy',
  rounds: undefined,
  cancelOnDisconnect: false,
  parameterHeaders: false,
  envelope: undefined,
  encodeError: (error) => {
    const plain = toErrorObject(error)
    return error.reason === 'resource-not-found' ? { ...plain, code: ErrorCode.ResourceNotFound } : plain
  },
  // In these revisions, errors are ordinary responses. Status 404 would tell the client that its session no longer
  // exists.
  httpStatus: (error) => (error.reason === 'busy' || error.reason === 'ended' ? 503 : 200),
})
