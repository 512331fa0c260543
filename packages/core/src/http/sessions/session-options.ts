import { resolveSsePaths } from '../legacy-sse/routes.ts'
import { check, checkNumber, checkNumbers, withDefaults } from '../../util/check-options.ts'
import { isolatedRequests } from '../../util/platform.ts'
import type { EndpointOptions, ResolvedOptions } from '../options.ts'

/** Whether there are sessions, and what is said of them. */
export type ResolvedSessionOptions = Pick<ResolvedOptions, 'stateless' | 'sessions' | 'seal' | 'legacySse'>

const SESSION_DEFAULTS: ResolvedOptions['sessions'] = {
  ttlMs: 1_800_000,
  uninitializedTtlMs: 60_000,
  max: 10_000,
  maxPerPrincipal: 100,
  allowDelete: true,
}

const SEAL_MAX_AGE_MS = 86_400_000

/** @throws `ERR_MCP_OPTION`, naming the option */
export function resolveSessionOptions(options: EndpointOptions): ResolvedSessionOptions {
  const stateless = options.stateless ?? isolatedRequests()
  const sessions = withDefaults(SESSION_DEFAULTS, options.sessions ?? {})
  const seal = resolveSeal(options)
  const legacySse = resolveSsePaths(options.legacySse)
  const { allowDelete, ...numbers } = sessions
  checkNumbers('sessions.', numbers)
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
  return { stateless, sessions, seal, legacySse }
}

/** A store that was given says which sessions there are: an id must not bring back one that it has deleted. */
function resolveSeal({ sessions, sessionStore }: EndpointOptions): ResolvedOptions['seal'] {
  const seal = sessions?.seal
  if (seal === undefined) return undefined
  check('sessions.seal', typeof seal === 'object' && seal !== null, 'must be an object with keys')
  check('sessions.seal', sessionStore === undefined, 'and sessionStore exclude each other: leave one out')
  return { keys: seal.keys, maxAgeMs: seal.maxAgeMs ?? SEAL_MAX_AGE_MS }
}
