import { readFileSync } from 'node:fs'
import { callTool, MODERN, request, requestMeta } from '@jetway-apps/test-support'
import { HEADERS, openSession, post } from '@jetway-apps/test-support/http'
import { type Running, startNode } from '@jetway-apps/test-support/processes'
import { program } from '@jetway-tools/runtimes/program'
import { sseEvents } from '@jetway/testing'
import { expect } from 'vitest'

const TARGET = program(new URL('../../src/restart-target.ts', import.meta.url))

/** The members of a message that the tests check. */
export interface Message {
  readonly id?: string | number
  readonly method?: string
  readonly params?: Readonly<Record<string, unknown>>
  readonly result?: Readonly<Record<string, unknown>>
  readonly error?: { readonly code: number; readonly message: string }
}

/** Starts the server. Returns its URL. */
export async function startTarget(port: number, runs: string): Promise<Running & { readonly url: string }> {
  const target = startNode([...TARGET, String(port), runs])
  const [, origin = ''] = await target.until(/^(http.*)\n/)
  return { ...target, url: `${origin}/mcp` }
}

/** One client's steps, with any process. */
export class Side {
  readonly url: string
  readonly #runs: string
  #session: Readonly<Record<string, string>> = {}

  constructor(url: string, runs: string) {
    this.url = url
    this.#runs = runs
  }

  async open(): Promise<this> {
    this.#session = await openSession(this.url, { elicitation: {}, sampling: {} })
    return this
  }

  /** Returns how often each tool has run in all processes. */
  runsOf(what: string): number {
    return readFileSync(this.#runs, 'utf8')
      .split('\n')
      .filter((line) => line === what).length
  }

  post(message: object, headers: object = this.#session): Promise<Response> {
    return post(this.url, JSON.stringify(message), headers)
  }

  /** Returns the reply to a request: a message, or a refusal. */
  async ask(
    method: string,
    params: object,
    id: string | number = 1,
  ): Promise<Message & { readonly status: number }> {
    const response = await this.post(request(method, params, id))
    return { status: response.status, ...((await response.json()) as Message) }
  }

  modern(name: string, more: object = {}): Promise<Message> {
    const call = request('tools/call', {
      name,
      arguments: {},
      ...more,
      _meta: requestMeta({ elicitation: {} }),
    })
    const headers = { 'mcp-protocol-version': MODERN, 'mcp-method': 'tools/call', 'mcp-name': name }
    return this.post(call, headers).then((response) => response.json() as Promise<Message>)
  }

  /** Calls a tool that sends a message before its result. */
  async call(name: string, args: object, id: number): Promise<OpenCall> {
    const response = await this.post(callTool(name, args, { id, meta: { progressToken: id } }))
    return openCall(response)
  }

  resume(lastEventId: string): Promise<Response> {
    const headers = {
      ...HEADERS,
      ...this.#session,
      accept: 'text/event-stream',
      'last-event-id': lastEventId,
    }
    return fetch(this.url, { headers })
  }
}

/** An open call, with the first message on its stream. */
export interface OpenCall {
  readonly first: Message
  /** The id of the first event. */
  readonly cursor: string
  /** The error at the end of the stream; undefined if there is none. */
  readonly ended: Promise<string | undefined>
}

async function openCall({ body, status }: Response): Promise<OpenCall> {
  if (body === null || status !== 200) throw new Error(`A call was answered with ${status}`)
  const events = sseEvents(body)
  const read = async (): Promise<{ id?: string | undefined; message: Message } | undefined> => {
    for (let next = await events.next(); next.done !== true; next = await events.next())
      if (next.value.data !== '')
        return { id: next.value.id, message: JSON.parse(next.value.data) as Message }
    return undefined
  }
  const first = await read()
  if (first === undefined) throw new Error('The stream of a call has no message')
  const rest = async (): Promise<string | undefined> => {
    let last: Message | undefined
    try {
      for (let next = await read(); next !== undefined; next = await read()) last = next.message
    } catch {
      // When a process is killed, its streams break.
    }
    return last?.error?.message
  }
  return { first: first.message, cursor: first.id ?? '', ended: rest() }
}

/** Something that a client has open when the server exits. */
export interface OpenThing {
  readonly what: string
  /** Opens the resource. Returns the client's step after the restart; the step resolves to its outcome. */
  readonly open: (side: Side) => Promise<() => Promise<unknown>>
  /** @param ended - the error of a call that was open */
  readonly outcome: (ended: string | undefined) => unknown
}

const accept = { action: 'accept', content: { ok: true } }
const SAMPLED = { role: 'assistant', model: 'm', content: { type: 'text', text: 'x' } }
/**
 * A call that asks a question. The client answers the question from before the restart while a newer question
 * is open.
 */
const question = (tool: string, ran: string, answer: object): OpenThing => ({
  what: `a question of ${tool}`,
  async open(side) {
    const before = await side.call(tool, { about: 'weather' }, 10)
    return async () => {
      const { id: old } = before.first
      const after = await side.call(tool, { about: 'deletion' }, 11)
      const { id: current } = after.first
      const reply = (id: unknown): Promise<Response> => side.post({ jsonrpc: '2.0', id, result: answer })
      const statuses = [(await reply(old)).status]
      const unanswered = [side.runsOf(`${ran} weather`), side.runsOf(`${ran} deletion`)]
      statuses.push((await reply(current)).status)
      await after.ended
      const answered = [side.runsOf(`${ran} weather`), side.runsOf(`${ran} deletion`)]
      return { differ: old !== current, statuses, unanswered, answered, ended: await before.ended }
    }
  },
  outcome: (ended) => ({ differ: true, statuses: [202, 202], unanswered: [0, 0], answered: [0, 1], ended }),
})

export const OPEN_THINGS: readonly OpenThing[] = [
  question('approve', 'approved', accept),
  question('sample', 'sampled', SAMPLED),
  {
    what: 'a position in a stream',
    async open(side) {
      const { cursor } = await side.call('slow', { about: 'stream' }, 20)
      return async () => {
        const response = await side.resume(cursor)
        return { status: response.status, text: await response.text() }
      }
    },
    outcome: () => ({ status: 400, text: expect.stringContaining('send the request without it') }),
  },
  {
    what: 'a page of a list',
    async open(side) {
      const { result } = await side.ask('tools/list', {})
      const { nextCursor: cursor, tools } = result as { nextCursor: string; tools: readonly object[] }
      return async () => {
        const next = (await side.ask('tools/list', { cursor })).result as { tools: readonly object[] }
        return {
          tools: new Set([...tools, ...next.tools].map((tool) => (tool as { name: string }).name)).size,
        }
      }
    },
    outcome: () => ({ tools: 4 }),
  },
  {
    what: 'a round of questions without a session',
    async open(side) {
      const { result } = await side.modern('rounds')
      const { requestState } = result as { requestState: string }
      return async () => {
        const more = { requestState, inputResponses: { ok: accept } }
        const answered = await side.modern('rounds', more)
        const forged = await side.modern('rounds', {
          ...more,
          requestState: `${requestState.slice(0, -2)}AA`,
        })
        return { answered: answered.result, runs: side.runsOf('rounds'), forged: forged.error }
      }
    },
    outcome: () => ({
      answered: expect.objectContaining({ content: [{ type: 'text', text: 'answered' }] }),
      runs: 1,
      forged: { code: -32602, message: expect.stringContaining('send the request again without it') },
    }),
  },
  {
    what: 'a call',
    async open(side) {
      const call = await side.call('slow', { about: 'call' }, 30)
      return async () => {
        const cancelled = await side.post({
          jsonrpc: '2.0',
          method: 'notifications/cancelled',
          params: { requestId: 30 },
        })
        return { cancelled: cancelled.status, runs: side.runsOf('slow call'), ended: await call.ended }
      }
    },
    outcome: (ended) => ({ cancelled: 202, runs: 1, ended }),
  },
  {
    what: 'a task',
    async open(side) {
      const { result } = await side.ask('tools/call', { name: 'job', arguments: {}, task: {} })
      const { taskId } = (result as { task: { taskId: string } }).task
      return async () => {
        const known = async (method: string): Promise<unknown> => (await side.ask(method, { taskId })).error
        return {
          get: await known('tasks/get'),
          cancel: await known('tasks/cancel'),
          result: await known('tasks/result'),
          runs: side.runsOf('job'),
        }
      }
    },
    outcome: () => ({
      get: { code: -32602, message: 'Task not found' },
      cancel: { code: -32602, message: 'Task not found' },
      result: { code: -32602, message: 'Task not found' },
      runs: 1,
    }),
  },
]
