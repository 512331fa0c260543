import { TOKEN, trimHeader } from './header-text.ts'
import { isObject, type JsonObject } from './jsonrpc.ts'

/**
 * A request's context in a distributed trace, read from its `_meta`. Malformed fields are omitted. The object
 * is a carrier for OpenTelemetry's propagators: `propagation.extract(context.active(), ctx.trace ?? {})`.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic#meta
 */
export interface TraceContext {
  /** https://www.w3.org/TR/trace-context/#traceparent-header */
  readonly traceparent?: string
  /** The trace id: 32 hexadecimal digits in lower case. Present if `traceparent` is. */
  readonly traceId?: string
  /** The caller's span id: 16 hexadecimal digits in lower case. Present if `traceparent` is. */
  readonly parentId?: string
  /** Whether the caller may have recorded the trace. Present if `traceparent` is. */
  readonly sampled?: boolean
  /** https://www.w3.org/TR/trace-context/#tracestate-header */
  readonly tracestate?: string
  /** https://www.w3.org/TR/baggage/ */
  readonly baggage?: string
}

/** Returns the trace context of a request, or undefined if it contains no valid members. */
export function readTraceContext(params: JsonObject | undefined): TraceContext | undefined {
  const meta = params?.['_meta']
  if (!isObject(meta)) return undefined
  const parent = readParent(meta['traceparent'])
  // If the parent is missing or invalid, `tracestate` must be ignored. See
  // https://www.w3.org/TR/trace-context/#a-traceparent-is-received.
  const tracestate = parent === undefined ? undefined : readList(meta['tracestate'], isTracestate)
  const baggage = readList(meta['baggage'], isBaggage)
  if (parent === undefined && baggage === undefined) return undefined
  return {
    ...parent,
    ...(tracestate !== undefined && { tracestate }),
    ...(baggage !== undefined && { baggage }),
  }
}

/** In later versions, the value may be longer; only the known part is read. Version `ff` is invalid. */
const TRACEPARENT =
  /^(?!ff)([0-9a-f]{2})-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/
const MAX_TRACEPARENT = 512
const SAMPLED = 0x01

function readParent(
  traceparent: unknown,
): Required<Pick<TraceContext, 'traceparent' | 'traceId' | 'parentId' | 'sampled'>> | undefined {
  if (typeof traceparent !== 'string' || traceparent.length > MAX_TRACEPARENT) return undefined
  const [, version, traceId, parentId, flags, rest] = TRACEPARENT.exec(traceparent) ?? []
  if (traceId === undefined || parentId === undefined) return undefined
  if (version === '00' && rest !== undefined) return undefined
  const sampled = (Number.parseInt(flags ?? '0', 16) & SAMPLED) === SAMPLED
  return { traceparent, traceId, parentId, sampled }
}

const MAX_LIST = 8192
const STATE_MEMBER =
  /^([a-z0-9][a-z0-9_\-*/@]{0,255})=[\x20-\x2b\x2d-\x3c\x3e-\x7e]{0,255}[\x21-\x2b\x2d-\x3c\x3e-\x7e]$/

/** Members may be empty, but no two members may have the same key. */
function isTracestate(members: readonly string[]): boolean {
  const keys = members.filter((member) => member !== '').map((member) => STATE_MEMBER.exec(member)?.[1])
  return (
    keys.length > 0 && keys.length <= 32 && !keys.includes(undefined) && new Set(keys).size === keys.length
  )
}

const BAGGAGE_VALUE = /^[\x21\x23-\x2b\x2d-\x3a\x3c-\x5b\x5d-\x7e]*$/

const isBaggage = (members: readonly string[]): boolean =>
  members.length <= 180 && members.every(isBaggageMember)

function isBaggageMember(member: string): boolean {
  const [pair = '', ...properties] = member.split(';')
  return pair.includes('=') && isPair(pair) && properties.every(isPair)
}

function isPair(text: string): boolean {
  const at = text.indexOf('=')
  if (at === -1) return TOKEN.test(trimHeader(text))
  return TOKEN.test(trimHeader(text.slice(0, at))) && BAGGAGE_VALUE.test(trimHeader(text.slice(at + 1)))
}

function readList(value: unknown, isValid: (members: readonly string[]) => boolean): string | undefined {
  if (typeof value !== 'string' || value.length > MAX_LIST) return undefined
  return isValid(value.split(',').map(trimHeader)) ? value : undefined
}
