import type { Implementation } from '@jetway/core/protocol'
import type { Clock } from '@jetway/core/stores'
import { Client } from '../client.ts'
import type { ServerConfig } from '../config/server-config.ts'
import type { ClientHandlers } from '../features/questions.ts'
import type { Dial } from '../transport/client-transport.ts'
import type { Spawn } from '../stdio/options.ts'
import { processOf } from '../transport/spawned.ts'
import type { Approvals } from './approvals.ts'
import { type ClientManagerOptions, MANAGER_DEFAULTS } from './options.ts'
import { Slots } from './slots.ts'

export interface ConnectionsOptions {
  readonly info: Implementation
  readonly client: ClientManagerOptions['client']
  readonly connecting: ClientManagerOptions['connecting']
  readonly clock: Clock
  readonly handlers: () => ClientHandlers
}

/** What one connection is opened with. */
export interface Opening {
  readonly name: string
  readonly dial: Dial
  readonly approvals: Approvals
  /** Hears the client before it is connected. */
  readonly listen: (client: Client) => void
}

/** Opens connections, so many at a time: processes in one line, all others in another. */
export class Connections {
  readonly #options: ConnectionsOptions
  readonly #stdio: Slots
  readonly #remote: Slots

  /** @throws RangeError */
  constructor(options: ConnectionsOptions) {
    const { stdio = MANAGER_DEFAULTS.stdio, remote = MANAGER_DEFAULTS.remote } = options.connecting ?? {}
    this.#options = options
    this.#stdio = new Slots(stdio)
    this.#remote = new Slots(remote)
  }

  /** Where it fails, or the signal aborts, nothing stays open. */
  async open({ name, dial, approvals, listen }: Opening, signal: AbortSignal): Promise<Client> {
    const started = processOf(dial)
    if (started !== undefined) {
      const { command, args = [], cwd } = started
      const env = Object.keys(started.env ?? {})
      const detail = { command, args, ...(cwd !== undefined && { cwd }), ...(env.length > 0 && { env }) }
      await approvals.need({ kind: 'spawn', detail }, 'Starting the process', signal)
    }
    const leave = await (started === undefined ? this.#remote : this.#stdio).take(signal)
    const client = this.#client(name, approvals)
    listen(client)
    try {
      return await client.connect(dial, { signal })
    } catch (error) {
      await client.close().catch(() => {})
      throw error
    } finally {
      leave()
    }
  }

  #client(name: string, approvals: Approvals): Client {
    const { info, client, clock, handlers } = this.#options
    return new Client(info, { ...client, name, clock, handlers: approvals.handlers(handlers) })
  }
}

/** For processes whose configuration does not say. */
export interface ProcessDefaults {
  readonly stderr: (line: string) => void
  readonly spawn: Spawn | undefined
}

/**
 * What there is to connect to, from what a host says. What speaks to processes and over HTTP is loaded only when it is
 * used.
 *
 * @throws TypeError for a configuration that is none
 */
export async function dialOf(target: ServerConfig | Dial, { stderr, spawn }: ProcessDefaults): Promise<Dial> {
  if (typeof target === 'function') return target
  const [{ dial }, { isStdio }] = await Promise.all([
    import('../config/dial.ts'),
    import('../config/server-config.ts'),
  ])
  if (!isStdio(target)) return dial(target)
  const starts = target.spawn ?? spawn
  return dial({
    ...target,
    stderr: target.stderr ?? stderr,
    ...(starts !== undefined && { spawn: starts }),
  })
}
