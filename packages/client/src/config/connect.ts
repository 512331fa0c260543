import type { Implementation } from '@jetway/core/protocol'
import { Client } from '../client/client.ts'
import type { ClientOptions } from '../options/options.ts'
import { http, sse } from '../http/http.ts'
import { childProcess } from '../stdio/child-process.ts'
import type { TransportFactory } from '../transport/client-transport.ts'
import { isStdio, type ServerConfig } from './server-config.ts'

/** The options of `connect(config)`: those of the client and those of its transport. */
export interface ConnectOptions extends ClientOptions {
  /** The host's name and version, as sent to the server. */
  readonly info: Implementation
  /** Aborts the attempt. It has no effect on an open connection. */
  readonly signal?: AbortSignal
}

/**
 * Connects to a configured server. No process or connection stays open after a failure.
 * @throws TypeError, and the errors of `Client.connect`
 */
export async function connect(config: ServerConfig, options: ConnectOptions): Promise<Client> {
  const { info, signal, ...rest } = options
  return new Client(info, rest).connect(transportFor(config), signal === undefined ? {} : { signal })
}

/** Returns a target for `Client.connect` without opening it. @throws TypeError for an invalid configuration */
export function transportFor(config: ServerConfig): TransportFactory {
  if (isStdio(config)) {
    const { transport: _, ...options } = config
    return childProcess(options)
  }
  const { transport, url, ...options } = config
  return transport === 'sse' ? sse(url, options) : http(url, options)
}
