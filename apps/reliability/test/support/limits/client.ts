import { settled } from '@jetway-apps/test-support'
import { Client, type ClientOptions, duplex, withAuth } from '@jetway/client'
import { http, type HttpOptions } from '@jetway/client/http'
import { ClientManager } from '@jetway/client/manager'
import { ResourceCache } from '@jetway/client/resource-cache'
import type { McpServer } from '@jetway/core'
import { createMemoryTransportPair, type Transport, type TransportHandlers } from '@jetway/core/transport'
import { expect, onTestFinished } from 'vitest'
import { type Body, createServer, failureOf, type Limit, list, type Params } from './row.ts'

const INFO = { name: 'limits', version: '1.0.0' }
const CAPABILITIES = { tools: {}, resources: { subscribe: true }, prompts: {} }
const INITIALIZED = { protocolVersion: '2025-11-25', capabilities: CAPABILITIES, serverInfo: INFO }
const DISCOVERED = { resultType: 'complete', supportedVersions: ['2026-07-28'], capabilities: CAPABILITIES }

/** Results, keyed by method. If there is no result for a method, no response is sent. */
type Script = Readonly<Record<string, object | ((params: Params) => object)>>

interface Scripted {
  readonly client: Client
  /** Sends a message to the client. */
  readonly say: (message: unknown) => void
  readonly heard: readonly Body[]
}

/** Connects a client to a server with scripted responses. */
export async function connected(script: Script, options: ClientOptions = {}): Promise<Scripted> {
  const [near, far] = createMemoryTransportPair()
  const heard: Body[] = []
  const say = (message: unknown): void =>
    void far.send(typeof message === 'string' ? message : JSON.stringify(message))
  const answers: Script = { initialize: INITIALIZED, ...script }
  await far.start({
    message(text) {
      const message = JSON.parse(text) as Body
      heard.push(message)
      const { id, method, params } = message
      if (method === 'server/discover' && answers[method] === undefined)
        return say({ jsonrpc: '2.0', id, error: { code: -32601, message: 'Method not found' } })
      const answer = answers[method ?? '']
      if (id === undefined || answer === undefined) return
      say({
        jsonrpc: '2.0',
        id,
        result: typeof answer === 'function' ? answer(params ?? {}) : answer,
      })
    },
    malformed: () => {},
    close: () => {},
  })
  const client = new Client(INFO, { eras: false, ...options })
  onTestFinished(() => client.close())
  await client.connect(duplex(near))
  return { client, say, heard }
}

async function pages(count: number): Promise<unknown> {
  const page = ({ cursor = '1' }: Params): object => ({
    tools: [],
    ...(Number(cursor) < count && { nextCursor: String(Number(cursor) + 1) }),
  })
  const { client } = await connected({ 'tools/list': page })
  return failureOf(() => client.listTools())
}

async function items(count: number): Promise<unknown> {
  const prompts = list(count, (index) => ({ name: `p${index}` }))
  const { client } = await connected({ 'prompts/list': { prompts } })
  return failureOf(() => client.listPrompts())
}

/** Lists a prompt with a name of this length. The prompt counts as 40 bytes plus twice this length. */
async function listed(length: number): Promise<unknown> {
  const prompts = [{ name: 'x'.repeat(length) }]
  const { client } = await connected({ 'prompts/list': { prompts } }, { maxListBytes: 1_040 })
  return failureOf(() => client.listPrompts())
}

async function rounds(count: number): Promise<unknown> {
  let left = count
  const inputRequests = {
    a: {
      method: 'elicitation/create',
      params: { mode: 'form', message: 'Sure?', requestedSchema: { type: 'object', properties: {} } },
    },
  }
  const call = (): object =>
    left-- > 0
      ? { resultType: 'input_required', inputRequests, requestState: 's' }
      : { resultType: 'complete', content: [] }
  const { client } = await connected(
    { 'server/discover': DISCOVERED, 'tools/call': call },
    { maxRounds: 3, handlers: { elicit: () => ({ action: 'accept', content: {} }) } },
  )
  return failureOf(() => client.callTool('a'))
}

/** Runs one round with `count` questions. */
async function asked(count: number): Promise<unknown> {
  const params = { mode: 'form', message: 'Sure?', requestedSchema: { type: 'object', properties: {} } }
  const inputRequests = Object.fromEntries(
    list(count, (index) => [`q${index}`, { method: 'elicitation/create', params }]),
  )
  const call = ({ inputResponses }: Params): object =>
    inputResponses === undefined
      ? { resultType: 'input_required', inputRequests, requestState: 's' }
      : { resultType: 'complete', content: [] }
  const { client } = await connected(
    { 'server/discover': DISCOVERED, 'tools/call': call },
    { handlers: { elicit: () => ({ action: 'accept', content: {} }) } },
  )
  return failureOf(() => client.callTool('a'))
}

async function pending(count: number): Promise<unknown> {
  const { client } = await connected({})
  for (let i = 1; i < count; i++) client.callTool('a').catch(() => {})
  let last: unknown = 'waits'
  client.callTool('a').catch((error: unknown) => (last = error))
  await settled()
  return last
}

async function questions(count: number): Promise<unknown> {
  const { say, heard } = await connected({}, { handlers: { roots: () => new Promise(() => {}) } })
  for (let id = 0; id < count; id++) say({ jsonrpc: '2.0', id, method: 'roots/list' })
  await settled()
  return heard.filter(({ error }) => error !== undefined).length
}

/** Returns whether a client continues to read after `count` requests whose responses have not been sent. */
async function unsent(count: number): Promise<unknown> {
  let handlers: TransportHandlers | undefined
  const say = (message: object): unknown => handlers?.message(JSON.stringify(message))
  const transport: Transport = {
    start(given) {
      handlers = given
    },
    send(text) {
      const { id, method } = JSON.parse(text) as Body
      if (method === undefined) return new Promise(() => {})
      if (method === 'initialize') say({ jsonrpc: '2.0', id, result: INITIALIZED })
      return undefined
    },
    close: () => Promise.resolve(),
  }
  const client = new Client(INFO, { revisions: ['2025-11-25'] })
  await client.connect(duplex(transport))
  let reads: unknown
  for (let id = 0; id <= count; id++) {
    reads = say({ jsonrpc: '2.0', id: `ping ${id}`, method: 'ping' })
    await settled()
  }
  return reads instanceof Promise ? 'waits' : 'reads'
}

async function batch(count: number): Promise<unknown> {
  const { client, say } = await connected({})
  const errors: Error[] = []
  client.on('error', (error) => void errors.push(error))
  say(
    list(count, () => ({
      jsonrpc: '2.0',
      method: 'notifications/message',
      params: { level: 'info', data: 'x' },
    })),
  )
  await settled()
  return errors.length
}

async function subscriptions(count: number): Promise<unknown> {
  const { client } = await connected({ 'resources/subscribe': {} })
  return failureOf(async () => {
    for (let i = 0; i < count; i++) await client.subscribe(`a://${i}`)
  })
}

/** Sends a message with this many levels. Two of them are the surrounding list and notification. */
async function depth(levels: number): Promise<unknown> {
  const { client, say } = await connected({})
  const errors: Error[] = []
  client.on('error', (error) => void errors.push(error))
  const data = '['.repeat(levels - 2) + ']'.repeat(levels - 2)
  say(`{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":${data}}}`)
  await settled()
  return errors.length
}

/** Calls a tool over HTTP. The server replies with this response. */
export async function overHttp(
  respond: (id: unknown, url: string) => Response,
  options: HttpOptions = {},
): Promise<unknown> {
  const json = (id: unknown, rest: object): Response => Response.json({ jsonrpc: '2.0', id, ...rest })
  const fetch = async (url: string, { body, method: verb }: RequestInit): Promise<Response> => {
    const { id, method } = (typeof body === 'string' ? JSON.parse(body) : {}) as Body
    if (verb !== 'POST') return new Response(null, { status: 405 })
    if (method === 'server/discover') return json(id, { error: { code: -32601, message: 'No' } })
    if (method === 'initialize') return json(id, { result: INITIALIZED })
    return id === undefined ? new Response(null, { status: 202 }) : respond(id, url)
  }
  const client = new Client(INFO, { eras: false })
  onTestFinished(() => client.close())
  await client.connect(http('http://localhost/mcp', { fetch, ...options }))
  return failureOf(() => client.callTool('a'))
}

const resultOf = (id: unknown): string => JSON.stringify({ jsonrpc: '2.0', id, result: { content: [] } })
const jsonOf = (bytes: number): Promise<unknown> =>
  overHttp(
    (id) => new Response(resultOf(id).padEnd(bytes), { headers: { 'content-type': 'application/json' } }),
    { maxMessageBytes: 1_000 },
  )
const eventOf = (units: number): Promise<unknown> =>
  overHttp(
    // The line break counts, too.
    (id) =>
      new Response(`data: ${resultOf(id)}`.padEnd(units - 1) + '\n\n', {
        headers: { 'content-type': 'text/event-stream' },
      }),
    { maxMessageBytes: 1_000 },
  )

function redirects(count: number): Promise<unknown> {
  let left = count
  return overHttp((id) =>
    left-- > 0
      ? new Response(null, { status: 307, headers: { location: `/mcp?${left}` } })
      : new Response(resultOf(id), { headers: { 'content-type': 'application/json' } }),
  )
}

/** Adds servers without connecting to them. */
async function servers(count: number, name = (index: number) => `s${index}`): Promise<unknown> {
  const manager = new ClientManager(INFO, { maxServers: 3 })
  onTestFinished(() => manager.closeAll())
  const errors = await Promise.all(
    list(count, (index) =>
      manager.connect(name(index), () => Promise.reject(new Error('down'))).catch((error: unknown) => error),
    ),
  )
  return (errors.at(-1) as Error).name
}

/** Returns how many of `count` resources a cache keeps. */
function cached(count: number): number {
  const cache = new ResourceCache({ maxEntries: 3 })
  for (let i = 0; i < count; i++) cache.set({ server: 's', uri: `a://${i}` }, { contents: [] })
  return list(count, (i) => cache.get({ server: 's', uri: `a://${i}` })).filter(
    (found) => found === undefined,
  ).length
}

/** Creates subscriptions in revision 2026-07-28, where they all share one stream. */
async function subscribedAtOnce(count: number): Promise<unknown> {
  const server = createServer()
  server.addResourceTemplate({ uriTemplate: 'a://{b}', name: 'a', handler: () => '' })
  const [near, far] = createMemoryTransportPair()
  server.connect(far)
  const client = new Client(INFO, { eras: false })
  onTestFinished(() => client.close())
  await client.connect(duplex(near))
  const all = await Promise.all(list(count, (i) => failureOf(() => client.subscribe(`a://${i}`))))
  return all.at(-1)
}

/** Returns the outcome of the last of `count` calls while the server is being reconnected. */
async function reconnecting(count: number): Promise<unknown> {
  const manager = new ClientManager(INFO, { client: { eras: false } })
  onTestFinished(() => manager.closeAll())
  const started: McpServer[] = []
  await manager.connect('s', () => {
    if (started.length > 0) return new Promise(() => {})
    const server = createServer()
    started.push(server)
    const [near, far] = createMemoryTransportPair()
    server.connect(far)
    return duplex(near)
  })
  await started[0]?.close()
  await settled()
  const call = (): Promise<unknown> => manager.callTool({ server: 's', tool: 'a' })
  for (let i = 1; i < count; i++) call().catch(() => {})
  let last: unknown = 'waits'
  call().catch((error: unknown) => (last = error))
  await settled()
  return last
}

/**
 * Returns the status of a request that the server refuses `count` times, sent with a provider that always
 * requests a retry.
 */
async function challenged(count: number): Promise<unknown> {
  let left = count
  const fetch = (): Promise<Response> =>
    Promise.resolve(new Response(null, { status: left-- > 0 ? 401 : 200 }))
  const provider = { headers: () => ({}), onChallenge: () => Promise.resolve('retry' as const) }
  return (await withAuth(fetch, provider, 'http://localhost/mcp')('http://localhost/mcp')).status
}

const ENDLESS = { code: 'endless-list' }

export const CLIENT: readonly Limit[] = [
  { limit: 'maxPages, by default', most: 64, use: pages, accepted: 'done', refused: ENDLESS },
  { limit: 'maxItems, by default', most: 10_000, use: items, accepted: 'done', refused: ENDLESS },
  { limit: 'maxListBytes', most: 500, use: listed, accepted: 'done', refused: ENDLESS },
  { limit: 'maxRounds', most: 3, use: rounds, accepted: 'done', refused: { code: 'too-many-rounds' } },
  {
    limit: 'questions of one round',
    most: 64,
    use: asked,
    accepted: 'done',
    refused: { code: 'invalid-response' },
  },
  {
    limit: 'requests without a response',
    most: 1_024,
    use: pending,
    accepted: 'waits',
    refused: { code: 'too-many-calls' },
  },
  { limit: 'requests of the server at once', most: 64, use: questions, accepted: 0, refused: 1 },
  {
    limit: 'responses that the transport has not taken',
    most: 255,
    use: unsent,
    accepted: 'reads',
    refused: 'waits',
  },
  { limit: 'messages of a batch', most: 1_024, use: batch, accepted: 0, refused: 1 },
  {
    limit: 'subscriptions',
    most: 1_024,
    use: subscriptions,
    accepted: 'done',
    refused: { message: expect.stringContaining('1024') },
  },
  {
    limit: 'URIs of a subscription at 2026-07-28',
    most: 1_024,
    use: subscribedAtOnce,
    accepted: 'done',
    refused: { message: expect.stringContaining('1024') },
  },
  {
    limit: 'calls that wait for a reconnect',
    most: 1_024,
    use: reconnecting,
    accepted: 'waits',
    refused: { code: 'unavailable', message: expect.stringContaining('1024 requests wait') },
  },
  { limit: 'refusals of a request with credentials', most: 4, use: challenged, accepted: 200, refused: 401 },
  { limit: 'levels of a message', most: 1_024, use: depth, accepted: 0, refused: 1 },
  {
    limit: 'maxMessageBytes of a response',
    most: 1_000,
    use: jsonOf,
    accepted: 'done',
    refused: { message: expect.stringContaining('longer than 1000') },
  },
  {
    limit: 'maxMessageBytes of an event',
    most: 1_000,
    use: eventOf,
    accepted: 'done',
    refused: { message: expect.any(String) },
  },
  {
    limit: 'redirects of a request',
    most: 3,
    use: redirects,
    accepted: 'done',
    refused: { message: expect.any(String) },
  },
  {
    limit: 'maxServers',
    most: 3,
    use: (count) => servers(count),
    accepted: expect.not.stringMatching('RangeError'),
    refused: 'RangeError',
  },
  {
    limit: 'characters of the name of a server',
    most: 128,
    use: (length) => servers(1, () => 'x'.repeat(length)),
    accepted: expect.not.stringMatching('TypeError'),
    refused: 'TypeError',
  },
  {
    limit: 'the least maxNameLength',
    most: -40,
    use: (length) => failureOf(() => new ClientManager(INFO, { maxNameLength: -length })),
    accepted: 'done',
    refused: { message: expect.stringContaining('40') },
  },
  { limit: 'maxEntries of ResourceCache', most: 3, use: cached, accepted: 0, refused: 1 },
]
