import { settled } from '@jetway-apps/test-support'
import { type JsonObject, McpError } from '@jetway/core/protocol'
import { describe, expect, it, vi } from 'vitest'
import type { ClientHandlers } from '../../src/options/handlers.ts'
import { Method, Notification } from '../support/dates.ts'
import {
  metaOf,
  modern,
  scripted,
  type ScriptedServer,
  sessions,
  listener,
  timed,
} from '../support/scripted.ts'

const FORM = {
  message: 'How many?',
  requestedSchema: {
    type: 'object',
    properties: {
      count: { type: 'integer', minimum: 1 },
      sure: { type: 'boolean' },
      size: { type: 'string', enum: ['s', 'l'], default: 's' },
    },
    required: ['count'],
  },
}

const SAID = { role: 'assistant', model: 'm', content: { type: 'text', text: 'x' } } as const

/** Sends a request to the client, and resolves to the result or error. */
async function ask(
  server: ScriptedServer,
  method: string,
  params: object,
  id: unknown = 'q',
): Promise<object> {
  server.say({ jsonrpc: '2.0', id, method, params })
  const {
    jsonrpc: _,
    id: __,
    ...answer
  } = await server.hears((message) => message['id'] === id && !('method' in message))
  return answer
}

describe('a request from a server with sessions', () => {
  it('is cancelled or rejected if there is no handler', async () => {
    const { client, server } = await scripted(sessions())
    expect(server.of(Method.Initialize)).toMatchObject([{ params: { capabilities: {} } }])
    expect(await ask(server, 'elicitation/create', FORM)).toEqual({ result: { action: 'cancel' } })
    expect(await ask(server, 'sampling/createMessage', {}, 2)).toMatchObject({ error: { code: -32601 } })
    expect(await ask(server, 'roots/list', {}, 3)).toMatchObject({ error: { code: -32601 } })
    expect(await ask(server, 'tasks/get', {}, 4)).toMatchObject({ error: { code: -32601 } })
    expect(await ask(server, 'ping', {}, 0)).toEqual({ result: {} })
    expect(client.isAlive).toBe(true)
  })

  it.each(['2024-11-05', '2025-03-26'])(
    'is answered if its capability was declared, even in the revision %s',
    async (date) => {
      const { server } = await scripted(sessions(date), {
        handlers: { elicit: () => ({ action: 'accept', content: { count: 1 } }) },
      })
      expect(server.of(Method.Initialize)).toMatchObject([{ params: { capabilities: { elicitation: {} } } }])
      expect(await ask(server, 'elicitation/create', FORM)).toMatchObject({ result: { action: 'accept' } })
    },
  )

  it.each([
    ['elicit', '2025-11-25', { elicitation: { form: {} } }],
    ['elicitUrl', '2025-11-25', { elicitation: { url: {} } }],
    ['elicitUrl', '2025-06-18', {}],
  ] as const)('requires a capability that its handler declares: %s in %s', async (name, date, expected) => {
    const handlers: ClientHandlers = { [name]: () => ({ action: 'decline' }) }
    const { server } = await scripted(sessions(date), { handlers, revisions: [date] })
    const [{ params } = {}] = server.of(Method.Initialize)
    expect((params as { capabilities: unknown }).capabilities).toEqual(expected)
  })

  it('requires a capability, which is declared in the form that the revision defines', async () => {
    const handlers: ClientHandlers = {
      elicit: () => ({ action: 'decline' }),
      elicitUrl: () => ({ action: 'accept' }),
      sample: () => SAID,
      roots: [],
    }
    const capabilitiesAt = async (date: string): Promise<unknown> => {
      const { server } = await scripted(sessions(date), { handlers, revisions: [date as '2025-06-18'] })
      const [{ params } = {}] = server.of(Method.Initialize)
      return (params as { capabilities: unknown }).capabilities
    }
    const roots = { listChanged: true }
    expect(await capabilitiesAt('2024-11-05')).toEqual({ roots, sampling: {} })
    expect(await capabilitiesAt('2025-06-18')).toEqual({ roots, sampling: {}, elicitation: {} })
    const forms = { form: {}, url: {} }
    expect(await capabilitiesAt('2025-11-25')).toEqual({ roots, sampling: {}, elicitation: forms })
    const { server } = await scripted(
      { ...modern(), [Method.ListTools]: { tools: [] } },
      { handlers, tasks: true },
    )
    expect(metaOf(server.heard[0])['io.modelcontextprotocol/clientCapabilities']).toEqual({
      roots: {},
      sampling: {},
      elicitation: forms,
      extensions: { 'io.modelcontextprotocol/tasks': {} },
    })
  })

  it.each([
    [
      'numbers and booleans given as strings',
      { count: '42', sure: 'true' },
      { count: 42, sure: true, size: 's' },
    ],
    ['a choice other than the default', { count: 1, size: 'l' }, { count: 1, size: 'l' }],
  ])('is answered with content converted to the types in the form: %s', async (_, content, sent) => {
    const { server } = await scripted(sessions(), {
      handlers: { elicit: () => ({ action: 'accept', content }) },
    })
    expect(await ask(server, 'elicitation/create', FORM)).toEqual({
      result: { action: 'accept', content: sent },
    })
  })

  it.each([
    ['lacks a required field', {}],
    ['has a field of the wrong type', { count: 'many' }],
    ['is not one of the choices', { count: 1, size: 'm' }],
  ])('is cancelled with an error event if the content %s', async (_, content) => {
    const { client, server } = await scripted(sessions(), {
      handlers: { elicit: () => ({ action: 'accept', content }) },
    })
    const errors = listener(client, 'error')
    expect(await ask(server, 'elicitation/create', FORM)).toEqual({ result: { action: 'cancel' } })
    expect(errors).toHaveBeenCalledTimes(1)
  })

  it('is answered without content if the handler declines it', async () => {
    const { server } = await scripted(sessions(), {
      handlers: { elicit: () => ({ action: 'decline', content: { count: 1 } }) },
    })
    expect(await ask(server, 'elicitation/create', FORM)).toEqual({ result: { action: 'decline' } })
  })

  it('is rejected without calling the handler if its mode was not declared or its URL is unsafe', async () => {
    const elicitUrl = vi.fn<() => { action: 'accept' }>(() => ({ action: 'accept' }))
    const { server } = await scripted(sessions(), { handlers: { elicitUrl } })
    expect(await ask(server, 'elicitation/create', FORM)).toMatchObject({ error: { code: -32602 } })
    const open = (url: unknown, id: number): Promise<object> =>
      ask(server, 'elicitation/create', { mode: 'url', message: 'Open', url, elicitationId: 'e' }, id)
    for (const [id, url] of [
      'javascript:alert(1)',
      'file:///etc/passwd',
      'https://bank.example\n.evil.example',
      'not a url',
      7,
    ].entries())
      expect(await open(url, id)).toMatchObject({ error: { code: -32602 } })
    expect(elicitUrl).not.toHaveBeenCalled()
    expect(await open('https://bank.example/x', 9)).toEqual({ result: { action: 'accept' } })
  })

  const SAMPLING = 'https://modelcontextprotocol.io/specification/2025-11-25/client/sampling'
  const use = (id: string): object => ({ type: 'tool_use', id, name: 't', input: {} })
  const resultOf = (toolUseId: string): object => ({ type: 'tool_result', toolUseId, content: [] })
  const text = { type: 'text', text: 'x' }
  const assistant = (...content: object[]): object => ({ role: 'assistant', content })
  const user = (...content: object[]): object => ({ role: 'user', content })
  const tools = [{ name: 't', inputSchema: { type: 'object' } }]

  it.each<[string, object, boolean]>([
    ['tools that were not declared', { messages: [user(text)], tools }, false],
    [
      'a choice of tools that were not declared',
      { messages: [user(text)], toolChoice: { mode: 'auto' } },
      false,
    ],
    ['a tool use without a result', { messages: [assistant(use('a'), text)] }, true],
    ['a tool use and another message', { messages: [assistant(use('a')), user(text)] }, true],
    [
      'one result for two tool uses',
      { messages: [assistant(use('a'), use('b')), user(resultOf('a'))] },
      true,
    ],
    ["another tool use's result", { messages: [assistant(use('a')), user(resultOf('b'))] }, true],
    ['a result and a text block', { messages: [assistant(use('a')), user(resultOf('a'), text)] }, true],
    ['a result without a tool use', { messages: [user(resultOf('a'))] }, true],
    ['no messages', {}, true],
  ])(`is rejected if sampling contains %s: ${SAMPLING}#error-handling`, async (_, params, declared) => {
    const sample = vi.fn<NonNullable<ClientHandlers['sample']>>()
    const { server } = await scripted(sessions(), {
      handlers: { sample },
      ...(declared && { capabilities: { sampling: { tools: {} } } }),
    })
    const answer = await ask(server, 'sampling/createMessage', { maxTokens: 9, ...params })
    expect(answer).toMatchObject({ error: { code: -32602 } })
    expect(sample).not.toHaveBeenCalled()
  })

  it('may offer tools for sampling if the client has declared that capability', async () => {
    const sample = vi.fn<NonNullable<ClientHandlers['sample']>>(() => SAID)
    const { server } = await scripted(sessions(), {
      handlers: { sample },
      capabilities: { sampling: { tools: {} } },
    })
    const messages = [user(text), assistant(text, use('a'), use('b')), user(resultOf('b'), resultOf('a'))]
    const params = { messages, maxTokens: 9, tools, toolChoice: { mode: 'auto' } }
    expect(await ask(server, 'sampling/createMessage', params)).toMatchObject({ result: { model: 'm' } })
    expect(sample.mock.calls[0]?.[0]).toEqual(params)
  })

  it('for roots is followed by notifications when the roots change, if the revision defines them', async () => {
    const { client, server } = await scripted(sessions(), { handlers: { roots: [] } })
    expect(server.of(Method.Initialize)).toMatchObject([
      { params: { capabilities: { roots: { listChanged: true } } } },
    ])
    await client.rootsChanged()
    await server.hears('notifications/roots/list_changed')
    const newer = await scripted(modern(), { handlers: { roots: [] } })
    await newer.client.rootsChanged()
    await settled()
    expect(newer.server.methods).not.toContain('notifications/roots/list_changed')
  })

  it("passes the server's name to its handler", async () => {
    const sample = vi.fn(() => SAID)
    const { server } = await scripted(sessions(), { name: 'mine', handlers: { sample } })
    await ask(server, 'sampling/createMessage', { messages: [], maxTokens: 5 })
    expect(sample).toHaveBeenCalledWith(
      { messages: [], maxTokens: 5 },
      {
        name: 'mine',
        server: expect.objectContaining({ name: 'scripted' }),
        signal: expect.any(AbortSignal),
      },
    )
    expect(await ask(server, 'sampling/createMessage', { messages: 'x' }, 2)).toMatchObject({
      error: { code: -32602 },
    })
  })

  it('fails with a generic error if its handler throws anything other than an McpError', async () => {
    let failure: Error = new Error('password is hunter2')
    const { server } = await scripted(sessions(), {
      handlers: {
        sample: () => {
          throw failure
        },
        roots: () => [{ uri: 'https://no.file' }],
      },
    })
    const failed = await ask(server, 'sampling/createMessage', { messages: [], maxTokens: 5 })
    expect(failed).toMatchObject({ error: { code: -32603 } })
    expect(JSON.stringify(failed)).not.toContain('hunter2')
    failure = new McpError(-1, 'The user refused')
    expect(await ask(server, 'sampling/createMessage', { messages: [], maxTokens: 5 }, 2)).toEqual({
      error: { code: -1, message: 'The user refused' },
    })
    expect(await ask(server, 'roots/list', {}, 3)).toMatchObject({ error: { code: -32603 } })
  })

  it('is not answered, and its handler is aborted, if the server cancels it', async () => {
    const aborted = vi.fn<() => void>()
    const { server } = await scripted(sessions(), {
      handlers: {
        elicit: (_, { signal }) =>
          new Promise((resolve) => {
            signal.addEventListener('abort', () => {
              aborted()
              resolve({ action: 'cancel' })
            })
          }),
      },
    })
    server.say({ jsonrpc: '2.0', id: 'q', method: 'elicitation/create', params: FORM })
    await settled()
    server.notify(Notification.Cancelled, { requestId: 'q' })
    await settled()
    expect(aborted).toHaveBeenCalledTimes(1)
    expect(server.heard.some(({ id }) => id === 'q')).toBe(false)
  })

  it("pauses the call's timeout, and is cancelled if the handler takes too long", async () => {
    let signal: AbortSignal | undefined
    const { client, server, clock } = await timed(sessions(), {
      handlers: { elicit: (_, ctx) => ((signal = ctx.signal), new Promise(() => {})) },
    })
    const call = client.callTool('x')
    const { id } = await server.hears(Method.CallTool)
    server.say({ jsonrpc: '2.0', id: 'q', method: 'elicitation/create', params: FORM })
    await settled()
    await clock.advance(599_999)
    expect([client.stats().pending, signal?.aborted]).toEqual([1, false])
    await clock.advance(1)
    expect(signal?.reason).toMatchObject({ message: 'No answer within 600000 ms' })
    expect(await server.hears((message) => message['id'] === 'q')).toMatchObject({
      result: { action: 'cancel' },
    })
    server.answer(id, { content: [] })
    expect(await call).toEqual({ content: [] })
    expect(clock.pending).toBe(0)
  })

  it('is rejected if 64 requests are pending or its id is in use', async () => {
    const { server } = await scripted(sessions(), { handlers: { elicit: () => new Promise(() => {}) } })
    for (let id = 1; id <= 64; id++)
      server.say({ jsonrpc: '2.0', id, method: 'elicitation/create', params: FORM })
    expect(await ask(server, 'elicitation/create', FORM, 65)).toMatchObject({ error: { code: -32603 } })
    expect(await ask(server, 'elicitation/create', FORM, 1)).toMatchObject({ error: { code: -32600 } })
  })
})

describe('a server without sessions', () => {
  it('receives no response if it sends a request itself', async () => {
    const custom = vi.fn<() => JsonObject>(() => ({}))
    const { client, server } = await scripted(modern(), {
      handlers: { elicit: () => ({ action: 'cancel' }), requests: { 'com.example/ask': custom } },
    })
    server.say({ jsonrpc: '2.0', id: 'q', method: 'elicitation/create', params: FORM })
    for (const method of ['ping', 'com.example/ask']) server.say({ jsonrpc: '2.0', id: method, method })
    await settled()
    expect(server.methods).toEqual([Method.Discover])
    expect(custom).not.toHaveBeenCalled()
    expect(client.stats().ignored.requests).toBe(3)
  })

  const asking = (more: object = {}): object => ({
    resultType: 'input_required',
    inputRequests: { count: { method: 'elicitation/create', params: FORM } },
    ...more,
  })
  const DONE = { resultType: 'complete', content: [] }

  it('receives a retry of the call, with the answers, a new id and the same requestState', async () => {
    const state = '{"n": 1,\u00a0"x":"\\u00e4"}'
    const answers = [
      asking({ requestState: state }),
      asking(),
      { resultType: 'input_required', requestState: '' },
      DONE,
    ]
    const { client, server } = await scripted(
      { ...modern(), [Method.CallTool]: () => answers.shift() as never },
      { handlers: { elicit: () => ({ action: 'accept', content: { count: 2 } }) } },
    )
    await client.callTool('x', { a: 1 })
    const calls = server.of(Method.CallTool).map(({ params }) => params as Record<string, unknown>)
    const inputResponses = { count: { action: 'accept', content: { count: 2, size: 's' } } }
    expect(calls).toMatchObject([
      { name: 'x', arguments: { a: 1 } },
      { name: 'x', arguments: { a: 1 }, inputResponses, requestState: state },
      { name: 'x', arguments: { a: 1 }, inputResponses },
      { name: 'x', arguments: { a: 1 }, requestState: '' },
    ])
    expect(Object.hasOwn(calls[2] ?? {}, 'requestState')).toBe(false)
    expect(Object.hasOwn(calls[3] ?? {}, 'inputResponses')).toBe(false)
    expect(new Set(server.of(Method.CallTool).map(({ id }) => id)).size).toBe(4)
  })

  it('can require input for at most eight rounds', async () => {
    const { client, server } = await scripted(
      { ...modern(), [Method.CallTool]: asking() as never },
      { handlers: { elicit: () => ({ action: 'decline' }) } },
    )
    await expect(client.callTool('x')).rejects.toMatchObject({ code: 'too-many-rounds' })
    expect(server.of(Method.CallTool)).toHaveLength(9)
  })

  it.each([
    [
      'a request without a handler',
      asking({ inputRequests: { r: { method: 'roots/list' } } }),
      'input-unavailable',
    ],
    [
      'a request with an unsupported method',
      asking({ inputRequests: { r: { method: 'tools/call' } } }),
      'input-unavailable',
    ],
    ['neither requests nor state', { resultType: 'input_required' }, 'invalid-response'],
    ['a malformed request', asking({ inputRequests: { r: 'roots/list' } }), 'invalid-response'],
    ['a state that is not a string', asking({ requestState: {} }), 'invalid-response'],
    ['an unknown result type', { resultType: 'later', content: [] }, 'invalid-response'],
  ])('causes the call to fail if it sends %s', async (_, answer, code) => {
    const { client, server } = await scripted({ ...modern(), [Method.CallTool]: answer as never })
    await expect(client.callTool('x')).rejects.toMatchObject({ code })
    expect(server.of(Method.CallTool)).toHaveLength(1)
  })

  it('can require input only for certain methods', async () => {
    const { client } = await scripted({ ...modern(), [Method.ListTools]: asking() as never })
    await expect(client.listTools()).rejects.toMatchObject({ code: 'invalid-response' })
  })

  it('does not receive a retry of the call if the caller has aborted it', async () => {
    const controller = new AbortController()
    const { client, server } = await scripted(
      { ...modern(), [Method.CallTool]: asking() as never },
      {
        handlers: {
          elicit: () => {
            controller.abort(new Error('Enough'))
            return { action: 'decline' }
          },
        },
      },
    )
    await expect(client.callTool('x', {}, { signal: controller.signal })).rejects.toThrow('Enough')
    expect(server.of(Method.CallTool)).toHaveLength(1)
  })
})
