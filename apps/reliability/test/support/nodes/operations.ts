import { MODERN, requestMeta } from '@jetway-apps/test-support'
import * as fc from 'fast-check'
import { expect } from 'vitest'
import { type Message, NodeClient, progressOf, type Reply, responseOf } from './client.ts'

/** One action by a client, at one or two nodes. */
export interface Operation {
  readonly who: number
  readonly does: keyof typeof OPERATIONS
  readonly node: number
  readonly other: number
  /** The client that the action attacks or affects. */
  readonly target: number
}

export const operations = (members: number, nodes: number): fc.Arbitrary<Operation> =>
  fc.record({
    who: fc.nat(members - 1),
    does: fc.constantFrom(...(Object.keys(OPERATIONS) as (keyof typeof OPERATIONS)[])),
    node: fc.nat(nodes - 1),
    other: fc.nat(nodes - 1),
    target: fc.nat(members - 1),
  })

/** A client, with its session and its secrets. */
export class Member {
  readonly client: NodeClient
  readonly tag: string
  readonly note: string
  stream: Reply | undefined
  lastId: string | undefined
  task: string | undefined

  constructor(principal: string, name: string) {
    this.client = new NodeClient({ principal, client: name })
    this.tag = `<${principal}/${name}>`
    this.note = `note://${name}`
  }

  get principal(): string {
    return this.client.owner.principal
  }

  async open(url: string): Promise<void> {
    await this.client.open(url)
    await this.ask(url, 'resources/subscribe', { uri: this.note })
    await this.listen(url)
  }

  async listen(url: string): Promise<void> {
    await this.leave()
    this.stream = await this.client.get(url)
    expect(this.stream.status).toBe(200)
  }

  /** Checks all messages on the session's stream, and then disconnects. */
  async leave(): Promise<void> {
    await this.stream?.leave()
    if (this.stream !== undefined) this.check(this.stream)
  }

  /** Calls a tool. Resolves to the reply when it has ended. */
  async call(url: string, name: string, args: object, more?: object): Promise<Reply> {
    const reply = await this.client.call(url, name, args, more)
    await reply.ended
    return this.check(reply)
  }

  async ask(url: string, method: string, params: object): Promise<Message> {
    const id = this.client.nextId()
    const reply = this.check(await this.client.post(url, { jsonrpc: '2.0', id, method, params }))
    return reply.messages.at(-1) ?? {}
  }

  /** Checks that a client receives only its own data. */
  check(reply: Reply): Reply {
    const owners = new Set(reply.text.match(/<p\d+\/\w+>|note:\/\/c\d+/g))
    expect([...owners].filter((owner) => owner !== this.tag && owner !== this.note)).toEqual([])
    return reply
  }
}

/** The clients and nodes that take part in an operation. */
export interface Place {
  readonly me: Member
  readonly target: Member
  /**
   * A client of the target's principal that makes no calls, so that all ids that it guesses belong to other
   * clients.
   */
  readonly attacker: NodeClient
  readonly url: string
  readonly other: string
}

const textOf = (message: Message | undefined): unknown =>
  (message?.result?.['content'] as { text: string }[] | undefined)?.[0]?.text

const answerTo = (question: Message | undefined, answer: string): object => ({
  jsonrpc: '2.0',
  id: question?.id,
  result: { action: 'accept', content: { answer } },
})

/** Calls a tool that asks a question. Returns the reply and the question. */
async function asked({ me, url }: Place): Promise<{ readonly reply: Reply; readonly question: Message }> {
  const reply = await me.client.call(url, 'ask', { text: 'who?' })
  await reply.until(() => reply.messages.some(({ method }) => method === 'elicitation/create'))
  const question = reply.messages.find(({ method }) => method === 'elicitation/create')
  if (question === undefined) throw new Error(`There is no question: ${reply.status} ${reply.text}`)
  return { reply, question }
}

export const OPERATIONS = {
  async calls({ me, url }: Place) {
    expect(textOf((await me.call(url, 'echo', { text: 'x' })).messages[0])).toBe(`${me.tag} x`)
  },
  async 'calls without a session'({ me, url }: Place) {
    const params = { name: 'echo', arguments: { text: 'y' }, _meta: requestMeta() }
    const headers = { 'mcp-protocol-version': MODERN, 'mcp-method': 'tools/call', 'mcp-name': 'echo' }
    const client = new NodeClient(me.client.owner)
    const reply = await client.post(url, { jsonrpc: '2.0', id: 1, method: 'tools/call', params }, headers)
    expect(reply.text.match(/<\S+>/g)).toEqual([`<${me.principal}/test>`])
  },
  async 'reads a stream'({ me, url }: Place) {
    const { messages, lastId } = await me.call(url, 'count', { to: 5 })
    me.lastId = lastId
    expect(progressOf(messages)).toEqual([1, 2, 3, 4, 5])
    expect(textOf(responseOf(messages))).toBe(`${me.tag} counted to 5`)
  },
  async 'resumes at another node'({ me, url, other }: Place) {
    const reply = await me.client.call(url, 'count', { to: 10, everyMs: 2 })
    await reply.until(() => reply.messages.length > 2)
    await reply.leave()
    const messages = [...me.check(reply).messages]
    let { lastId } = reply
    while (responseOf(messages) === undefined) {
      const resumed = await me.client.get(other, lastId)
      await resumed.ended
      expect(resumed.status, resumed.text).toBe(200)
      messages.push(...me.check(resumed).messages)
      lastId = resumed.lastId ?? lastId
    }
    expect(progressOf(messages)).toEqual(Array.from({ length: 10 }, (_, i) => i + 1))
  },
  async 'answers at another node'(place: Place) {
    const { me, other } = place
    const { reply, question } = await asked(place)
    expect((await me.client.post(other, answerTo(question, me.tag))).status).toBe(202)
    await reply.ended
    expect(textOf(responseOf(me.check(reply).messages)), reply.text).toBe(`${me.tag} who?: ${me.tag}`)
  },
  async 'is answered by another client'(place: Place) {
    const { me, attacker, other } = place
    const { reply, question } = await asked(place)
    await attacker.post(other, answerTo(question, 'forged'))
    await me.client.post(other, answerTo(question, me.tag))
    await reply.ended
    expect(textOf(responseOf(me.check(reply).messages)), reply.text).toBe(`${me.tag} who?: ${me.tag}`)
  },
  async 'is cancelled by another client'({ me, attacker, url, other }: Place) {
    const reply = await me.client.call(url, 'count', { to: 5, everyMs: 2 })
    await reply.until(() => reply.messages.length > 0)
    const params = { requestId: Number(String(reply.messages[0]?.params?.['progressToken']).slice(6)) }
    await attacker.post(other, { jsonrpc: '2.0', method: 'notifications/cancelled', params })
    await reply.ended
    expect(progressOf(me.check(reply).messages)).toEqual([1, 2, 3, 4, 5])
  },
  async 'uses the session of another principal'({ me, target, url }: Place) {
    if (target.principal === me.principal || target.client.session === '') return
    const headers = { 'mcp-session-id': target.client.session, 'mcp-protocol-version': '2025-11-25' }
    const client = new NodeClient(me.client.owner)
    const reply = await client.post(url, { jsonrpc: '2.0', id: 1, method: 'tools/list' }, headers)
    expect(me.check(reply).status).toBe(404)
  },
  async 'resumes the stream of another client'({ me, target, url }: Place) {
    if (target === me || target.lastId === undefined) return
    const reply = await me.client.get(url, target.lastId)
    await reply.ended
    expect(me.check(reply).status).toBe(400)
  },
  async 'runs a task'({ me, url, other }: Place) {
    const created = (await me.call(url, 'job', { text: 'done' }, { task: { ttl: 600_000 } })).messages.at(-1)
    const { taskId } = (created?.result?.['task'] ?? {}) as { taskId?: string }
    expect(taskId, JSON.stringify(created)).toBeDefined()
    me.task = taskId
    const end = await me.ask(other, 'tasks/result', { taskId })
    expect(textOf(end), JSON.stringify(end)).toBe(`${me.tag} done`)
  },
  async 'asks for the task of another principal'({ me, target, url }: Place) {
    if (target.principal === me.principal || target.task === undefined) return
    for (const method of ['tasks/get', 'tasks/result', 'tasks/cancel'])
      expect((await me.ask(url, method, { taskId: target.task })).error).toMatchObject({ code: -32602 })
  },
  async 'changes the resource of another client'({ me, target, url }: Place) {
    await me.call(url, 'touch', { owner: target.client.owner.client })
  },
  async 'reads a resource'({ me, url }: Place) {
    const { result } = await me.ask(url, 'resources/read', { uri: me.note })
    expect(result).toMatchObject({ contents: [{ uri: me.note, text: me.tag }] })
  },
  'listens at another node': ({ me, other }: Place) => me.listen(other),
  async 'ends its session and opens another'({ me, url, other }: Place) {
    expect((await me.client.delete(url)).status).toBe(204)
    await me.open(other)
  },
} satisfies Readonly<Record<string, (place: Place) => Promise<void>>>
