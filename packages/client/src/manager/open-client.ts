import type { Implementation } from '@jetway/core/protocol'
import { Client } from '../client/client.ts'
import type { ServerConfig } from '../config/server-config.ts'
import type { ClientHandlers } from '../options/handlers.ts'
import type { Spawn } from '../stdio/options.ts'
import type { TransportFactory } from '../transport/client-transport.ts'
import type { Approvals } from './approvals.ts'
import type { ResolvedManagerOptions } from './options.ts'
import { Semaphore } from './semaphore.ts'

/**
 * How long a connecting server counts towards the limit, in ms. Otherwise, a few servers that never respond
 * would delay all others.
 */
const MAX_COUNTED_MS = 10_000

/** Connects a limited number of clients at the same time. Processes and other servers have separate limits. */
export class ClientOpener {
  readonly #info: Implementation
  readonly #options: ResolvedManagerOptions
  readonly #handlers: () => ClientHandlers
  readonly #stdio: Semaphore
  readonly #remote: Semaphore

  /** @throws RangeError */
  constructor(info: Implementation, options: ResolvedManagerOptions, handlers: () => ClientHandlers) {
    const { stdio = 2, remote = 5 } = options.maxConnecting ?? {}
    this.#info = info
    this.#options = options
    this.#handlers = handlers
    this.#stdio = new Semaphore(stdio)
    this.#remote = new Semaphore(remote)
  }

  /** Opens a client. After a failure, nothing stays open. @param listen - called before the client connects */
  async open(
    { name, approvals }: { readonly name: string; readonly approvals: Approvals },
    factory: TransportFactory,
    listen: (client: Client) => void,
    signal: AbortSignal,
  ): Promise<Client> {
    const { client: options, clock } = this.#options
    const started = factory.process
    if (started !== undefined) {
      const { command, args = [], cwd } = started
      const env = Object.keys(started.env ?? {})
      const detail = { command, args, ...(cwd !== undefined && { cwd }), ...(env.length > 0 && { env }) }
      await approvals.require({ kind: 'spawn', detail }, 'Starting the process', signal)
    }
    const release = await (started === undefined ? this.#remote : this.#stdio).acquire(signal)
    const counted = clock.setTimeout(release, MAX_COUNTED_MS)
    const handlers = approvals.handlers(this.#handlers)
    const client = new Client(this.#info, { ...options, name, clock, handlers })
    listen(client)
    try {
      return await client.connect(factory, { signal })
    } catch (error) {
      await client.close().catch(() => {})
      throw error
    } finally {
      clock.clearTimeout(counted)
      release()
    }
  }
}

/**
 * Loads the transports only when they are needed, so that a manager can run without Node.js.
 *
 * @param defaults - options for processes whose configuration does not set them
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
