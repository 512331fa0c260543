import { FakeClock, request, settled, silent } from '@jetway-apps/test-support'
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { QuestionError, ToolError } from '../../../src/errors.ts'
import { asks } from '../../../src/features/tools/asks.ts'
import { elicit, elicitUrl, sample } from '../../../src/call/input/question.ts'
import { createServer, McpServer } from '../../../src/server/mcp-server.ts'
import type { ServerOptions } from '../../../src/server/options.ts'
import {
  accept,
  type AnsweringClient,
  type Message,
  openAnsweringClient,
  type Script,
  textOf,
} from '../../support/answering-client.ts'
import { addDeleteFolder, ok } from '../../support/asking.ts'
import { requestMeta } from '../../support/modern-calls.ts'

interface Counted {
  readonly server: McpServer
  readonly runs: { ask: number; handler: number }
}

function deleteFolder(options: ServerOptions = {}): Counted {
  const server = new McpServer({ name: 'files', version: '1' }, options)
  return { server, runs: addDeleteFolder(server) }
}

async function ask(
  answer: Script,
  options: { capabilities?: object; version?: string } = {},
): Promise<Counted & { client: AnsweringClient; reply: Message }> {
  const counted = deleteFolder()
  const client = await openAnsweringClient(counted.server, { answer, ...options })
  return { ...counted, client, reply: await client.call('delete_folder', { path: 'a' }) }
}

describe('a declared ask', () => {
  it('receives the same locals and app object as the handler', async () => {
    const server = createServer<{ user: string }>()(
      { name: 'files', version: '1' },
      { lifespan: () => ({ root: '/' }) },
    )
    server.addTool({
      name: 'who',
      asks: { root: (_args, { app, locals }) => `${locals.user} in ${app.root}` },
      handler: (_args, ctx) => ctx.answers.root,
    })
    const message = request('tools/call', { name: 'who', _meta: requestMeta() })
    const answer = await server.handleMessage(message, { locals: { user: 'ada' } })
    expect(textOf(JSON.parse(answer ?? '') as Message)).toBe('ada in /')
  })

  it('is sent to the client, and its answer is passed to the handler, which runs exactly once', async () => {
    const { client, reply, runs } = await ask(() => accept({ ok: true }))
    expect(client.asked).toEqual([
      request(
        'elicitation/create',
        {
          message: 'Delete all of a?',
          requestedSchema: { type: 'object', properties: { ok: { type: 'boolean' } }, required: ['ok'] },
        },
        expect.any(String) as string,
      ),
    ])
    expect(reply.result).toEqual({ content: [{ type: 'text', text: 'Deleted a' }] })
    expect(runs).toEqual({ ask: 2, handler: 1 })
  })

  it('does not run if the arguments are invalid', async () => {
    const { server, runs } = deleteFolder()
    const client = await openAnsweringClient(server)
    expect((await client.call('delete_folder', {})).result?.['isError']).toBe(true)
    expect(runs).toEqual({ ask: 0, handler: 0 })
  })

  it('makes the call fail if the client responds with an error', async () => {
    const { reply, runs } = await ask(() => ({ error: { code: -32601, message: 'No such method' } }))
    expect(reply.result?.['isError']).toBe(true)
    expect(textOf(reply)).toBe(
      'The question "confirm" was not answered: the client replied with error -32601: No such method',
    )
    expect(runs.handler).toBe(0)
  })

  it('may throw a ToolError, just like a handler', async () => {
    const server = new McpServer({ name: 'a', version: '1' })
    server.addTool({
      name: 'a',
      asks: {
        one: () => {
          throw new ToolError('No folder')
        },
      },
      handler: () => 'unreachable',
    })
    const client = await openAnsweringClient(server)
    expect((await client.call('a')).result).toEqual({
      content: [{ type: 'text', text: 'No folder' }],
      isError: true,
    })
  })

  it('is rejected at registration if it is a duplicate or not a function', () => {
    const server = new McpServer({ name: 'a', version: '1' })
    const add = (given: unknown): void =>
      void server.addTool({ name: 'a', asks: given as object, handler: () => '' })
    expect(() => add({ one: 5 })).toThrow('needs a function as its ask "one"')
    expect(() =>
      add(
        asks()
          .ask('one', () => 1)
          .ask('one', () => 2),
      ),
    ).toThrow('has the ask "one" twice')
  })
})

describe('several asks', () => {
  it("wait for an answer even if the author's code catches the error for a missing answer", async () => {
    const server = new McpServer({ name: 'a', version: '1' })
    server.addTool({
      name: 'a',
      asks: asks()
        .ask('one', () => elicit('One?', ok))
        .ask('two', (_args, ctx) => {
          try {
            return String(ctx.answers.one.ok)
          } catch {
            return 'caught'
          }
        }),
      handler: (_args, { answers }) => answers.two,
    })
    const client = await openAnsweringClient(server, { answer: () => accept({ ok: true }) })
    expect(textOf(await client.call('a'))).toBe('true')
  })

  it('cannot be named __proto__', () => {
    const server = new McpServer({ name: 'a', version: '1' })
    const named = Object.defineProperty({}, '__proto__', { value: () => 1, enumerable: true })
    expect(() => server.addTool({ name: 'a', asks: named, handler: () => '' })).toThrow(
      'cannot have an ask "__proto__"',
    )
  })

  it('can list the names of all answers', async () => {
    const server = new McpServer({ name: 'a', version: '1' })
    server.addTool({
      name: 'a',
      asks: { one: () => 1, two: (_args, { answers }) => Object.keys(answers).join() },
      handler: (_args, ctx) => String(ctx.answers.two),
    })
    const client = await openAnsweringClient(server)
    expect(textOf(await client.call('a'))).toBe('one,two')
    await client.close()
  })

  it('cannot read their own answers', async () => {
    const errors: unknown[] = []
    const server = new McpServer(
      { name: 'a', version: '1' },
      { logger: silent, onError: (error) => errors.push(error) },
    )
    const one = (_args: unknown, { answers }: { readonly answers: object }): unknown =>
      (answers as { readonly one: unknown }).one
    server.addTool({ name: 'a', asks: { one }, handler: () => 'x' })
    const client = await openAnsweringClient(server)
    expect((await client.call('a')).result?.['isError']).toBe(true)
    expect(String(errors[0])).toContain('the ask "one" that reads the answer "one", which comes later')
    await client.close()
  })

  it('cause an error that names both asks if one of them reads the answer to a later one', async () => {
    const errors: unknown[] = []
    const server = new McpServer(
      { name: 'a', version: '1' },
      { logger: silent, onError: (error) => errors.push(error) },
    )
    server.addTool({
      name: 'a',
      asks: { one: (_args, ctx) => ctx.answers['two'], two: () => 2 },
      handler: () => '',
    })
    const client = await openAnsweringClient(server)
    expect((await client.call('a')).result?.['isError']).toBe(true)
    expect(String(errors[0])).toContain('the ask "one" that reads the answer "two", which comes later')
  })

  it('cancel the other questions when one question fails', async () => {
    const server = new McpServer({ name: 'a', version: '1' })
    server.addTool({
      name: 'a',
      asks: { one: () => elicit('One?', ok), two: () => elicit('Two?', ok) },
      handler: () => 'unreachable',
    })
    const client = await openAnsweringClient(server, {
      answer: ({ params }) =>
        params?.['message'] === 'Two?' ? { error: { code: 1, message: 'No' } } : undefined,
    })
    expect((await client.call('a')).result?.['isError']).toBe(true)
    expect(client.notifications).toMatchObject([
      { method: 'notifications/cancelled', params: { requestId: client.asked[0]?.id } },
    ])
  })
})

describe('the capabilities required by a question', () => {
  const refused = async (question: () => unknown, options: object): Promise<Message['error']> => {
    const server = new McpServer({ name: 'a', version: '1' })
    let ran = false
    server.addTool({
      name: 'a',
      asks: { fine: () => elicit('Fine?', ok), one: question },
      handler: () => (ran = true),
    })
    const client = await openAnsweringClient(server, options)
    const { error } = await client.call('a')
    expect(ran).toBe(false)
    expect(client.asked).toEqual([])
    return error
  }
  const tools = { messages: [], maxTokens: 1, tools: [] }

  it('depend on the protocol revision', async () => {
    const capabilities = { elicitation: { form: {}, url: {} }, sampling: { tools: {} } }
    const first = await refused(() => 1, { version: '2025-03-26', capabilities })
    expect(first?.message).toBe(
      'The question "fine" cannot be asked in protocol revision 2025-03-26: elicitation/create',
    )
    const url = await refused(() => elicitUrl('?', 'https://a'), { version: '2025-06-18', capabilities })
    expect(url?.message).toContain('elicitation by URL')
    const several = await refused(() => sample(tools), { version: '2025-06-18', capabilities })
    expect(several?.message).toContain('sampling with tools')
    const list = z.object({ tags: z.array(z.enum(['a', 'b'])) })
    const many = await refused(() => elicit('?', list), { version: '2025-06-18', capabilities })
    expect(many?.message).toContain('the field "tags"')
  })

  it('include elicitation by URL, for which the question is sent with an elicitation id', async () => {
    const server = new McpServer({ name: 'a', version: '1' })
    server.addTool({
      name: 'a',
      asks: { pay: () => elicitUrl('Pay', 'https://pay.example', { declined: 'see' }) },
      handler: (_args, { answers }) => answers.pay.action,
    })
    const client = await openAnsweringClient(server, { answer: () => ({ action: 'accept' }) })
    expect(textOf(await client.call('a'))).toBe('accept')
    expect(client.asked[0]?.params).toEqual({
      mode: 'url',
      message: 'Pay',
      url: 'https://pay.example',
      elicitationId: expect.stringMatching(/^[\w-]{22}$/) as string,
    })
  })

  it("are not checked if a form cannot represent the question's schema", async () => {
    const errors: unknown[] = []
    const server = new McpServer(
      { name: 'a', version: '1' },
      { logger: silent, onError: (error) => errors.push(error) },
    )
    server.addTool({
      name: 'a',
      asks: { one: () => elicit('?', z.object({ at: z.object({ x: z.number() }) })) },
      handler: () => '',
    })
    await (await openAnsweringClient(server)).call('a')
    expect(String(errors[0])).toContain('The schema of the question "one": the field "at"')
  })
})

describe("a question's time limit", () => {
  const open = async (
    options: ServerOptions = {},
  ): Promise<Counted & { client: AnsweringClient; clock: FakeClock; reply: Promise<Message> }> => {
    const clock = new FakeClock()
    const counted = deleteFolder({ clock, ...options })
    const client = await openAnsweringClient(counted.server)
    const reply = client.call('delete_folder', { path: 'a' })
    await client.hasAsked(1)
    return { ...counted, client, clock, reply }
  }

  it("is separate from the handler's time limit", async () => {
    const { client, clock, reply } = await open({
      limits: { handlerTimeoutMs: 1_000, maxHandlerTimeoutMs: 2_000 },
    })
    await clock.advance(599_000)
    client.send({ id: client.asked[0]?.id, result: accept({ ok: true }) })
    expect(textOf(await reply)).toBe('Deleted a')
    expect(clock.pending).toBe(0)
  })

  it('defaults to ten minutes, after which the client receives a cancellation', async () => {
    const { client, clock, reply, runs } = await open()
    await clock.advance(600_000)
    expect(textOf(await reply)).toBe('The question "confirm" was not answered in 600 s')
    expect(client.notifications).toMatchObject([
      { method: 'notifications/cancelled', params: { requestId: client.asked[0]?.id } },
    ])
    client.send({ id: client.asked[0]?.id, result: accept({ ok: true }) })
    await settled()
    expect(runs.handler).toBe(0)
    expect(clock.pending).toBe(0)
  })

  it('can be configured', async () => {
    const { clock, reply } = await open({ limits: { inputTimeoutMs: 5_000 } })
    await clock.advance(5_000)
    expect(textOf(await reply)).toContain('was not answered in 5 s')
    expect(() => new McpServer({ name: 'a', version: '1' }, { limits: { inputTimeoutMs: 0 } })).toThrow(
      'inputTimeoutMs',
    )
    expect(() => new McpServer({ name: 'a', version: '1' }, { limits: { maxInputRounds: 0 } })).toThrow(
      'maxInputRounds',
    )
  })

  it('is cleared when the call is cancelled', async () => {
    const { client, runs } = await open()
    client.notify('notifications/cancelled', { requestId: 2 })
    await settled()
    expect(client.notifications).toMatchObject([
      { method: 'notifications/cancelled', params: { requestId: client.asked[0]?.id } },
    ])
    client.send({ id: client.asked[0]?.id, result: accept({ ok: true }) })
    await settled()
    expect(runs.handler).toBe(0)
    expect((await client.request('ping')).result).toEqual({})
  })

  it('is cleared when the client disconnects', async () => {
    const { client, clock, runs, server } = await open()
    await client.close()
    await settled()
    expect(runs.handler).toBe(0)
    await server.close()
    expect(clock.pending).toBe(0)
  })

  it('keeps running while the server drains', async () => {
    const { client, reply, server } = await open()
    const closed = server.close()
    client.send({ id: client.asked[0]?.id, result: accept({ ok: true }) })
    expect(textOf(await reply)).toBe('Deleted a')
    await closed
  })
})

it('a server ignores unknown and duplicate answers', async () => {
  const { client, reply, runs } = await ask(() => accept({ ok: true }))
  client.send({ id: client.asked[0]?.id, result: accept({ ok: false }) })
  client.send({ id: 999, result: accept({ ok: true }) })
  client.send({ id: 'x', error: { code: 1, message: 'x' } })
  expect(textOf(reply)).toBe('Deleted a')
  expect((await client.request('ping')).result).toEqual({})
  expect(runs.handler).toBe(1)
})

it('a server accepts answers even if its call limit has been reached', async () => {
  const { server } = deleteFolder({ limits: { running: 2, inFlight: 2 } })
  const client = await openAnsweringClient(server)
  const replies = [client.call('delete_folder', { path: 'a' }), client.call('delete_folder', { path: 'b' })]
  await client.hasAsked(2)
  for (const { id } of client.asked) client.send({ id, result: accept({ ok: true }) })
  expect((await Promise.all(replies)).map(textOf)).toEqual(['Deleted a', 'Deleted b'])
})

it('a server runs middleware once per call, regardless of the number of rounds', async () => {
  const { server, runs } = deleteFolder()
  let around = 0
  server.use('tools/call', async (_ctx, next) => {
    around++
    const result = await next()
    return { ...result, _meta: { seen: true } }
  })
  const client = await openAnsweringClient(server, { answer: () => accept({ ok: true }) })
  const { result } = await client.call('delete_folder', { path: 'a' })
  expect(result).toEqual({ content: [{ type: 'text', text: 'Deleted a' }], _meta: { seen: true } })
  expect([around, runs.handler]).toEqual([1, 1])
})

it('QuestionError is a ToolError, and contains the reason', () => {
  expect(new QuestionError('declined', 'No')).toMatchObject({ reason: 'declined', message: 'No' })
  expect(new QuestionError('declined', 'No')).toBeInstanceOf(ToolError)
})
