import { initialize, INITIALIZED } from '@jetway-apps/test-support'
import type { ConnectionOptions } from '../../src/duplex/connection.ts'
import type { McpServer } from '../../src/server/mcp-server.ts'
import { createMemoryTransportPair } from '../../src/duplex/index.ts'

export interface Message {
  readonly id?: number
  readonly method?: string
  readonly params?: Record<string, unknown>
  readonly result?: Record<string, unknown>
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown }
}

/** Returns the client's response to a question: a result, an error, or undefined for no response. */
export type Script = (question: Message) => object | { readonly error: object } | undefined

export const accept = (content: object): object => ({ action: 'accept', content })

interface Options extends ConnectionOptions {
  readonly version?: string
  readonly capabilities?: object
  readonly answer?: Script
}

/** An in-memory client that answers the server's questions. */
export interface AnsweringClient {
  /** The questions received, in order. */
  readonly asked: Message[]
  readonly notifications: Message[]
  /** Resolves once this many questions have arrived. */
  hasAsked(count: number): Promise<void>
  request(method: string, params?: object): Promise<Message>
  call(name: string, args?: object): Promise<Message>
  notify(method: string, params?: object): void
  /** Sends any message, such as a response to a question that was never asked. */
  send(message: object): void
  close(): Promise<void>
}

export const EVERYTHING = { elicitation: { form: {}, url: {} }, sampling: { tools: {} }, roots: {} }

export async function openAnsweringClient<M, A>(
  server: McpServer<M, A>,
  { version = '2025-11-25', capabilities = EVERYTHING, answer = () => undefined, ...options }: Options = {},
): Promise<AnsweringClient> {
  const [near, far] = createMemoryTransportPair()
  // The cast accepts any server, because the test provides the options that the server's type requires.
  ;(server as McpServer).connect(far, options)
  const waiting = new Map<number, (reply: Message) => void>()
  const asked: Message[] = []
  const notifications: Message[] = []
  const watchers = new Set<() => void>()
  const hasAsked = (count: number): Promise<void> =>
    new Promise((resolve) => {
      const check = (): void => void (asked.length >= count && resolve())
      watchers.add(check)
      check()
    })
  const send = (message: object): void => void near.send(JSON.stringify({ jsonrpc: '2.0', ...message }))
  const take = (message: Message): void => {
    if (message.method === undefined) return waiting.get(message.id ?? 0)?.(message)
    if (message.id === undefined) return void notifications.push(message)
    asked.push(message)
    for (const check of watchers) check()
    const reply = answer(message)
    if (reply !== undefined) send({ id: message.id, ...('error' in reply ? reply : { result: reply }) })
  }
  await near.start({
    message: (text) => take(JSON.parse(text) as Message),
    malformed: () => {},
    close: () => {},
  })
  let id = 0
  const request = (method: string, params: object = {}): Promise<Message> => {
    const reply = new Promise<Message>((resolve) => waiting.set(++id, resolve))
    send({ id, method, params })
    return reply
  }
  await request('initialize', initialize(version, { capabilities }).params)
  send(INITIALIZED)
  return {
    asked,
    notifications,
    hasAsked,
    request,
    call: (name, args = {}) => request('tools/call', { name, arguments: args }),
    notify: (method, params = {}) => send({ method, params }),
    send,
    close: () => near.close(),
  }
}

/** Returns the text of a tool's result. */
export function textOf({ result }: Message): string {
  const content = result?.['content'] as readonly { readonly text: string }[] | undefined
  return content?.[0]?.text ?? ''
}
