import { FakeClock, settled } from '@jetway-apps/test-support'
import { type JsonObject, Method } from '@jetway/core/protocol'
import { onTestFinished } from 'vitest'
import { ClientManager, type ClientManagerOptions, type ManagerEvents } from '../../../src/manager/index.ts'
import type { TransportFactory } from '../../../src/transport/client-transport.ts'
import { INFO, type Script, ScriptedServer, sessions } from '../../support/scripted.ts'

/** A factory for transports to scripted servers. It creates one server for each connection. */
export interface ScriptedDial {
  readonly target: TransportFactory
  /** All servers, in the order in which they were created. */
  readonly servers: ScriptedServer[]
  /** The server of the latest connection. */
  readonly server: ScriptedServer
  /** If set, later connections fail with this error. */
  down: Error | undefined
  /** Ends the latest connection, and waits until the client has detected this. */
  lose(): Promise<void>
}

export function scriptedTarget(script: Script = {}): ScriptedDial {
  const servers: ScriptedServer[] = []
  const made: ScriptedDial = {
    servers,
    down: undefined,
    target: () => {
      if (made.down !== undefined) throw made.down
      const server = new ScriptedServer({ ...sessions(), ...script })
      servers.push(server)
      return server.transport
    },
    get server() {
      const latest = servers.at(-1)
      if (latest === undefined) throw new Error('Nothing was dialled')
      return latest
    },
    async lose() {
      await made.server.close()
      await settled()
    },
  }
  return made
}

export const toolNamed = (name: string): JsonObject => ({ name, inputSchema: { type: 'object' } })

/** Returns the script of a server with tools of these names. Each tool returns its own name. */
export const withTools = (...names: string[]): Script => ({
  [Method.Ping]: {},
  [Method.ListTools]: () => ({ tools: names.map(toolNamed) }),
  [Method.CallTool]: ({ params }) => ({
    content: [{ type: 'text', text: String((params as JsonObject)['name']) }],
  }),
})

export interface World {
  readonly manager: ClientManager
  readonly clock: FakeClock
  /** All events. The first member of each is the event's name. */
  readonly events: [keyof ManagerEvents, unknown][]
  readonly named: (event: keyof ManagerEvents) => unknown[]
}

const EVENTS: Record<keyof ManagerEvents, true> = {
  connected: true,
  reconnecting: true,
  reconnected: true,
  reconnectFailed: true,
  serverRemoved: true,
  listChanged: true,
  listFailed: true,
  resourceUpdated: true,
  log: true,
  stderr: true,
  error: true,
}

/** Creates a manager with a manual clock and without jitter. */
export function world(options: ClientManagerOptions = {}): World {
  const clock = new FakeClock()
  const manager = new ClientManager(INFO, { clock, random: () => 0, ...options })
  onTestFinished(() => manager.closeAll())
  const events: World['events'] = []
  for (const event of Object.keys(EVENTS) as (keyof ManagerEvents)[])
    manager.on(event, (value) => void events.push([event, value]))
  const named = (event: keyof ManagerEvents): unknown[] =>
    events.filter(([name]) => name === event).map(([, value]) => value)
  return { manager, clock, events, named }
}

/** Creates a {@link world} whose server `a` has this script. */
export async function connected(
  script?: Script,
  options?: ClientManagerOptions,
): Promise<World & { readonly a: ScriptedDial }> {
  const made = { ...world(options), a: scriptedTarget(script) }
  await made.manager.connect('a', made.a.target)
  return made
}

/** Creates a {@link world} whose servers `a` and `b` have these scripts. */
export async function connectedPair(
  first: Script,
  second: Script,
  options?: ClientManagerOptions,
): Promise<World & { readonly a: ScriptedDial; readonly b: ScriptedDial }> {
  const made = { ...world(options), a: scriptedTarget(first), b: scriptedTarget(second) }
  await made.manager.connectAll({ a: made.a.target, b: made.b.target })
  return made
}

export { settled }
