import { Client as OurClient } from '@jetway/client'
import { http } from '@jetway/client/http'
import { childProcess } from '@jetway/client/stdio'
import {
  Client as ClientV2,
  type ClientOptions,
  StreamableHTTPClientTransport,
} from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport as StdioClientTransportV1 } from '@modelcontextprotocol/sdk/client/stdio.js'
import { StreamableHTTPClientTransport as StreamableHTTPClientTransportV1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js'

/** How to reach a server: at a URL, or by starting a command. */
export type Target = { readonly url: string } | { readonly command: string; readonly args: string[] }

/** A common interface for the clients. */
export interface DevClient {
  echo(text: string): Promise<string>
  /** Calls a tool without arguments. Resolves to the whole result. */
  call(name: string): Promise<object>
  tools(): Promise<readonly string[]>
  /** Resolves at the next notification that the tools have changed. */
  changed(): Promise<void>
  sessionId(): string | undefined
  /** Returns how many responses arrived for requests that already had a response. */
  repeated(): number
  close(): Promise<void>
}

const INFO = { name: 'dev-test', version: '1.0.0' }

export const CLIENTS: Readonly<Record<string, (target: Target) => Promise<DevClient>>> = {
  'official v1': connectV1,
  'official v2, with a session': (target) => connectV2(target, { versionNegotiation: { mode: 'legacy' } }),
  'official v2, without': (target) => connectV2(target, { versionNegotiation: { mode: 'auto' } }),
  'Jetway, with a session': (target) => connectOurs(target, ['2025-06-18']),
  'Jetway, without': (target) => connectOurs(target, ['2026-07-28']),
}

/** Resolves the promises returned by `changed`. */
function changes(): { readonly next: () => Promise<void>; readonly emit: () => void } {
  let waiting: (() => void)[] = []
  return {
    next: (): Promise<void> => new Promise((resolve) => waiting.push(resolve)),
    emit: (): void => {
      for (const resolve of waiting.splice(0)) resolve()
    },
  }
}

interface Answered {
  readonly id?: unknown
  readonly method?: unknown
}

/** Counts additional responses to the same id. */
function countRepeated(transport: OfficialTransport): () => number {
  const seen = new Set<unknown>()
  let repeated = 0
  const deliver = transport.onmessage as (message: Answered, extra: unknown) => void
  const count = (message: Answered, extra: unknown): void => {
    if (message.id !== undefined && message.method === undefined) {
      if (seen.has(message.id)) repeated++
      seen.add(message.id)
    }
    deliver(message, extra)
  }
  Object.assign(transport, { onmessage: count })
  return () => repeated
}

const textOf = (result: object): string => {
  const { content } = result as { readonly content: readonly { readonly text: string }[] }
  return content[0]?.text ?? ''
}

const namesOf = ({ tools }: { readonly tools: readonly { readonly name: string }[] }): readonly string[] =>
  tools.map(({ name }) => name)

interface OfficialClient {
  callTool(params: { readonly name: string; readonly arguments?: Record<string, unknown> }): Promise<object>
  listTools(params?: undefined, options?: object): Promise<{ readonly tools: readonly { name: string }[] }>
  close(): Promise<void>
}

interface OfficialTransport {
  readonly sessionId?: string | undefined
  onmessage?: ((message: never, extra?: never) => void) | undefined
}

async function connectV1(target: Target): Promise<DevClient> {
  const { next, emit } = changes()
  const client = new ClientV1(INFO, { listChanged: listChanged(emit) })
  const transport =
    'url' in target
      ? new StreamableHTTPClientTransportV1(new URL(target.url))
      : new StdioClientTransportV1({ ...target, stderr: 'ignore' })
  await client.connect(transport)
  return official(client, transport, next)
}

async function connectV2(target: Target, options: ClientOptions): Promise<DevClient> {
  const { next, emit } = changes()
  const client = new ClientV2(INFO, { ...options, listChanged: listChanged(emit) })
  const transport =
    'url' in target
      ? new StreamableHTTPClientTransport(new URL(target.url))
      : new StdioClientTransport({ ...target, stderr: 'ignore' })
  await client.connect(transport)
  return official(client, transport, next)
}

const listChanged = (onChanged: () => void) => ({ tools: { autoRefresh: false, debounceMs: 0, onChanged } })

function official(
  client: OfficialClient,
  transport: OfficialTransport,
  changed: () => Promise<void>,
): DevClient {
  return {
    changed,
    repeated: countRepeated(transport),
    echo: async (text) => textOf(await client.callTool({ name: 'echo', arguments: { text } })),
    call: (name) => client.callTool({ name }),
    // Version 2 of the SDK caches lists. Version 1 ignores this option.
    tools: async () => namesOf(await client.listTools(undefined, { cacheMode: 'refresh' })),
    sessionId: () => transport.sessionId,
    close: () => client.close(),
  }
}

async function connectOurs(
  target: Target,
  revisions: readonly ('2025-06-18' | '2026-07-28')[],
): Promise<DevClient> {
  const { next, emit } = changes()
  const client = new OurClient({ name: 'dev-test', version: '1.0.0' }, { revisions })
  client.on('toolsChanged', emit)
  await client.connect(
    'url' in target ? http(target.url) : childProcess({ ...target, inheritEnv: 'all', stderr: 'ignore' }),
  )
  return {
    repeated: () => client.stats().ignored.responses,
    echo: async (text) => textOf(await client.callTool('echo', { text })),
    call: (name) => client.callTool(name),
    tools: async () => namesOf({ tools: await client.listTools() }),
    changed: next,
    sessionId: () => client.session?.id,
    close: () => client.close(),
  }
}
