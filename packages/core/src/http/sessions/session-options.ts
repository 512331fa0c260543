import { resolveSsePaths } from '../sse-paths.ts'
import { check, checkNumber, checkNumbers, withDefaults } from '../../util/check-options.ts'
import { isolatedRequests } from '../../util/platform.ts'
import {
  type EndpointOptions,
  type ResolvedOptions,
  type ResolvedSessionOptions,
  SESSION_DEFAULTS,
} from '../options.ts'

const SEAL_MAX_AGE_MS = 86_400_000
const PREFIX = /^[\w-]{1,64}$/

/** @throws `ERR_MCP_OPTION` with the name of the option */
export function resolveSessionOptions(options: EndpointOptions): ResolvedSessionOptions {
  const stateless = options.stateless ?? isolatedRequests()
  const sessions = withDefaults(SESSION_DEFAULTS, options.sessions ?? {})
  const seal = resolveSeal(options)
  const legacySse = resolveSsePaths(options.legacySse)
  const { allowDelete, verifyMs, ...numbers } = sessions
  checkNumbers('sessions.', numbers)
  if (verifyMs !== 0) checkNumber('sessions.verifyMs', verifyMs)
  checkNumber('sessions.seal.maxAgeMs', seal?.maxAgeMs ?? SEAL_MAX_AGE_MS)
  check('stateless', typeof stateless === 'boolean', 'must be true or false')
  check(
    'legacySse',
    legacySse === undefined || !stateless,
    options.stateless === undefined
      ? 'needs sessions, which Workers have in Durable Objects alone: there, set stateless to false; elsewhere leave legacySse out'
      : 'needs sessions: it cannot be stateless',
  )
  check('sessions.allowDelete', typeof allowDelete === 'boolean', 'must be true or false')
  return { stateless, sessions, seal, sessionPrefix: resolvePrefix(options), legacySse }
}

/**
 * Returns the `seal` option, which cannot be combined with a store, because a sealed id must not restore a
 * session that the store has deleted.
 */
function resolveSeal({ sessions }: EndpointOptions): ResolvedOptions['seal'] {
  const seal = sessions?.seal
  if (seal === undefined) return undefined
  check('sessions.seal', typeof seal === 'object' && seal !== null, 'must be an object with keys')
  check('sessions.seal', sessions?.store === undefined, 'cannot be used with sessions.store: leave one out')
  return { keys: seal.keys, maxAgeMs: seal.maxAgeMs ?? SEAL_MAX_AGE_MS }
}

function resolvePrefix({ sessions: { prefix, seal } = {} }: EndpointOptions): string {
  if (prefix === undefined) return ''
  check('sessions.prefix', PREFIX.test(prefix), 'must be 1 to 64 letters, digits, - and _')
  check('sessions.prefix', seal === undefined, 'cannot be used with sessions.seal: leave one out')
  return `${prefix}.`
}
