import { Client as ClientV2 } from '@modelcontextprotocol/client'
import { StdioClientTransport as StdioV2 } from '@modelcontextprotocol/client/stdio'
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport as StdioV1 } from '@modelcontextprotocol/sdk/client/stdio.js'
import { z } from 'zod'

type Params = Record<string, unknown>
type Message = Readonly<Record<string, unknown>>

/** A request, with the client's results for the server's requests, keyed by method. */
export interface Step {
  readonly method: string
  readonly params?: Params
  readonly replies?: Readonly<Record<string, Params>>
}

/** Everything that a client sees during a step. The order is preserved within each list. */
export interface Seen {
  readonly answer: unknown
  /** The server's requests. */
  readonly asked: readonly Message[]
  readonly notified: readonly Message[]
}

/** An official client, together with its server process. */
export interface OfficialClient {
  readonly server: { readonly info: unknown; readonly capabilities: unknown; readonly instructions: unknown }
  run(step: Step): Promise<Seen>
  /** Sets the client's replies to the server. */
  reply(replies: Step['replies']): void
  /** Returns the notifications received since the last step began. */
  notified(): readonly Message[]
  notify(method: string): Promise<void>
  close(): Promise<void>
}

export interface Program {
  readonly args: readonly string[]
  readonly capabilities: Params
}

/** Returns the title of a step. */
export const titleOf = ({ method, params, replies }: Step): string =>
  [method, params, replies].map((part) => (typeof part === 'object' ? JSON.stringify(part) : part)).join(' ')

const INFO = { name: 'ports', version: '1.0.0' }
const Anything = z.looseObject({})

export const VERSIONS = ['v1', 'v2'] as const

/** Starts a server, and connects an official client to it over stdio. */
export async function connect(
  version: (typeof VERSIONS)[number],
  { args, capabilities }: Program,
): Promise<OfficialClient> {
  const started = { command: process.execPath, args: [...args], stderr: 'ignore' as const }
  const [client, transport] =
    version === 'v1'
      ? ([new ClientV1(INFO, { capabilities }), new StdioV1(started)] as const)
      : ([new ClientV2(INFO, { capabilities }), new StdioV2(started)] as const)
  let always: Step['replies'] = {}
  let replies: Step['replies'] = {}
  let messages: Message[] = []
  client.fallbackRequestHandler = ({ method }: { readonly method: string }) => {
    const reply = replies?.[method]
    return reply === undefined ? Promise.reject(new Error('No reply')) : Promise.resolve(reply)
  }
  await (client as ClientV1).connect(transport)
  const receive = transport.onmessage?.bind(transport)
  // oxlint-disable-next-line unicorn/prefer-add-event-listener -- the transports of the SDK have no events
  transport.onmessage = (message: object) => {
    messages.push(message as Message)
    receive?.(message as never)
  }
  const notified = () =>
    messages.filter((message) => 'method' in message && !('id' in message)).map(withoutIds)
  return {
    server: {
      info: client.getServerVersion(),
      capabilities: client.getServerCapabilities(),
      instructions: client.getInstructions(),
    },
    async run(step) {
      messages = []
      replies = { ...always, ...step.replies }
      const answer = await send(client as ClientV1, version, step).catch(
        ({ code, message, data }: { code?: unknown; message: string; data?: unknown }) => ({
          error: { code, message, data },
        }),
      )
      return {
        answer,
        asked: messages.filter((message) => 'method' in message && 'id' in message).map(withoutIds),
        notified: notified(),
      }
    },
    reply: (next) => void (always = replies = next),
    notified,
    notify: (method) => (client as ClientV1).notification({ method }),
    close: () => client.close(),
  }
}

/** Removes ids and progress tokens, because they count the requests on a connection. */
function withoutIds({ method, params }: Message): Message {
  const { progressToken: _token, ...rest } = (params ?? {}) as Params
  return { method, params: rest }
}

/** The client's own method for each request. These methods validate the response. */
const OWN = {
  'tools/list': 'listTools',
  'resources/list': 'listResources',
  'resources/templates/list': 'listResourceTemplates',
  'resources/read': 'readResource',
  'resources/subscribe': 'subscribeResource',
  'resources/unsubscribe': 'unsubscribeResource',
  'prompts/list': 'listPrompts',
  'prompts/get': 'getPrompt',
  'completion/complete': 'complete',
} as const

/** Sends a request, using the client's own method if there is one. */
async function send(client: ClientV1, version: string, { method, params = {} }: Step): Promise<unknown> {
  const typed = params as never
  if (Object.hasOwn(OWN, method)) return client[OWN[method as keyof typeof OWN]](typed)
  if (method === 'logging/setLevel') return client.setLoggingLevel(params['level'] as never)
  if (method !== 'tools/call' || 'task' in params) return client.request({ method, params }, Anything)
  const options = { onprogress: () => {} }
  return version === 'v1'
    ? client.callTool(typed, undefined, options)
    : (client as unknown as ClientV2).callTool(typed, options)
}
