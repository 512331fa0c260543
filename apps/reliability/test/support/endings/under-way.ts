import {
  callTool,
  deferred,
  initialize,
  INITIALIZED,
  MODERN,
  request,
  requestMeta,
} from '@jetway-apps/test-support'
import { callFrame } from '@jetway-apps/test-support/http'
import type { Mounted } from '@jetway-apps/test-support/mounts'
import { McpServer } from '@jetway/core'
import { type Bus, MemoryBus } from '@jetway/core/stores'
import { expect } from 'vitest'
import type { Asked, Send } from './wire.ts'

/** A server with a tool that runs until it is released, and the server's open resources. */
export class Target {
  readonly server: McpServer
  readonly #released = deferred()
  #calls = 0
  #listeners = 0

  constructor() {
    const bus = new MemoryBus()
    this.server = new McpServer({ name: 'endings', version: '1.0.0' }, { bus: this.#counting(bus) })
    this.server.addTool({
      name: 'hold',
      inputSchema: { type: 'object' },
      handler: async (args: Record<string, unknown>, ctx) => {
        if (args['reports'] === true) await ctx.progress(1)
        this.#calls++
        await this.#released.promise
        return 'released'
      },
    })
  }

  /** The number of calls that have started. */
  get calls(): number {
    return this.#calls
  }

  /** The number of bus listeners that belong to sessions and subscriptions. */
  get listeners(): number {
    return this.#listeners
  }

  release(): void {
    this.#released.resolve()
  }

  #counting(bus: Bus): Bus {
    return {
      publish: (topic, message) => bus.publish(topic, message),
      subscribe: (topic, listener) => {
        const unsubscribe = bus.subscribe(topic, listener)
        this.#listeners++
        return () => {
          this.#listeners--
          unsubscribe()
        }
      },
    }
  }
}

/** Sends a client's requests to a mount before and after the tested requests. */
export class Client {
  readonly sessions: Readonly<Record<string, string>>[] = []
  readonly #mounted: Mounted
  readonly #send: Send

  constructor(mounted: Mounted, send: Send) {
    this.#mounted = mounted
    this.#send = send
  }

  /** Sends a request on a new connection, and reads the whole reply. */
  async ask(asked: Asked): Promise<string> {
    const sent = await this.#send(this.#mounted.port, [asked])
    await expect.poll(sent.received).toMatch(/"?:status"?:|HTTP\/1\.\d \d+[^]*\r\n\r\n/)
    sent.leave('close')
    await sent.closed
    return sent.received()
  }

  async open(): Promise<Readonly<Record<string, string>>> {
    const head = await this.ask({ method: 'POST', path: '/mcp', body: JSON.stringify(initialize()) })
    const [, id = ''] = /mcp-session-id"?: ?"?([^"\r]+)/.exec(head) ?? []
    expect(id).not.toBe('')
    const session = { 'mcp-session-id': id }
    this.sessions.push(session)
    const body = JSON.stringify(INITIALIZED)
    await this.ask({ method: 'POST', path: '/mcp', headers: session, body })
    return session
  }

  async end(): Promise<void> {
    for (const headers of this.sessions) await this.ask({ method: 'DELETE', path: '/mcp', headers })
  }
}

/** A client's requests that are open when its connection ends. */
export interface UnderWay {
  readonly name: string
  /** Builds the request, in a session if it needs one. */
  readonly asked: (client: Client) => Promise<Asked>
  /** Returns whether the server has begun to process the request. */
  readonly begun: (target: Target, mounted: Mounted) => boolean
  /** Whether a reply arrives once the call is released. */
  readonly replies?: boolean
  /** Whether the request must be the last one on its connection, because only that one can be incomplete. */
  readonly last?: boolean
}

const streaming = (_target: Target, { handle }: Mounted): boolean => handle.stats().openStreams > 0

export const SESSION_STREAM: UnderWay = {
  name: 'the GET stream of a session',
  asked: async (client) => ({ method: 'GET', path: '/mcp', headers: await client.open() }),
  begun: streaming,
}

export const UNDER_WAY: readonly UnderWay[] = [
  {
    name: 'a call',
    asked: async (client) => ({
      method: 'POST',
      path: '/mcp',
      headers: await client.open(),
      body: JSON.stringify(callTool('hold')),
    }),
    begun: ({ calls }) => calls > 0,
    replies: true,
  },
  {
    name: 'a call with its stream',
    asked: async (client) => ({
      method: 'POST',
      path: '/mcp',
      headers: await client.open(),
      body: callFrame('hold', { reports: true }),
    }),
    begun: ({ calls }) => calls > 0,
    replies: true,
  },
  SESSION_STREAM,
  {
    name: 'a subscription of 2026-07-28',
    async asked() {
      const method = 'subscriptions/listen'
      const params = { notifications: { toolsListChanged: true }, _meta: requestMeta() }
      return {
        method: 'POST',
        path: '/mcp',
        headers: { 'mcp-protocol-version': MODERN, 'mcp-method': method },
        body: JSON.stringify(request(method, params)),
      }
    },
    begun: streaming,
  },
  {
    name: 'a connection of HTTP+SSE',
    asked: async () => ({ method: 'GET', path: '/sse' }),
    begun: streaming,
  },
  {
    name: 'a body half sent',
    asked: async (client) => ({
      method: 'POST',
      path: '/mcp',
      headers: await client.open(),
      body: JSON.stringify(callTool('hold')),
      incomplete: true,
    }),
    begun: () => true,
    last: true,
  },
]
