import { callTool, ping } from '@jetway-apps/test-support'
import { elicit, inputRequired, type McpServer, type ServerOptions } from '@jetway/core'
import type { EndpointOptions, MountStats } from '@jetway/core/http'
import { mcp } from '@jetway/hono'
import { sseEvents } from '@jetway/testing'
import { Hono } from 'hono'
import * as z from 'zod'
import { type Answer, type Body, list, type Params, textOf, waiting, type Web, webTo } from '../limits/row.ts'

/** The headers that identify the caller. Without them, the caller is anonymous and has no known address. */
export type Who = Record<string, string>

/** Anonymous callers. Each of their requests comes from a different address. */
export const STRANGERS: Who = { 'x-address': 'any' }

/** A server that several principals use. */
export interface World {
  readonly server: McpServer
  readonly web: Web
  readonly stats: () => MountStats
  /** The number of questions that could not be sent. */
  readonly refusedQuestions: () => number
}

const URI = 'a://b'

/** Serves every kind of request to principals and anonymous callers. */
export function createWorld(options: ServerOptions, mount: EndpointOptions): World {
  const server = waiting(options)
  let refused = 0
  server.addTool({
    name: 'talk',
    inputSchema: z.object({ bytes: z.number().default(1) }),
    async handler({ bytes }, ctx) {
      await ctx.progress(1, 2, 'x'.repeat(bytes))
      return 'talked'
    },
  })
  server.addTool({
    name: 'job',
    taskSupport: 'optional',
    inputSchema: z.object({ bytes: z.number().default(1) }),
    handler: ({ bytes }) => 'x'.repeat(bytes),
  })
  server.addTool({
    name: 'long_job',
    taskSupport: 'optional',
    handler: (_args, { signal }) =>
      new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
  })
  const approve = { ok: elicit('Sure?', z.object({ ok: z.boolean() })) }
  server.addTool({
    name: 'ask',
    handler: (_args, { inputs }) =>
      inputs.state === undefined ? inputRequired(approve, { state: 's' }) : 'asked',
  })
  server.addTool({
    name: 'ask_live',
    inputSchema: z.object({ times: z.number() }),
    async handler({ times }, ctx) {
      await Promise.all(list(times, () => ctx.listRoots().catch(() => refused++)))
      return ''
    },
  })
  server.addTool({
    name: 'flood',
    async handler(_args, ctx) {
      await ctx.progress(1)
      for (let i = 0; i < 10; i++) ctx.log.info(`${i}`.padEnd(5_000))
      return ''
    },
  })
  server.addResourceTemplate({ uriTemplate: 'a://{b}', name: 'a', handler: () => 'read' })
  const handle = mcp({
    server,
    allowedHosts: ['localhost'],
    authInfo: (c) => {
      const principal = c.req.header('x-principal')
      return principal === undefined ? undefined : { principal }
    },
    ...mount,
  })
  const app = new Hono().use(handle)
  let requests = 0
  return {
    server,
    web: webTo((sent) => {
      const address = sent.headers.get('x-address')
      const remoteAddress = address === 'any' ? `192.0.2.${requests++ % 5}` : address
      return app.fetch(sent, remoteAddress === null ? {} : { incoming: { socket: { remoteAddress } } })
    }),
    stats: () => handle.stats(),
    refusedQuestions: () => refused,
  }
}

/** A message on an event stream, and the id to use for resuming after it. */
interface Told {
  readonly id: string | undefined
  readonly body: Body
}

/** Yields the messages of a stream as they arrive. */
async function* messagesOf({ body }: Response): AsyncGenerator<Told> {
  if (body === null) return
  for await (const { id, data } of sseEvents(body))
    if (data !== '') yield { id, body: JSON.parse(data) as Body }
}

/** Calls a tool on a stream, and disconnects after its first message. Returns the message's id. */
export async function leftStream(web: Web, session: Who, bytes = 1): Promise<string> {
  const call = callTool('talk', { bytes }, { id: 7, meta: { progressToken: 1 } })
  const response = await web.send('POST', session, JSON.stringify(call))
  for await (const { id } of messagesOf(response)) return id ?? ''
  throw new Error('The stream had no message')
}

/** Returns the events after a position in a stream, or the status if the stream cannot be resumed. */
export async function resumed(web: Web, session: Who, lastEventId: string): Promise<unknown> {
  const response = await web.send('GET', { ...session, 'last-event-id': lastEventId })
  if (response.status !== 200) return response.status
  for await (const { body } of messagesOf(response)) if (body.id === 7) return textOf(body)
  return 'nothing'
}

export const callOf = (web: Web, session: Who, name: string, more: object = {}): Promise<Answer> =>
  web.post({ jsonrpc: '2.0', id: 7, method: 'tools/call', params: { name, arguments: {}, ...more } }, session)

export const ask = (web: Web, session: Who, method: string, params: object): Promise<Answer> =>
  web.post({ jsonrpc: '2.0', id: 7, method, params }, session)

interface Task {
  readonly taskId: string
  readonly status: string
}

/** Calls a tool as a task. Returns the error if the task does not start. */
export async function startTask(web: Web, session: Who, name: string, args = {}): Promise<Task | undefined> {
  const { result } = (await callOf(web, session, name, { arguments: args, task: {} })).body
  return (result as { readonly task?: Task } | undefined)?.task
}

/** Waits until a task has ended. */
export async function endTask(web: Web, session: Who, name: string, args = {}): Promise<string> {
  const { taskId = '' } = (await startTask(web, session, name, args)) ?? {}
  await ask(web, session, 'tasks/result', { taskId })
  return taskId
}

/** Calls a tool that asks its caller a question. The returned function sends the answer. */
export async function asked(web: Web, who: Who): Promise<() => Promise<Answer>> {
  const { requestState } = (await web.modern('tools/call', { name: 'ask' }, who)).body.result as Params
  const inputResponses = { ok: { action: 'accept', content: { ok: true } } }
  return () => web.modern('tools/call', { name: 'ask', requestState, inputResponses }, who)
}

/** Creates a caller with an open resource of every kind. The limit must not affect this caller. */
export async function neighbour(web: Web, who: Who): Promise<{ served(): Promise<object> }> {
  const session = await web.open(who)
  // This session is larger than all other callers' sessions.
  const cursor = await leftStream(web, session, 5_000)
  const taskId = await endTask(web, session, 'job')
  const answer = await asked(web, who)
  return {
    async served() {
      const again = await web.open(who)
      return {
        calls: textOf((await callOf(web, session, 'answer')).body),
        callsAnew: textOf((await web.modern('tools/call', { name: 'answer' }, who)).body),
        opens: 'mcp-session-id' in again,
        pings: (await web.post(ping(), session)).status,
        resumes: await resumed(web, session, cursor),
        subscribes: (await ask(web, session, 'resources/subscribe', { uri: URI })).body.result,
        listens: (await web.modern('subscriptions/listen', { notifications: {} }, who)).status,
        starts: (await startTask(web, session, 'long_job'))?.status,
        keepsTasks: ((await ask(web, session, 'tasks/get', { taskId })).body.result as Params | undefined)?.[
          'status'
        ],
        answers: textOf((await answer()).body),
      }
    },
  }
}

/** The expected outcomes if the caller is not affected. */
export const SERVED: object = {
  calls: 'yes',
  callsAnew: 'yes',
  opens: true,
  pings: 200,
  resumes: 'talked',
  subscribes: {},
  listens: 200,
  starts: 'working',
  keepsTasks: 'completed',
  answers: 'asked',
}
