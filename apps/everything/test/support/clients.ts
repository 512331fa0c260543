import {
  Client,
  type ClientOptions,
  type McpSubscription,
  StreamableHTTPClientTransport,
} from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js'
import { SSEClientTransport as SseClientTransportV1 } from '@modelcontextprotocol/sdk/client/sse.js'
import { StdioClientTransport as StdioClientTransportV1 } from '@modelcontextprotocol/sdk/client/stdio.js'
import { StreamableHTTPClientTransport as StreamableHTTPClientTransportV1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { z } from 'zod'
import { Inbox } from './inbox.ts'
import { offering } from './offering.ts'
import type { Target } from './processes.ts'

/** The members of a result that are tested. */
export type Loose = Readonly<Record<string, unknown>>

interface CallOptions {
  /** Metadata for the request, in addition to the client's. */
  readonly meta?: Readonly<Record<string, unknown>>
  readonly signal?: AbortSignal
  readonly onprogress?: (progress: { progress: number; total?: number | undefined }) => void
}

/** A common interface for the official clients. */
export interface Driver {
  readonly inbox: Inbox
  /** Resolves when the server can send notifications, because the GET stream has been opened or requested. */
  listen(): Promise<unknown>
  server(): { info: Loose | undefined; capabilities: Loose | undefined; instructions: string | undefined }
  ping(): Promise<Loose>
  listTools(): Promise<readonly Loose[]>
  callTool(name: string, args?: Record<string, unknown>, options?: CallOptions): Promise<Loose>
  listResources(): Promise<readonly Loose[]>
  listResourceTemplates(): Promise<readonly Loose[]>
  readResource(uri: string): Promise<Loose>
  subscribe(uri: string): Promise<Loose>
  unsubscribe(uri: string): Promise<Loose>
  listPrompts(): Promise<readonly Loose[]>
  getPrompt(name: string, args?: Record<string, string>): Promise<Loose>
  complete(ref: Ref, name: string, value: string): Promise<Loose>
  setLoggingLevel(level: Level): Promise<Loose>
  /** Sends any request without the client's own checks. */
  request(method: string, params: Record<string, unknown>): Promise<Loose>
  /** Sends DELETE if the client has a session over HTTP. */
  deleteSession(): Promise<void>
  close(): Promise<void>
}

type Ref = { type: 'ref/prompt'; name: string } | { type: 'ref/resource'; uri: string }
type Level = 'debug' | 'info' | 'notice' | 'warning' | 'error' | 'critical' | 'alert' | 'emergency'

const INFO = { name: 'matrix', version: '1.0.0' }
const Anything = z.looseObject({})

/** The clients with sessions, named by the version of the official package and by how they negotiate. */
export const CLIENTS: Readonly<Record<string, (target: Target) => Promise<Driver>>> = {
  'v2 as it comes': (target) => connectV2(target, {}),
  'v2 legacy': (target) => connectV2(target, { versionNegotiation: { mode: 'legacy' } }),
  v1: (target) => connectV1(target),
}

/** The clients without sessions. */
export const MODERN_CLIENTS: Readonly<Record<string, (target: Target) => Promise<Driver>>> = {
  'v2 auto': (target) => connectModern(target, 'auto'),
  'v2 modern': (target) => connectModern(target, { pin: '2026-07-28' }),
}

/** The clients that accept an older revision, modified to offer it. */
export const OFFERING: Readonly<Record<string, (target: Target, revision: string) => Promise<Driver>>> = {
  'v2 legacy': (target, revision) => connectV2(target, { versionNegotiation: { mode: 'legacy' } }, revision),
  v1: connectV1,
}

/** The HTTP+SSE clients. */
export const SSE_CLIENTS: Readonly<Record<string, (target: Target, revision?: string) => Promise<Driver>>> = {
  'v1 over HTTP+SSE': connectV1Sse,
}

/** The transports from the official packages. */
export const transportV1 = (
  target: Target,
  options?: { readonly fetch: typeof globalThis.fetch },
): StreamableHTTPClientTransportV1 | StdioClientTransportV1 =>
  'url' in target
    ? new StreamableHTTPClientTransportV1(new URL(target.url), options)
    : new StdioClientTransportV1({ ...target, stderr: 'ignore' })

export const transportV2 = (
  target: Target,
  options?: { readonly fetch: typeof globalThis.fetch },
): StreamableHTTPClientTransport | StdioClientTransport =>
  'url' in target
    ? new StreamableHTTPClientTransport(new URL(target.url), options)
    : new StdioClientTransport({ ...target, stderr: 'ignore' })

const connectV2 = async (target: Target, options: ClientOptions, revision?: string): Promise<Driver> =>
  (await openV2(target, options, revision)).driver

/** Subscribes to changes through requests that stay open. */
async function connectModern(target: Target, mode: 'auto' | { readonly pin: string }): Promise<Driver> {
  const { client, driver } = await openV2(target, { versionNegotiation: { mode } })
  let lists: Promise<McpSubscription> | undefined
  const resources = new Map<string, McpSubscription>()
  return {
    ...driver,
    listen: () =>
      (lists ??= client.listen({
        toolsListChanged: true,
        promptsListChanged: true,
        resourcesListChanged: true,
      })),
    async subscribe(uri) {
      const subscription = await client.listen({ resourceSubscriptions: [uri] })
      resources.set(uri, subscription)
      return { ...subscription.honoredFilter }
    },
    async unsubscribe(uri) {
      const subscription = resources.get(uri)
      await subscription?.close()
      return { ended: await subscription?.closed }
    },
  }
}

async function openV2(
  target: Target,
  options: ClientOptions,
  revision?: string,
): Promise<{ readonly client: Client; readonly driver: Driver }> {
  const client = new Client(INFO, options)
  const { listening, fetch } = watchStream(target)
  const transport = transportV2(target, { fetch })
  const inbox = new Inbox()
  client.fallbackNotificationHandler = (message) => inbox.take(message)
  await client.connect(offering(transport, revision))
  const deleteSession = async (): Promise<void> => {
    if (transport instanceof StreamableHTTPClientTransport) await transport.terminateSession()
  }
  const driver: Driver = {
    ...common(client, inbox, listening),
    server: () => ({
      info: client.getServerVersion(),
      capabilities: client.getServerCapabilities(),
      instructions: client.getInstructions(),
    }),
    callTool: (name, args = {}, { meta, ...call } = {}) =>
      client.callTool({ name, arguments: args, ...(meta !== undefined && { _meta: meta }) }, call),
    request: (method, params) => client.request({ method, params }, Anything),
    deleteSession,
    close: async () => {
      await deleteSession()
      await client.close()
    },
  }
  return { client, driver }
}

async function connectV1(target: Target, revision?: string): Promise<Driver> {
  const { listening, fetch } = watchStream(target)
  return driveV1(transportV1(target, { fetch }), listening, revision)
}

async function connectV1Sse(target: Target, revision?: string): Promise<Driver> {
  if (!('url' in target)) throw new Error('HTTP+SSE needs an address')
  return driveV1(new SseClientTransportV1(new URL('sse', target.url)), Promise.resolve(), revision)
}

async function driveV1(
  transport: StreamableHTTPClientTransportV1 | StdioClientTransportV1 | SseClientTransportV1,
  listening: Promise<void>,
  revision?: string,
): Promise<Driver> {
  const client = new ClientV1(INFO)
  const inbox = new Inbox()
  client.fallbackNotificationHandler = (message) => inbox.take(message)
  await client.connect(offering(transport, revision))
  const deleteSession = async (): Promise<void> => {
    if (transport instanceof StreamableHTTPClientTransportV1) await transport.terminateSession()
  }
  return {
    ...common(client, inbox, listening),
    server: () => ({
      info: client.getServerVersion(),
      capabilities: client.getServerCapabilities(),
      instructions: client.getInstructions(),
    }),
    callTool: (name, args = {}, { meta, ...call } = {}) =>
      client.callTool({ name, arguments: args, ...(meta !== undefined && { _meta: meta }) }, undefined, call),
    request: (method, params) => client.request({ method, params }, Anything),
    deleteSession,
    close: async () => {
      await deleteSession()
      await client.close()
    },
  }
}

/** The common API of both packages. */
function common(
  client: Client | ClientV1,
  inbox: Inbox,
  listening: Promise<void>,
): Omit<Driver, 'server' | 'callTool' | 'request' | 'deleteSession' | 'close'> {
  return {
    inbox,
    listen: () => listening,
    ping: () => client.ping(),
    listTools: async () => (await client.listTools()).tools,
    listResources: async () => (await client.listResources()).resources,
    listResourceTemplates: async () => (await client.listResourceTemplates()).resourceTemplates,
    readResource: (uri) => client.readResource({ uri }),
    subscribe: (uri) => client.subscribeResource({ uri }),
    unsubscribe: (uri) => client.unsubscribeResource({ uri }),
    listPrompts: async () => (await client.listPrompts()).prompts,
    getPrompt: (name, args = {}) => client.getPrompt({ name, arguments: args }),
    complete: (ref, name, value) => client.complete({ ref, argument: { name, value } }),
    setLoggingLevel: (level) => client.setLoggingLevel(level),
  }
}

/** Waits for the stream, because the clients open it in the background without emitting an event. */
function watchStream(target: Target): { listening: Promise<void>; fetch: typeof globalThis.fetch } {
  let open: () => void = () => {}
  const listening = 'url' in target ? new Promise<void>((resolve) => (open = resolve)) : Promise.resolve()
  return {
    listening,
    async fetch(input, init) {
      const response = await globalThis.fetch(input, init)
      if (init?.method === 'GET' && response.ok) open()
      return response
    },
  }
}
