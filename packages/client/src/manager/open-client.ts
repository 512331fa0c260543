import type { Implementation } from '@jetway/core/protocol'
import type { Clock } from '@jetway/core/stores'
import { Client } from '../client/client.ts'
import type { ServerConfig } from '../config/server-config.ts'
import type { ClientHandlers } from '../input/handlers.ts'
import type { Spawn } from '../stdio/options.ts'
import type { TransportFactory } from '../transport/client-transport.ts'
import { processOf } from '../transport/process-dial.ts'
import type { Approvals } from './approvals.ts'
import { type ClientManagerOptions, MANAGER_DEFAULTS } from './options.ts'
import { Semaphore } from './semaphore.ts'

export interface ClientOpenerOptions {
  readonly client: ClientManagerOptions['client']
  readonly maxConnecting: ClientManagerOptions['maxConnecting']
  readonly info: Implementation
  readonly clock: Clock
  readonly handlers: () => ClientHandlers
}

/** Connects clients, a limited number at once. Processes and other servers have separate limits. */
export class ClientOpener {
  readonly #options: ClientOpenerOptions
  readonly #stdio: Semaphore
  readonly #remote: Semaphore

  /** @throws RangeError */
  constructor(options: ClientOpenerOptions) {
    const { stdio = MANAGER_DEFAULTS.stdio, remote = MANAGER_DEFAULTS.remote } = options.maxConnecting ?? {}
    this.#options = options
    this.#stdio = new Semaphore(stdio)
    this.#remote = new Semaphore(remote)
  }

  /** After a failure nothing stays open. */
  async open(
    server: {
      readonly name: string
      readonly factory: TransportFactory
      readonly approvals: Approvals
      /** Called before the client connects. */
      readonly listen: (client: Client) => void
    },
    signal: AbortSignal,
  ): Promise<Client> {
    const { name, factory, approvals } = server
    const { info, client: options, clock, handlers } = this.#options
    const started = processOf(factory)
    if (started !== undefined) {
      const { command, args = [], cwd } = started
      const env = Object.keys(started.env ?? {})
      const detail = { command, args, ...(cwd !== undefined && { cwd }), ...(env.length > 0 && { env }) }
      await approvals.require({ kind: 'spawn', detail }, 'Starting the process', signal)
    }
    const release = await (started === undefined ? this.#remote : this.#stdio).acquire(signal)
    const client = new Client(info, { ...options, name, clock, handlers: approvals.handlers(handlers) })
    server.listen(client)
    try {
      return await client.connect(factory, { signal })
    } catch (error) {
      await client.close().catch(() => {})
      throw error
    } finally {
      release()
    }
  }
}

/**
 * Loads the transports only when they are needed, so that a manager runs without Node.
 *
 * @param defaults - for processes whose configuration does not set them
 * @throws TypeError for an invalid configuration
 */
export async function toTransportFactory(
  target: ServerConfig | TransportFactory,
  defaults: { readonly stderr: (line: string) => void; readonly spawn: Spawn | undefined },
): Promise<TransportFactory> {
  if (typeof target === 'function') return target
  const [{ transportFor }, { isStdio }] = await Promise.all([
    import('../config/connect.ts'),
    import('../config/server-config.ts'),
  ])
  if (!isStdio(target)) return transportFor(target)
  const spawn = target.spawn ?? defaults.spawn
  return transportFor({
    ...target,
    stderr: target.stderr ?? defaults.stderr,
    ...(spawn !== undefined && { spawn }),
  })
}
