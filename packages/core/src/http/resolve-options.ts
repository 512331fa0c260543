import { DEFAULT_PARSE_LIMITS } from '../protocol/parse.ts'
import { check, checkNumbers, withDefaults } from '../util/check-options.ts'
import {
  type EndpointOptions,
  type Filled,
  type KeepAliveOptions,
  type ListenLimits,
  type ResolvedOptions,
  type ResolvedSessionOptions,
  SESSION_DEFAULTS,
} from './options.ts'
import type { EndpointParts } from './parts.ts'

const DEFAULTS: Pick<ResolvedOptions, Filled> = {
  upgradeAfterMs: 2_000,
  response: 'auto',
  bodyLimit: 4_194_304,
  outboundLimit: 1_048_576,
  retryMs: 1_000,
  closeDeadlineMs: 10_000,
}

const LISTEN_DEFAULTS: Required<ListenLimits> = { max: 10_000, maxPerPrincipal: 100 }

const WITHOUT_SESSIONS: ResolvedSessionOptions = {
  stateless: true,
  sessions: SESSION_DEFAULTS,
  seal: undefined,
  legacySse: undefined,
}

const KEEP_ALIVE_DEFAULTS: Required<KeepAliveOptions> = { mode: 'comment', intervalMs: 15_000, maxMissed: 3 }

/**
 * Fills in the defaults and checks every value.
 *
 * @throws `ERR_MCP_OPTION`, naming the option
 */
export function resolveOptions(options: EndpointOptions, { sessions }: EndpointParts): ResolvedOptions {
  const forSessions = sessions?.resolveOptions(options) ?? WITHOUT_SESSIONS
  const filled = withDefaults(DEFAULTS, options)
  const resolved: ResolvedOptions = {
    ...filled,
    ...forSessions,
    parseLimits: withDefaults(DEFAULT_PARSE_LIMITS, options.parseLimits ?? {}),
    listens: withDefaults(LISTEN_DEFAULTS, options.listens ?? {}),
    keepAlive: resolveKeepAlive(options, forSessions.stateless),
  }
  const { response: _, ...numbers } = filled
  checkNumbers('', numbers)
  checkNumbers('parseLimits.', resolved.parseLimits)
  checkNumbers('listens.', resolved.listens)
  check('response', ['auto', 'json', 'sse'].includes(resolved.response), "must be 'auto', 'json' or 'sse'")
  check('authenticate', ['undefined', 'function'].includes(typeof options.authenticate), 'must be a function')
  return resolved
}

function resolveKeepAlive(
  { keepAlive = {} }: EndpointOptions,
  stateless: boolean,
): ResolvedOptions['keepAlive'] {
  if (keepAlive === false) return false
  check('keepAlive', typeof keepAlive === 'object' && keepAlive !== null, 'must be false or an object')
  const resolved = withDefaults(KEEP_ALIVE_DEFAULTS, keepAlive)
  const { mode, ...numbers } = resolved
  check('keepAlive.mode', mode === 'comment' || mode === 'ping', "must be 'comment' or 'ping'")
  check('keepAlive.mode', mode === 'comment' || !stateless, "cannot be 'ping' without sessions")
  checkNumbers('keepAlive.', numbers)
  return resolved
}
