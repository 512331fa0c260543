import { createHash } from 'node:crypto'

/** A Lua script. Redis does not run any other command while a script is running. */
export interface Script {
  readonly source: string
  /** The SHA-1 by which Redis identifies a script that it has already run. */
  readonly sha1: string
}

/** Sets `now` to the time on the Redis clock, in ms, because the clocks of nodes may differ. */
const NOW = `local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
`

/** Creates a script that can use `now`, the time on the Redis clock in ms. */
export function script(body: string): Script {
  const source = NOW + body.trim()
  return { source, sha1: createHash('sha1').update(source).digest('hex') }
}
