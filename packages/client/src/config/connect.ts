import type { Implementation } from '@jetway/core/protocol'
import { Client } from '../client.ts'
import type { ClientOptions } from '../options.ts'
import { dial } from './dial.ts'
import type { ServerConfig } from './server-config.ts'

/** Options of {@link connect}: those of the client, and who it is. */
export interface ConnectOptions extends ClientOptions {
  /** What the server is told of the host. */
  readonly info: Implementation
  /** Aborting it gives the attempt up, and rejects with its reason. Once connected it means nothing. */
  readonly signal?: AbortSignal
}

/**
 * A client of the server that a configuration names, connected. Where it fails nothing stays open: no process, no socket.
 *
 * @throws TypeError for a configuration that is none; what `Client.connect` throws
 */
export async function connect(config: ServerConfig, options: ConnectOptions): Promise<Client> {
  const { info, signal, ...rest } = options
  return new Client(info, rest).connect(dial(config), signal === undefined ? {} : { signal })
}
