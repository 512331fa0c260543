import { check } from '../util/check-options.ts'
import type { HttpReply } from './types.ts'

/** `livez` reports whether the process is running, and `readyz` whether it accepts new work. */
export type Probe = 'livez' | 'readyz'

/** The paths of the probes, relative to the prefix of the MCP path. */
export interface HealthOptions {
  /** The path that always replies with 200. @default '/livez' */
  readonly livez?: string
  /** The path that replies with 200, or with 503 while the mount is closing. @default '/readyz' */
  readonly readyz?: string
}

/** Allows no parameters, wildcards or queries, because frameworks must route the path literally. */
const PATH = /^\/[\w\-./~]*$/

/** @throws `ERR_MCP_OPTION` */
export function probesOf(health: boolean | HealthOptions | undefined): ReadonlyMap<string, Probe> {
  if (health === undefined || health === false) return new Map()
  const { livez = '/livez', readyz = '/readyz' } = health === true ? {} : health
  for (const [name, path] of Object.entries({ livez, readyz })) {
    check(`health.${name}`, typeof path === 'string' && PATH.test(path), `must be a path such as "/${name}"`)
  }
  check('health', livez !== readyz, 'must have different paths')
  return new Map([
    [livez, 'livez'],
    [readyz, 'readyz'],
  ])
}

const HEADERS = Object.freeze({ 'content-type': 'application/json', 'cache-control': 'no-store' })
const ALLOW = Object.freeze({ allow: 'GET, HEAD' })

/** The reply contains nothing but the state, because probes are not authenticated. */
export function answerProbe(method: string, healthy: boolean): HttpReply {
  if (method !== 'GET' && method !== 'HEAD') return { status: 405, headers: ALLOW }
  const head = { status: healthy ? 200 : 503, headers: HEADERS }
  return method === 'HEAD' ? head : { ...head, body: healthy ? '{"status":"ok"}' : '{"status":"draining"}' }
}
