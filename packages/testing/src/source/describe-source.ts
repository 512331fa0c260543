import { McpServer, type Source } from '@jetway/core'
import { apps } from '@jetway/core/apps'
import { isObject, type JsonObject, type JsonRpcNotification, REVISIONS } from '@jetway/core/protocol'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { type Cell, describeMatrix } from '../matrix.ts'
import { fetchTransport, memoryTransport } from '../matrix-transports.ts'
import type { PeerOptions, RawResponse, TestConnection } from '../peer.ts'
import { createReferenceServer, type ReferenceServer } from './reference-server.ts'

/** A source for {@link describeSource}, and the function that closes what it has opened. */
export interface SourceSubject {
  readonly source: Source<never, never>
  readonly close?: () => Promise<void> | void
}

/** Makes a source that offers everything that the given server has, under the same names. */
export type CreateSource = (server: McpServer) => SourceSubject | Promise<SourceSubject>

/** Two clients: one of the reference server, one of a server that observes the source. */
interface Pair {
  readonly reference: ReferenceServer
  readonly direct: TestConnection
  readonly composed: TestConnection
}

const VIEWER = { 'io.modelcontextprotocol/ui': { mimeTypes: ['text/html;profile=mcp-app'] } }
const FORMS = { elicitation: { form: {} } }
const revisionOf = ({ revision }: Cell): (typeof REVISIONS)[number] | undefined =>
  REVISIONS.find(({ version }) => version === revision)
const isModern = (cell: Cell): boolean => revisionOf(cell)?.era === 'modern'

const quiet = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} }

/**
 * Tests a source of another server's definitions: its clients must see what clients of that server see. Everything
 * is compared in all revisions: every member of lists, results, errors, notifications, progress, questions, tasks,
 * cancellation and completion.
 */
export function describeSource(name: string, create: CreateSource): void {
  describe(name, () => {
    describeMatrix('a server that observes it', { transports: [memoryTransport, fetchTransport] }, (cell) => {
      const open = opener(cell, create)
      lists(open)
      calls(open)
      changes(cell, open)
      conversations(cell, open)
    })
  })
}

type Open = (options?: Omit<PeerOptions, 'revision'>) => Promise<Pair>

const opener =
  ({ connect }: Cell, create: CreateSource): Open =>
  async (options = {}) => {
    const reference = createReferenceServer()
    const { source, close } = await create(reference.server)
    const parent = new McpServer(
      { name: 'reference', version: '1.0.0' },
      { extensions: [apps()], instructions: 'Use it', logger: quiet },
    )
    await parent.observe(source as Source).ready
    onTestFinished(async () => {
      await close?.()
      await reference.server.close({ deadline: 0 })
    })
    return {
      reference,
      direct: await connect(reference.server, options),
      composed: await connect(parent, options),
    }
  }

/** Sends a request to both servers, and expects the same response. */
async function compare(
  { direct, composed }: Pair,
  method: string,
  params?: JsonObject,
): Promise<RawResponse> {
  const [expected, received] = await Promise.all([direct, composed].map((one) => one.request(method, params)))
  expect(comparable(received)).toEqual(comparable(expected))
  return expected as RawResponse
}

/** Removes what differs between two calls of one server: references to logs, sealed states, ids and times. */
function comparable(value: unknown): unknown {
  if (typeof value === 'string') return value.replace(/\(reference [\w-]+\)/, '(reference)')
  if (Array.isArray(value)) return value.map(comparable)
  if (!isObject(value)) return value
  const random = ['id', 'requestState', 'taskId', 'elicitationId', 'createdAt', 'lastUpdatedAt']
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [
      key,
      random.includes(key) ? typeof member : comparable(member),
    ]),
  )
}

const shown = (notifications: readonly JsonRpcNotification[]): unknown => comparable(notifications)

function lists(open: Open): void {
  it.each([
    ['clients with user interfaces', { extensions: VIEWER }],
    ['clients without', {}],
  ])('declares the same capabilities and lists the same definitions, for %s', async (_name, capabilities) => {
    const pair = await open({ capabilities })
    expect(pair.composed.initialized).toEqual(pair.direct.initialized)
    for (const method of ['tools/list', 'resources/list', 'resources/templates/list', 'prompts/list']) {
      const { result = {} } = await compare(pair, method)
      expect(Object.values(result).find(Array.isArray)).not.toHaveLength(0)
    }
  })
}

const CALLS: readonly (readonly [name: string, args?: JsonObject])[] = [
  ['described', { n: 4 }],
  ['described', { n: 'four' }],
  ['described', { n: 4, more: true }],
  ['described'],
  ['text'],
  ['text', { unexpected: 1 }],
  ['list'],
  ['blocks'],
  ['nothing'],
  ['viewed'],
  ['odd-schema', { p: 1 }],
  ['secret'],
  ['unknown'],
  ['__proto__'],
  ['fails'],
  ['breaks'],
  ['refuses'],
  ['lies'],
  ['large'],
]

const READS = [
  'data://fixed',
  'data://bytes',
  'data://many',
  'data://gone',
  'data://secret',
  'data://unknown',
  'ui://panel',
  'notes://monday/a/b',
  'not a uri',
]

function calls(open: Open): void {
  it('returns the same results and errors of tools', async () => {
    const pair = await open()
    for (const [name, args] of CALLS)
      await compare(pair, 'tools/call', { name, ...(args !== undefined && { arguments: args }) })
    await compare(pair, 'tools/call', { name: 'text', arguments: null })
    await compare(pair, 'tools/call', { name: 7 })
  })

  it('returns the same contents and errors of resources', async () => {
    const pair = await open()
    for (const uri of READS) await compare(pair, 'resources/read', { uri })
  })

  it('returns the same messages and errors of prompts', async () => {
    const pair = await open()
    await compare(pair, 'prompts/get', { name: 'described', arguments: { to: 'Ada', unknown: 'x' } })
    await compare(pair, 'prompts/get', { name: 'described' })
    await compare(pair, 'prompts/get', { name: 'with-schema', arguments: { a: 'x' } })
    await compare(pair, 'prompts/get', { name: 'with-schema', arguments: { a: 'z' } })
    await compare(pair, 'prompts/get', { name: 'breaks' })
    await compare(pair, 'prompts/get', { name: 'unknown' })
  })

  it('completes arguments and variables with the same values', async () => {
    const pair = await open()
    const complete = (ref: JsonObject, argument: JsonObject, context?: JsonObject): Promise<RawResponse> =>
      compare(pair, 'completion/complete', { ref, argument, ...(context && { context }) })
    const prompt = { type: 'ref/prompt', name: 'described' }
    await complete(prompt, { name: 'to', value: 'A' }, { arguments: { how: 'kindly' } })
    await complete(prompt, { name: 'how', value: '' })
    await complete({ type: 'ref/resource', uri: 'notes://{day}/{+path}' }, { name: 'day', value: 'm' })
    await complete({ type: 'ref/prompt', name: 'unknown' }, { name: 'to', value: '' })
  })
}

/** Opens a subscription, which stays open until the connection closes. */
async function listen(connection: TestConnection, notifications: JsonObject): Promise<void> {
  connection.request('subscriptions/listen', { notifications }).catch(() => {})
  await connection.notification('notifications/subscriptions/acknowledged')
}

function changes(cell: Cell, open: Open): void {
  it('notifies clients once of added and removed definitions', async () => {
    const { reference, composed } = await open()
    if (isModern(cell)) await listen(composed, { toolsListChanged: true })
    reference.server.addTool({ name: 'later', handler: () => 'x' })
    await composed.notification('notifications/tools/list_changed')
    expect(await composed.request('tools/call', { name: 'later' })).toMatchObject({
      result: { content: [{ text: 'x' }] },
    })
    reference.server.removeTool('later')
    await vi.waitFor(() => {
      const changed = composed.notifications.filter(
        ({ method }) => method === 'notifications/tools/list_changed',
      )
      expect(changed).toHaveLength(2)
    })
    expect(await composed.request('tools/call', { name: 'later' })).toHaveProperty('error')
  })

  it('follows subscriptions to resources, and passes on their updates', async () => {
    const { reference, composed } = await open()
    const uri = 'data://fixed'
    if (isModern(cell)) await listen(composed, { resourceSubscriptions: [uri] })
    else await composed.request('resources/subscribe', { uri })
    await vi.waitFor(() => expect([...reference.watched]).toEqual([uri]))
    reference.server.notify.resourceUpdated(uri)
    await composed.notification('notifications/resources/updated', (params) => params['uri'] === uri)
    if (isModern(cell)) return
    await composed.request('resources/unsubscribe', { uri })
    await vi.waitFor(() => expect(reference.watched.size).toBe(0))
  })
}

function conversations(cell: Cell, open: Open): void {
  it('passes on progress and log messages in order', async () => {
    const pair = await open()
    const _meta = { progressToken: 'p', 'io.modelcontextprotocol/logLevel': 'info' }
    await compare(pair, 'tools/call', { name: 'reports', _meta })
    await vi.waitFor(() => {
      expect(pair.direct.notifications.length).toBeGreaterThan(2)
      expect(shown(pair.composed.notifications)).toEqual(shown(pair.direct.notifications))
    })
  })

  it('cancels the call of a client that cancels', async () => {
    if (isModern(cell) && cell.transport !== 'memory') return
    const { reference, composed } = await open()
    composed.request('tools/call', { name: 'hangs' }, { id: 'c' }).catch(() => {})
    await vi.waitFor(() => expect(reference.started).toEqual(['hangs']))
    await composed.notify('notifications/cancelled', { requestId: 'c' })
    await vi.waitFor(() => expect(reference.aborted).toEqual(['hangs']))
  })

  it('asks the client the same questions', async () => {
    const asked: unknown[] = []
    const onRequest = (method: string, params: JsonObject | undefined): JsonObject | undefined => {
      asked.push(comparable({ method, params }))
      if (method !== 'elicitation/create') return undefined
      return { action: 'accept', content: params?.['message'] === 'Are you sure?' ? { yes: true } : { n: 2 } }
    }
    const { direct, composed } = await open({ capabilities: FORMS, onRequest })
    const askAll = async (connection: TestConnection): Promise<unknown> => {
      const rounds = [
        await finish(connection, { name: 'asks', arguments: { text: 'delete' } }),
        await finish(connection, { name: 'loops' }),
      ]
      return comparable({ rounds, asked: asked.splice(0) })
    }
    expect(await askAll(composed)).toEqual(await askAll(direct))
  })

  it('requires the same URLs to be opened', async () => {
    const pair = await open({ capabilities: { elicitation: { form: {}, url: {} } } })
    await compare(pair, 'tools/call', { name: 'needs-url' })
  })

  it('refuses callers who lack scopes, and calls without their headers', async () => {
    if (cell.transport === 'memory') return
    const { direct, composed } = await open()
    const replyTo = (connection: TestConnection, name: string): Promise<unknown> =>
      connection.request('tools/call', { name, arguments: { region: 'eu' } }).then(
        (response) => comparable(response),
        (error: unknown) => comparable(String(error)),
      )
    for (const name of ['scoped', 'in-header'])
      expect(await replyTo(composed, name)).toEqual(await replyTo(direct, name))
  })

  if (revisionOf(cell)?.methods.has('tasks/result') === true)
    it('runs calls as tasks', async () => {
      const pair = await open()
      const created = await compare(pair, 'tools/call', { name: 'as-task', task: {} })
      expect(created.result).toHaveProperty('task')
      const [first, second] = await Promise.all([taskResult(pair.direct), taskResult(pair.composed)])
      expect(comparable(second)).toEqual(comparable(first))
    })
}

/** Answers the questions of a call until it is finished. */
async function finish(connection: TestConnection, params: JsonObject): Promise<unknown> {
  const rounds: unknown[] = []
  let request = params
  for (;;) {
    const response = await connection.request('tools/call', request)
    rounds.push(response)
    const { inputRequests, requestState } = response.result ?? {}
    if (!isObject(inputRequests) || rounds.length > 5) return rounds
    const answers = Object.keys(inputRequests).map((key) => {
      const content = key === 'sure' ? { yes: true } : { n: 2 }
      return [key, { action: 'accept', content }] as const
    })
    request = { ...params, inputResponses: Object.fromEntries(answers), requestState }
  }
}

async function taskResult(connection: TestConnection): Promise<unknown> {
  const { result } = await connection.request('tools/call', { name: 'as-task', task: {} })
  const { taskId } = (result?.['task'] ?? {}) as { readonly taskId?: string }
  const { result: finished } = await connection.request('tasks/result', { taskId })
  return { ...finished, _meta: undefined }
}
