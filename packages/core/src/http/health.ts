import { usageError } from '../errors.ts'
import type { HttpReply } from './types.ts'

/** What a probe asks: whether the process serves at all, and whether it wants new work. */
export type Probe = 'livez' | 'readyz'

/** Where probes are answered, beside the MCP path and below the same prefix. */
export interface HealthOptions {
  /** 200 for as long as anything is answered. @default '/livez' */
  readonly livez?: string
  /** 200, and 503 from the first moment of a drain. @default '/readyz' */
  readonly readyz?: string
}

/** A path that a route may have literally: no parameters, no wildcards, no query. */
const PATH = /^\/[\w\-./~]*$/

/**
 * The addresses of the probes. None by default.
 *
 * @throws `ERR_MCP_OPTION`
 */
export function probesOf(health: boolean | HealthOptions | undefined): ReadonlyMap<string, Probe> {
  if (health === undefined || health === false) return new Map()
  const { livez = '/livez', readyz = '/readyz' } = health === true ? {} : health
  for (const [name, path] of Object.entries({ livez, readyz })) {
    if (typeof path !== 'string' || !PATH.test(path))
      throw usageError('ERR_MCP_OPTION', `health.${name} must be a path such as "/${name}"`)
  }
  if (livez === readyz) throw usageError('ERR_MCP_OPTION', 'health.livez and health.readyz must differ')
  return new Map([
    [livez, 'livez'],
    [readyz, 'readyz'],
  ])
}

const HEADERS = Object.freeze({ 'content-type': 'application/json', 'cache-control': 'no-store' })
const ALLOW = Object.freeze({ allow: 'GET, HEAD' })

/** Says one word. Anybody may ask, so nothing here depends on who does. */
export function answerProbe(method: string, healthy: boolean): HttpReply {
  if (method !== 'GET' && method !== 'HEAD') return { status: 405, headers: ALLOW }
  const head = { status: healthy ? 200 : 503, headers: HEADERS }
  return method === 'HEAD' ? head : { ...head, body: healthy ? '{"status":"ok"}' : '{"status":"draining"}' }
}
