import { http, sse } from '../http/http.ts'
import { childProcess } from '../stdio/child-process.ts'
import type { Dial } from '../transport/client-transport.ts'
import { isStdio, type ServerConfig } from './server-config.ts'

/**
 * What to connect to, from how a server is configured. Opens nothing.
 *
 * @throws TypeError for a configuration that is none, or says two things; it tells what to write, and repeats no value
 */
export function dial(config: ServerConfig): Dial {
  if (isStdio(config)) {
    const { transport: _, ...options } = config
    return childProcess(options)
  }
  const { transport, url, ...options } = config
  return transport === 'sse' ? sse(url, options) : http(url, options)
}
