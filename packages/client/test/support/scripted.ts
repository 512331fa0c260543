import { FakeClock } from '@jetway-apps/test-support'
import { isObject, type JsonObject, Method, Notification } from '@jetway/core/protocol'
import { createMemoryTransportPair, type TransportClose } from '@jetway/core/transport'
import { type Mock, vi } from 'vitest'
import { Client } from '../../src/client/client.ts'
import type { ClientEvents } from '../../src/client/events.ts'
import type { ClientOptions } from '../../src/options/options.ts'
import type { ClientTransport } from '../../src/transport/client-transport.ts'
import { duplex } from '../../src/transport/duplex.ts'

/** The response to a request: a result, `{ error }`, or undefined for none. */
export type Answer = JsonObject | undefined

export interface Script {
  /**
   * The responses, keyed by method. A function receives the message, and may send other messages through the
   * server.
   */
  readonly [method: string]:
    | Answer
    | ((message: JsonObject, server: ScriptedServer) => Answer | void | Promise<Answer | void>)
}

/** A server whose script determines every message. */
export class ScriptedServer {
  readonly transport: ClientTransport
  /** Everything that the client has sent, in order. */
  readonly heard: JsonObject[] = []
  readonly closed: Promise<TransportClose>
  readonly #say: (text: string) => void
  readonly #end: () => Promise<void>
  #watchers: (() => void)[] = []

  constructor(script: Script, key?: string) {
    const [near, far] = createMemoryTransportPair()
    this.transport = duplex(near, key === undefined ? {} : { key })
    this.#say = (text) => void far.send(text)
    this.#end = () => far.close()
    let close = (_reason: TransportClose): void => {}
    this.closed = new Promise((resolve) => {
      close = resolve
    })
    void far.start({
      message: (text) => void this.#hear(JSON.parse(text) as JsonObject, script),
      malformed: () => {},
      close: (reason) => close(reason),
    })
  }

  /** Sends a message, or a string unchanged. */
  say(value: unknown): void {
    this.#say(typeof value === 'string' ? value : JSON.stringify(value))
  }

  answer(id: unknown, result: JsonObject): void {
    this.say({ jsonrpc: '2.0', id, result })
  }

  notify(method: string, params?: JsonObject): void {
    this.say({ jsonrpc: '2.0', method, ...(params !== undefined && { params }) })
  }

  close(): Promise<void> {
    return this.#end()
  }

  /** Returns the received messages with this method. */
  of(method: string): JsonObject[] {
    return this.heard.filter((message) => message['method'] === method)
  }

  get methods(): unknown[] {
    return this.heard.map(({ method }) => method)
  }

  /** Resolves to the first message that matches, whether it was already received or is still to come. */
  async hears(fits: string | ((message: JsonObject) => boolean)): Promise<JsonObject> {
    const matches = typeof fits === 'string' ? ({ method }: JsonObject) => method === fits : fits
    for (;;) {
      const found = this.heard.find((message) => matches(message))
      if (found !== undefined) return found
      await new Promise<void>((resolve) => this.#watchers.push(resolve))
    }
  }

  async #hear(message: JsonObject, script: Script): Promise<void> {
    this.heard.push(message)
    for (const watcher of this.#watchers.splice(0)) watcher()
    const method = String(message['method'])
    const said = Object.hasOwn(script, method) ? script[method] : undefined
    const answer = typeof said === 'function' ? await said(message, this) : said
    if (!answer || message['id'] === undefined) return
    const { id } = message
    this.say('error' in answer ? { jsonrpc: '2.0', id, ...answer } : { jsonrpc: '2.0', id, result: answer })
  }
}

const CAPABILITIES = {
  tools: { listChanged: true },
  resources: { subscribe: true, listChanged: true },
  prompts: { listChanged: true },
  logging: {},
}
const NOT_FOUND = { error: { code: -32601, message: 'Method not found' } }

/** Returns the handshake of a server with sessions. */
export const sessions = (revision = '2025-11-25'): Script => ({
  [Method.Discover]: NOT_FOUND,
  [Method.Initialize]: {
    protocolVersion: revision,
    capabilities: CAPABILITIES,
    serverInfo: { name: 'scripted', version: '0' },
  },
})

/** Returns the handshake of a server without sessions. */
export const modern = (supportedVersions: readonly string[] = ['2026-07-28']): Script => ({
  [Method.Discover]: { resultType: 'complete', supportedVersions, capabilities: CAPABILITIES },
})

export const INFO = { name: 'test-client', version: '1.0.0' }

/** Creates a scripted server, and a client that is connected to it. */
export async function scripted(
  script: Script,
  options: ClientOptions = {},
): Promise<{ readonly client: Client; readonly server: ScriptedServer }> {
  const server = new ScriptedServer(script)
  const client = await new Client(INFO, options).connect(server.transport)
  if (client.server?.protocolVersion !== '2026-07-28') await server.hears(Notification.Initialized)
  return { client, server }
}

/** Like {@link scripted}, with a clock that only the test advances. */
export async function timed(
  script: Script,
  options: ClientOptions = {},
): Promise<{ readonly client: Client; readonly server: ScriptedServer; readonly clock: FakeClock }> {
  const clock = new FakeClock()
  return { ...(await scripted(script, { ...options, clock })), clock }
}

/** Returns a spy that listens to one of the client's events. */
export function listener<Event extends keyof ClientEvents>(
  client: Client,
  event: Event,
): Mock<(value: ClientEvents[Event]) => void> {
  const spy = vi.fn<(value: ClientEvents[Event]) => void>()
  client.on(event, spy)
  return spy
}

export const metaOf = (message: JsonObject | undefined): JsonObject => {
  const params = message?.['params']
  const meta = isObject(params) ? params['_meta'] : undefined
  return isObject(meta) ? meta : {}
}
