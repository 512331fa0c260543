import { DEFAULT_PARSE_LIMITS } from '../protocol/parse.ts'
import { check, checkNumbers, withDefaults } from '../util/check-options.ts'
import {
  type EndpointOptions,
  type KeepAliveOptions,
  type ResolvedOptions,
  type ResolvedSessionOptions,
  SESSION_DEFAULTS,
  type SubscriptionLimits,
} from './options.ts'
import type { EndpointParts } from './parts.ts'

const LIMITS = {
  bodyBytes: 4_194_304,
  bodyTimeoutMs: 30_000,
  outboundBytes: 1_048_576,
  queuedBytes: 268_435_456,
  closeDeadlineMs: 10_000,
}
const SUBSCRIPTIONS: Required<SubscriptionLimits> = { max: 10_000, maxPerPrincipal: 100 }
const STREAMS = { upgradeAfterMs: 2_000, retryMs: 1_000 }
const WITHOUT_SESSIONS: ResolvedSessionOptions = {
  stateless: true,
  sessions: SESSION_DEFAULTS,
  seal: undefined,
  sessionPrefix: '',
  legacySse: undefined,
}
const KEEP_ALIVE: Required<KeepAliveOptions> = { mode: 'comment', intervalMs: 15_000, maxMissed: 3 }

/**
 * Fills in the defaults and checks every value.
 *
 * @throws `ERR_MCP_OPTION` with the name of the option
 */
export function resolveOptions(options: EndpointOptions, { sessions }: EndpointParts): ResolvedOptions {
  const { response = 'auto', limits: given = {}, streams: stream = {}, authenticate } = options
  const forSessions = sessions?.resolveOptions(options) ?? WITHOUT_SESSIONS
  const limits = withDefaults(LIMITS, given)
  const streams = withDefaults(STREAMS, stream)
  const parseLimits = withDefaults(DEFAULT_PARSE_LIMITS, given.parse ?? {})
  const subscriptions = withDefaults(SUBSCRIPTIONS, given.subscriptions ?? {})
  checkNumbers('limits.', limits)
  checkNumbers('limits.parse.', parseLimits)
  checkNumbers('limits.subscriptions.', subscriptions)
  checkNumbers('streams.', streams)
  check('response', ['auto', 'json', 'sse'].includes(response), "must be 'auto', 'json' or 'sse'")
  check('authenticate', ['undefined', 'function'].includes(typeof authenticate), 'must be a function')
  return {
    ...forSessions,
    ...streams,
    response,
    parseLimits,
    subscriptions,
    bodyLimit: limits.bodyBytes,
    bodyTimeoutMs: limits.bodyTimeoutMs,
    outboundLimit: limits.outboundBytes,
    queuedLimit: limits.queuedBytes,
    closeDeadlineMs: limits.closeDeadlineMs,
    keepAlive: resolveKeepAlive(stream.keepAlive, forSessions.stateless),
  }
}

function resolveKeepAlive(
  given: false | KeepAliveOptions = {},
  stateless: boolean,
): ResolvedOptions['keepAlive'] {
  if (given === false) return false
  check('streams.keepAlive', typeof given === 'object' && given !== null, 'must be false or an object')
  const keepAlive = withDefaults(KEEP_ALIVE, given)
  const { mode, ...numbers } = keepAlive
  check('streams.keepAlive.mode', mode === 'comment' || mode === 'ping', "must be 'comment' or 'ping'")
  check('streams.keepAlive.mode', mode === 'comment' || !stateless, "cannot be 'ping' without sessions")
  checkNumbers('streams.keepAlive.', numbers)
  return keepAlive
}
