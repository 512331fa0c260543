import { isObject, type JsonObject } from './jsonrpc.ts'

/**
 * Where a request stands in a distributed trace, as its `_meta` says. What does not follow its format is left out. The
 * object is a carrier as OpenTelemetry's propagators read it: `propagation.extract(context.active(), ctx.trace ?? {})`.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic#meta
 */
export interface TraceContext {
  /** https://www.w3.org/TR/trace-context/#traceparent-header */
  readonly traceparent?: string
  /** 32 hexadecimal digits in lower case. There with `traceparent`. */
  readonly traceId?: string
  /** The caller's span: 16 hexadecimal digits in lower case. There with `traceparent`. */
  readonly parentId?: string
  /** Whether the caller may have recorded the trace. There with `traceparent`. */
  readonly sampled?: boolean
  /** https://www.w3.org/TR/trace-context/#tracestate-header */
  readonly tracestate?: string
  /** https://www.w3.org/TR/baggage/ */
  readonly baggage?: string
}

/** The trace context of a request; undefined where it carries none that could be read. */
export function readTraceContext(params: JsonObject | undefined): TraceContext | undefined {
  const meta = params?.['_meta']
  if (!isObject(meta)) return undefined
  const parent = readParent(meta['traceparent'])
  // Without a parent that can be read nothing is to be made of what it belongs to: https://www.w3.org/TR/trace-context/#a-traceparent-is-received
  const tracestate = parent === undefined ? undefined : readList(meta['tracestate'], TRACESTATE)
  const baggage = readList(meta['baggage'], BAGGAGE)
  if (parent === undefined && baggage === undefined) return undefined
  return {
    ...parent,
    ...(tracestate !== undefined && { tracestate }),
    ...(baggage !== undefined && { baggage }),
  }
}

/** Later versions may be longer, and are read as far as they are known; `ff` is none. */
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

interface ListFormat {
  readonly maxLength: number
  readonly maxMembers: number
  readonly isMember: (member: string) => boolean
  /** Whether a member may be empty, and whether no two may have one key. */
  readonly loose: boolean
  readonly unique: boolean
}

const STATE_MEMBER =
  /^[a-z0-9][a-z0-9_\-*/@]{0,255}=[\x20-\x2b\x2d-\x3c\x3e-\x7e]{0,255}[\x21-\x2b\x2d-\x3c\x3e-\x7e]$/
const TRACESTATE: ListFormat = {
  maxLength: 8192,
  maxMembers: 32,
  isMember: (member) => STATE_MEMBER.test(member),
  loose: true,
  unique: true,
}

const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/
const BAGGAGE_VALUE = /^[\x21\x23-\x2b\x2d-\x3a\x3c-\x5b\x5d-\x7e]*$/
const BAGGAGE: ListFormat = {
  maxLength: 8192,
  maxMembers: 180,
  isMember: isBaggageMember,
  loose: false,
  unique: false,
}

function isBaggageMember(member: string): boolean {
  const [pair = '', ...properties] = member.split(';')
  return pair.includes('=') && isPair(pair) && properties.every(isPair)
}

function isPair(text: string): boolean {
  const at = text.indexOf('=')
  if (at === -1) return TOKEN.test(trim(text))
  return TOKEN.test(trim(text.slice(0, at))) && BAGGAGE_VALUE.test(trim(text.slice(at + 1)))
}

function readList(value: unknown, { maxLength, maxMembers, ...format }: ListFormat): string | undefined {
  if (typeof value !== 'string' || value.length > maxLength) return undefined
  const all = value.split(',').map(trim)
  const members = format.loose ? all.filter((member) => member !== '') : all
  if (members.length === 0 || members.length > maxMembers || !members.every(format.isMember)) return undefined
  const keys = new Set(members.map((member) => member.slice(0, member.indexOf('='))))
  return format.unique && keys.size < members.length ? undefined : value
}

/** Spaces and tabs alone: what else `trim` takes away has no place there. */
function trim(text: string): string {
  let start = 0
  let end = text.length
  while (start < end && isBlank(text[start])) start++
  while (end > start && isBlank(text[end - 1])) end--
  return text.slice(start, end)
}

const isBlank = (char: string | undefined): boolean => char === ' ' || char === '\t'
