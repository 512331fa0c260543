import { execPath } from 'node:process'
import { fileURLToPath } from 'node:url'
import { onTestFinished } from 'vitest'
import type { ServerConfig } from '../../../src/config/index.ts'
import { ClientManager, type ClientManagerOptions, type ManagerEvents } from '../../../src/manager/index.ts'
import { runs } from '../../stdio/support/processes.ts'
import { INFO } from '../../support/scripted.ts'

const SERVER = fileURLToPath(new URL('tiny-server.mjs', import.meta.url))
const STOP = { inputMs: 50, signal: 'SIGTERM', signalMs: 50 } as const

export const tiny = (...modes: string[]): ServerConfig => ({
  command: execPath,
  args: [SERVER, ...modes],
  stop: STOP,
})

export interface Host {
  readonly manager: ClientManager
  /** The pids of all processes, read from their stderr. */
  readonly pids: number[]
  readonly events: [keyof ManagerEvents, unknown][]
}

export function host(options: ClientManagerOptions = {}): Host {
  const manager = new ClientManager(INFO, {
    client: { eras: false },
    reconnect: { initialDelayMs: 5 },
    ...options,
  })
  onTestFinished(() => manager.closeAll())
  const pids: number[] = []
  const events: Host['events'] = []
  manager.on('stderr', ({ line }) => void pids.push(Number(/^server (\d+)$/.exec(line)?.[1])))
  for (const event of ['reconnecting', 'reconnected', 'serverRemoved'] as const)
    manager.on(event, (value) => void events.push([event, value]))
  return { manager, pids, events }
}

const KINDS = [['wrapper'], ['wrapper', 'stubborn'], ['wrapper', 'detached', 'stubborn']] as const

/**
 * Connects and closes a server `rounds` times, with four managers at the same time. Resolves to the recorded
 * pids, and to those that are still running.
 */
export async function connectAndClose(
  rounds: number,
): Promise<{ readonly pids: readonly number[]; readonly left: readonly number[] }> {
  let round = 0
  const hosts = Array.from({ length: 4 }, () => host())
  const all = hosts.map(async ({ manager }) => {
    while (round < rounds) {
      const kind = KINDS[round++ % KINDS.length] ?? []
      await manager.connect('a', tiny(...kind))
      if (round % 2 === 0) await manager.close('a')
      else await manager.closeAll()
    }
  })
  await Promise.all(all)
  const pids = hosts.flatMap((each) => each.pids)
  return { pids, left: pids.filter(runs) }
}
