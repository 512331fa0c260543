import { once } from 'node:events'
import { connect } from 'node:net'
import type { RedisServer } from '@jetway-apps/test-support/redis'

/** Matches one command in the output of MONITOR, in lower case. */
const LINE = /^\+[\d.]+ \[\d+ (\S+)\] "(\w+)"(.*)$/
/** Matches the commands of idle nodes: renewing leases and reading messages. */
const CONTROL = /^xread|"jw1:nodes:n:\{/

/** Records the nodes' commands. Commands within scripts do not count, because they need no round trip. */
export class Monitor {
  readonly #redis: RedisServer
  readonly #socket
  #lines: string[] = []
  #rest = ''

  constructor(redis: RedisServer) {
    this.#redis = redis
    this.#socket = connect(redis.port, '127.0.0.1')
    this.#socket.setEncoding('utf8').on('data', (text: string) => {
      const lines = (this.#rest + text).split('\r\n')
      this.#rest = lines.pop() ?? ''
      this.#lines.push(...lines)
    })
  }

  async open(): Promise<this> {
    this.#socket.write('MONITOR\r\n')
    await once(this.#socket, 'data')
    return this
  }

  /** Returns all commands sent during `run`. */
  async all(run: () => unknown): Promise<readonly string[]> {
    await this.#sync('begin')
    this.#lines = []
    await run()
    await this.#sync('end')
    return this.#lines.flatMap((line) => {
      const [, client, name = '', rest = ''] = LINE.exec(line) ?? []
      const own = client === undefined || client === 'lua' || ['echo', 'quit'].includes(name.toLowerCase())
      return own ? [] : [`${name.toLowerCase()}${rest}`]
    })
  }

  /** Returns the commands that clients' requests cause during `run`. */
  async requested(run: () => unknown): Promise<readonly string[]> {
    const all = await this.all(run)
    return all.filter((command) => !CONTROL.test(command))
  }

  close(): void {
    this.#socket.destroy()
  }

  /** Redis prints each command before it sends the reply, and prints all commands in order. */
  async #sync(mark: string): Promise<void> {
    await this.#redis.command('ECHO', mark)
    while (!this.#lines.some((line) => line.includes(`"ECHO" "${mark}"`))) await once(this.#socket, 'data')
  }
}

/** Returns the matching keys that have no expiry. */
export async function keysWithoutExpiry(redis: RedisServer, pattern = '*'): Promise<readonly string[]> {
  const script = `
    local found = {}
    for _, key in ipairs(redis.call('KEYS', ARGV[1])) do
      if redis.call('PTTL', key) < 0 then found[#found + 1] = key end
    end
    return cjson.encode(found)`
  return decode(await redis.command('EVAL', script, '0', pattern))
}

/** Returns all matching keys. */
export async function keys(redis: RedisServer, pattern: string): Promise<readonly string[]> {
  const script = `return cjson.encode(redis.call('KEYS', ARGV[1]))`
  return decode(await redis.command('EVAL', script, '0', pattern))
}

/** Lua encodes an empty list as an object. */
function decode(reply: string): readonly string[] {
  const value = JSON.parse(reply.split('\r\n')[1] ?? '') as string[] | object
  return Array.isArray(value) ? value : []
}
