import { requestMeta } from '@jetway-apps/test-support'
import { FRAMEWORKS } from '@jetway-apps/test-support/mounts'
import { elicit, McpServer } from '@jetway/core'
import { Client, type ClientOptions, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js'
import { SSEClientTransport } from '@modelcontextprotocol/sdk/client/sse.js'
import { StreamableHTTPClientTransport as StreamableHTTPClientTransportV1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { z } from 'zod'
import type { Message } from './support/raw-http.ts'
import { RawStdio } from './support/raw-stdio.ts'

const CALLS = 6
const MODERN = '2026-07-28'

const NOTE = 'note://1'

/** Collects the progress notifications of each call. */
class Heard {
  readonly #told = new Map<string, unknown[]>()
  #waiting: (() => void)[] = []

  of(text: string): unknown[] {
    return this.#told.get(text) ?? []
  }

  add(text: string, message: unknown): void {
    this.#told.set(text, [...this.of(text), message])
    for (const look of this.#waiting.splice(0)) look()
  }

  async until(text: string, count: number): Promise<void> {
    while (this.of(text).length < count) await new Promise<void>((look) => this.#waiting.push(look))
  }
}

/** Creates a server with one tool that uses every feature of a call, and names its caller. */
function createMeeting(): { server: McpServer; handled: string[]; heard: Heard } {
  const server = new McpServer({ name: 'meeting', version: '1.0.0' })
  const handled: string[] = []
  const heard = new Heard()
  server.addTool({
    name: 'meet',
    inputSchema: z.object({ text: z.string() }),
    asks: { who: ({ text }) => elicit(text, z.object({ by: z.string() })) },
    async handler({ text }, ctx) {
      handled.push(text)
      await ctx.progress(1, 2, text)
      ctx.log.info(text)
      await ctx.progress(2, 2, text)
      // The official clients drop notifications that arrive together with the response.
      await heard.until(text, 2)
      return `${ctx.client.info?.name} at ${ctx.protocolVersion}: ${text}, answered by ${ctx.answers.who.by}`
    },
  })
  for (const uri of [NOTE, 'note://other']) server.addResource({ uri, name: uri, handler: () => uri })
  return { server, handled, heard }
}

/** An official client that answers questions with its own name. */
interface Visitor {
  readonly revision: string
  readonly client: Client | ClientV1
  /** The questions, log messages and change notifications that the client has received. */
  readonly asked: string[]
  readonly logged: string[]
  readonly changed: string[]
}

const CAPABILITIES = { capabilities: { elicitation: { form: {} } } }

async function visitV2(name: string, url: URL, options: ClientOptions, revision: string): Promise<Visitor> {
  const client = new Client({ name, version: '1.0.0' }, { ...CAPABILITIES, ...options })
  const visitor: Visitor = { revision, client, asked: [], logged: [], changed: [] }
  client.setRequestHandler('elicitation/create', ({ params }) => {
    visitor.asked.push(params.message)
    return { action: 'accept', content: { by: name } }
  })
  hear(visitor)
  await client.connect(new StreamableHTTPClientTransport(url))
  return visitor
}

async function visitV1(
  name: string,
  transport: StreamableHTTPClientTransportV1 | SSEClientTransport,
): Promise<Visitor> {
  const client = new ClientV1({ name, version: '1.0.0' }, CAPABILITIES)
  const visitor: Visitor = { revision: '2025-11-25', client, asked: [], logged: [], changed: [] }
  client.setRequestHandler(ElicitRequestSchema, ({ params }) => {
    visitor.asked.push(params.message)
    return { action: 'accept', content: { by: name } }
  })
  hear(visitor)
  await client.connect(transport)
  return visitor
}

function hear({ client, logged, changed }: Visitor): void {
  client.fallbackNotificationHandler = async ({ method, params }) => {
    if (method === 'notifications/message') logged.push(String(params?.['data']))
    else changed.push(typeof params?.['uri'] === 'string' ? `${method} ${params['uri']}` : method)
  }
}

const VISITORS: Readonly<Record<string, (name: string, url: URL) => Promise<Visitor>>> = {
  'v2, without a session': (name, url) =>
    visitV2(name, url, { versionNegotiation: { mode: { pin: MODERN } } }, MODERN),
  'v2, by probing': (name, url) => visitV2(name, url, { versionNegotiation: { mode: 'auto' } }, MODERN),
  'v2, in a session': (name, url) =>
    visitV2(name, url, { versionNegotiation: { mode: 'legacy' } }, '2025-11-25'),
  v1: (name, url) => visitV1(name, new StreamableHTTPClientTransportV1(url)),
  'v1 over HTTP+SSE': (name, url) => visitV1(name, new SSEClientTransport(new URL('sse', url))),
}

async function call({ client, revision }: Visitor, text: string, heard: Heard): Promise<unknown> {
  const onprogress = ({ message = '' }: { message?: string | undefined }): void => {
    // Ignores the progress that the v2 client itself reports while it answers questions.
    if (!message.startsWith('Fulfilling input')) heard.add(text, message)
  }
  // In a session, the log level applies to all requests. In 2026-07-28, each request has its own.
  const _meta = revision === MODERN ? { 'io.modelcontextprotocol/logLevel': 'info' } : undefined
  const params = { name: 'meet', arguments: { text }, ...(_meta && { _meta }) }
  const { content } =
    client instanceof Client
      ? await client.callTool(params, { onprogress })
      : await client.callTool(params, undefined, { onprogress })
  return content
}

/** Subscribes to changes, as required by the client's era. In a session, list changes need no subscription. */
async function subscribe({ client, revision }: Visitor): Promise<void> {
  if (client instanceof Client && revision === MODERN)
    await client.listen({ toolsListChanged: true, resourceSubscriptions: [NOTE] })
  else await client.subscribeResource({ uri: NOTE })
}

describe.each(Object.entries(FRAMEWORKS))('a single process on %s', (_framework, mount) => {
  it('serves HTTP+SSE clients and clients of both eras concurrently, each in its own format', async () => {
    const { server, handled, heard } = createMeeting()
    const { origin, stop } = await mount(server, { legacySse: true })
    onTestFinished(stop)
    const url = new URL(`${origin}/mcp`)
    const names = Object.keys(VISITORS)
    const visitors = await Promise.all(names.map((name) => VISITORS[name]?.(name, url) as Promise<Visitor>))
    onTestFinished(async () => {
      await Promise.all(visitors.map(({ client }) => client.close()))
    })

    // All clients use the same request ids.
    const visit = async (visitor: Visitor, index: number): Promise<void> => {
      const name = names[index] as string
      const texts = Array.from({ length: CALLS }, (_, each) => `${name} #${each}`)
      await Promise.all(
        texts.map(async (text) => {
          const answer = `${name} at ${visitor.revision}: ${text}, answered by ${name}`
          expect(await call(visitor, text, heard)).toEqual([{ type: 'text', text: answer }])
          expect(heard.of(text)).toEqual([text, text])
        }),
      )
      expect(visitor.asked.toSorted()).toEqual(texts)
      expect(visitor.logged.toSorted()).toEqual(texts)
      expect(visitor.changed).toEqual([])
    }
    await Promise.all(visitors.map(visit))
    // The handler ran once for each call in every era.
    expect(handled.toSorted()).toEqual(
      names.flatMap((name) => Array.from({ length: CALLS }, (_, each) => `${name} #${each}`)).toSorted(),
    )

    await Promise.all(visitors.map(subscribe))
    // The server sends change notifications while clients receive questions and progress.
    const calls = visitors.map(async (visitor, index) => {
      const text = `${names[index]} again`
      expect(JSON.stringify(await call(visitor, text, heard))).toContain(
        `${text}, answered by ${names[index]}`,
      )
      expect(heard.of(text)).toEqual([text, text])
    })
    server.addTool({ name: 'later', handler: () => 'here' })
    server.notify.resourceUpdated(NOTE)
    server.notify.resourceUpdated('note://other')
    await vi.waitFor(() => {
      for (const { changed } of visitors)
        expect(changed.toSorted()).toEqual([
          `notifications/resources/updated ${NOTE}`,
          'notifications/tools/list_changed',
        ])
    })
    await Promise.all(calls)
    for (const { client } of visitors)
      expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(['meet', 'later'])
  })
})

describe('a single process on stdio', () => {
  const PAIRS = 25
  const WATCHED = 'test://watched-resource'
  const SUBSCRIPTION = 'io.modelcontextprotocol/subscriptionId'
  const META = requestMeta({ elicitation: {} }, MODERN)
  const request = (id: number, name: string, args: object, _meta: object, more: object = {}): object => ({
    jsonrpc: '2.0',
    id,
    method: 'tools/call',
    params: { name, arguments: args, _meta, ...more },
  })

  it('responds in the right format to alternating requests of both eras that use the same ids', async () => {
    const client = new RawStdio()
    onTestFinished(() => client.kill())
    await client.ask({ jsonrpc: '2.0', id: 'probe', method: 'server/discover', params: { _meta: META } })
    await client.initialize({ elicitation: {} })
    for (let id = 0; id < PAIRS; id++) {
      client.send(request(id, 'describe_call', {}, {}))
      client.send(request(id, 'describe_call', {}, META))
    }
    for (const [token, meta] of [['session', {}] as const, ['alone', META] as const])
      client.send(request(100, 'test_tool_with_progress', {}, { ...meta, progressToken: token }))
    client.send(request(200, 'test_elicitation', { message: 'session' }, {}))
    client.send(request(200, 'test_elicitation', { message: 'alone' }, META))

    const messages = (): Message[] => client.lines.map((line) => JSON.parse(line) as Message)
    const answers = (id: unknown): Message[] =>
      messages().filter((frame) => frame.id === id && frame.method === undefined)
    const until = async (found: () => unknown): Promise<void> =>
      vi.waitFor(() => expect(found()).toBeTruthy())

    await until(() => messages().some(({ method }) => method === 'elicitation/create'))
    const question = messages().find(({ method }) => method === 'elicitation/create')
    expect(question?.params).toMatchObject({ message: 'session' })
    const content = { username: 'ann', email: 'ann@example.com' }
    client.send({ jsonrpc: '2.0', id: question?.id, result: { action: 'accept', content } })

    const required = (): Message | undefined =>
      answers(200).find(({ result }) => result?.['resultType'] === 'input_required')
    await until(required)
    const { inputRequests, requestState } = (required() ?? {}).result as {
      readonly inputRequests: Readonly<Record<string, object>>
      readonly requestState: string
    }
    expect(inputRequests).toMatchObject({ user: { params: { message: 'alone' } } })
    const inputResponses = { user: { action: 'accept', content } }
    client.send(
      request(201, 'test_elicitation', { message: 'alone' }, META, { inputResponses, requestState }),
    )
    await until(() => answers(200).length === 2 && answers(201).length === 1 && answers(100).length === 2)

    const said = JSON.stringify(content)
    for (const answer of [
      answers(201)[0],
      answers(200).find(({ result }) => result?.['resultType'] === undefined),
    ])
      expect(answer?.result).toMatchObject({
        content: [{ text: `User response: action=accept, content=${said}` }],
      })
    for (let id = 0; id < PAIRS; id++) {
      const shown = answers(id).map(({ result }) => result?.['structuredContent'])
      expect(shown.toSorted((a, b) => JSON.stringify(a).localeCompare(JSON.stringify(b)))).toMatchObject([
        { client: 'test', protocolVersion: '2025-11-25', session: true },
        { client: 'test', protocolVersion: MODERN, session: false },
      ])
    }
    for (const token of ['session', 'alone']) {
      const steps = messages().filter(({ params }) => params?.['progressToken'] === token)
      expect(steps.map(({ params }) => params?.['progress'])).toEqual([0, 50, 100])
    }

    client.send({ jsonrpc: '2.0', id: 300, method: 'resources/subscribe', params: { uri: WATCHED } })
    const notifications = { toolsListChanged: true, resourceSubscriptions: [WATCHED] }
    client.send({
      jsonrpc: '2.0',
      id: 301,
      method: 'subscriptions/listen',
      params: { notifications, _meta: META },
    })
    await until(() => messages().some(({ method }) => method === 'notifications/subscriptions/acknowledged'))
    client.send(request(302, 'add_tool', { name: 'later' }, META))
    client.send(request(303, 'touch_watched_resource', {}, {}))
    const news = (): unknown[] =>
      messages().flatMap(({ method, params }) =>
        method === 'notifications/tools/list_changed' || method === 'notifications/resources/updated'
          ? [[method, (params?.['_meta'] as Record<string, unknown> | undefined)?.[SUBSCRIPTION]]]
          : [],
      )
    await until(() => news().length === 4 && answers(303).length === 1)
    expect(news().map(String).toSorted()).toEqual([
      'notifications/resources/updated,',
      'notifications/resources/updated,301',
      'notifications/tools/list_changed,',
      'notifications/tools/list_changed,301',
    ])
    client.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 301 } })
    expect(await client.end()).toBe(0)
    // Each request has exactly one response.
    expect(messages().filter((frame) => frame.method === undefined)).toHaveLength(
      2 + 2 * PAIRS + 2 + 2 + 1 + 3,
    )
  })
})
