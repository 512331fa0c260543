import { createHash } from 'node:crypto'

/** A Lua script, which Redis runs without another command in between. */
export interface Script {
  readonly source: string
  /** By which Redis knows a script that it has run before. */
  readonly sha1: string
}

/** Milliseconds on the clock of Redis: those of the nodes may differ. */
const NOW = `local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
`

/** A script that has the time of Redis in ms as `now`. */
export function script(body: string): Script {
  const source = NOW + body.trim()
  return { source, sha1: createHash('sha1').update(source).digest('hex') }
}
