import { settled } from '@jetway-apps/test-support'
import { elicitUrl, McpServer, UrlElicitationRequired } from '@jetway/core'
import type { JsonObject } from '@jetway/core/protocol'
import { describe, expect, it, vi } from 'vitest'
import type { Client } from '../../src/client/client.ts'
import { UrlElicitationRequiredError } from '../../src/input/url-elicitation.ts'
import type { ClientHandlers, ElicitUrlResult, ElicitUrlRequest } from '../../src/options/handlers.ts'
import type { ClientOptions } from '../../src/options/options.ts'
import { modern, type Script, scripted, type ScriptedServer, sessions, timed } from '../support/scripted.ts'
import { connectTo } from '../support/servers.ts'

const SPEC = 'https://modelcontextprotocol.io/specification/2025-11-25/client/elicitation'
const COMPLETE = 'notifications/elicitation/complete'

const question = (id: string, more: object = {}): JsonObject => ({
  mode: 'url',
  elicitationId: id,
  url: `https://example.com/${id}`,
  message: 'Connect your account',
  ...more,
})
const required = (...elicitations: JsonObject[]): JsonObject => ({
  error: { code: -32042, message: 'Not yet', data: { elicitations } },
})
const DONE: JsonObject = { content: [{ type: 'text', text: 'done' }] }

/** Returns the script of a server that requires URLs for its first call, and accepts later calls. */
function demanding(first: JsonObject = required(question('a')), revision?: string): Script {
  let calls = 0
  return { ...sessions(revision), 'tools/call': () => (calls++ === 0 ? first : DONE) }
}

type Handler = NonNullable<ClientHandlers['elicitUrl']>
const asking = (handler: Handler): ClientOptions => ({ handlers: { elicitUrl: handler } })
const accept: Handler = () => ({ action: 'accept' })
const calls = (server: ScriptedServer): number => server.of('tools/call').length

async function failure(run: Promise<unknown>): Promise<UrlElicitationRequiredError> {
  const error = await run.catch((reason: unknown) => reason)
  expect(error).toBeInstanceOf(UrlElicitationRequiredError)
  return error as UrlElicitationRequiredError
}

describe(`a call that requires the user to open URLs: ${SPEC}#url-mode-with-elicitation-required-error-flow`, () => {
  it("asks the user, waits for the server's notification, and is retried", async () => {
    const handler = vi.fn<Handler>(accept)
    const { client, server } = await scripted(demanding(), asking(handler))
    const call = client.callTool('x', { a: 1 })
    await vi.waitFor(() => expect(handler).toHaveBeenCalledTimes(1))
    await settled()
    expect(handler.mock.calls[0]?.[0]).toEqual(question('a'))
    expect(calls(server)).toBe(1)
    server.notify(COMPLETE, { elicitationId: 'other' })
    await settled()
    expect(calls(server)).toBe(1)
    server.notify(COMPLETE, { elicitationId: 'a' })
    expect(await call).toEqual(DONE)
    const [first, again] = server.of('tools/call')
    expect(again).toEqual({ ...first, id: expect.anything() })
    expect(again?.['id']).not.toBe(first?.['id'])
  })

  it('is retried immediately if the handler reports that the user has finished', async () => {
    const { client } = await scripted(
      demanding(),
      asking(() => ({ action: 'accept', done: true })),
    )
    expect(await client.callTool('x')).toEqual(DONE)
  })

  it("stops waiting for the handler when the server's notification arrives", async () => {
    const closed = vi.fn<() => void>()
    const handler: Handler = (_, { signal }) =>
      new Promise<ElicitUrlResult>(() => signal.addEventListener('abort', closed))
    const { client, server } = await scripted(demanding(), asking(handler))
    const call = client.callTool('x')
    await server.hears('tools/call')
    await settled()
    server.notify(COMPLETE, { elicitationId: 'a' })
    expect(await call).toEqual(DONE)
    expect(closed).toHaveBeenCalledTimes(1)
  })

  it('waits for all URLs if there are several', async () => {
    const { client, server } = await scripted(
      demanding(required(question('a'), question('b'))),
      asking(accept),
    )
    const call = client.callTool('x')
    await server.hears('tools/call')
    await settled()
    server.notify(COMPLETE, { elicitationId: 'b' })
    await settled()
    expect(calls(server)).toBe(1)
    server.notify(COMPLETE, { elicitationId: 'a' })
    expect(await call).toEqual(DONE)
  })

  it.each(['decline', 'cancel'] as const)('rejects with the URLs if the user chooses %s', async (action) => {
    const signals: AbortSignal[] = []
    const handler = (
      request: ElicitUrlRequest,
      { signal }: { signal: AbortSignal },
    ): Promise<ElicitUrlResult> => {
      signals.push(signal)
      return request.elicitationId === 'a' ? Promise.resolve({ action }) : new Promise(() => {})
    }
    const demand = required(question('a'), question('b'))
    const { client, server } = await scripted(demanding(demand), asking(handler))
    const error = await failure(client.callTool('x'))
    expect(error).toMatchObject({ action, code: -32042, data: { elicitations: [{}, {}] } })
    expect(error.elicitations).toEqual([question('a'), question('b')])
    expect(signals.map(({ aborted }) => aborted)).toEqual([false, true])
    expect(calls(server)).toBe(1)
  })

  it('rejects with the URLs, and declares no capability, if there is no handler', async () => {
    const { client, server } = await scripted(demanding(), {
      handlers: { elicit: () => ({ action: 'accept' }) },
    })
    const error = await failure(client.callTool('x'))
    expect(error.action).toBeUndefined()
    expect(error.message).toContain('https://example.com/a')
    expect(server.of('initialize')).toMatchObject([{ params: { capabilities: { elicitation: {} } } }])
    expect(JSON.stringify(server.of('initialize'))).not.toContain('"url":{}')
  })

  it("rejects if the user takes too long, even if the call's timeout is longer", async () => {
    const options = { ...asking(accept), handlerTimeoutMs: 5_000, timeoutMs: 100 }
    const { client, server, clock } = await timed(demanding(), options)
    const call = failure(client.callTool('x'))
    await server.hears('tools/call')
    await settled()
    await clock.advance(4_999)
    expect(client.stats().pending).toBe(0)
    await clock.advance(1)
    expect((await call).action).toBe('accept')
    expect(calls(server)).toBe(1)
    expect(clock.pending).toBe(0)
  })

  it('asks the user only once if several calls require the same URL', async () => {
    const handler = vi.fn<Handler>(accept)
    let opened = false
    const script = { ...sessions(), 'tools/call': () => (opened ? DONE : required(question('a'))) }
    const { client, server } = await scripted(script, asking(handler))
    const both = Promise.all([client.callTool('x'), client.callTool('y')])
    await vi.waitFor(() => expect(calls(server)).toBe(2))
    await settled()
    opened = true
    server.notify(COMPLETE, { elicitationId: 'a' })
    expect(await both).toEqual([DONE, DONE])
    expect(handler).toHaveBeenCalledTimes(1)
  })

  it('when aborted, stops asking the user only if no other call waits for the same URL', async () => {
    const stop = [new AbortController(), new AbortController()]
    let signal: AbortSignal | undefined
    const handler: Handler = (_, ctx) => {
      signal = ctx.signal
      return new Promise(() => {})
    }
    const script = { ...sessions(), 'tools/call': required(question('a')) }
    const { client, server } = await scripted(script, asking(handler))
    const [first, second] = stop.map((each) => client.callTool('x', {}, { signal: each.signal }))
    await vi.waitFor(() => expect(calls(server)).toBe(2))
    await settled()
    stop[0]?.abort(new Error('Enough'))
    await expect(first).rejects.toThrow('Enough')
    expect(signal?.aborted).toBe(false)
    stop[1]?.abort(new Error('Enough as well'))
    await expect(second).rejects.toThrow('Enough as well')
    await vi.waitFor(() => expect(signal?.aborted).toBe(true))
  })

  it('rejects when the connection ends', async () => {
    const handler = vi.fn<Handler>(accept)
    const { client } = await scripted(demanding(), asking(handler))
    const call = client.callTool('x')
    const refused = expect(call).rejects.toMatchObject({ code: 'closed' })
    await vi.waitFor(() => expect(handler).toHaveBeenCalled())
    await settled()
    await client.close()
    await refused
  })

  it('is retried only a limited number of times', async () => {
    const handler = vi.fn<Handler>(() => ({ action: 'accept', done: true }))
    const script = { ...sessions(), 'tools/call': required(question('a')) }
    const { client, server } = await scripted(script, { ...asking(handler), maxRounds: 3 })
    await expect(client.callTool('x')).rejects.toMatchObject({ code: 'too-many-rounds' })
    expect(handler).toHaveBeenCalledTimes(3)
    expect(calls(server)).toBe(4)
  })

  it('rejects if the handler throws', async () => {
    const handler: Handler = () => Promise.reject(new Error('No browser'))
    const { client } = await scripted(demanding(), asking(handler))
    const { signal } = new AbortController()
    await expect(client.callTool('x', {}, { signal })).rejects.toMatchObject({
      code: 'input-unavailable',
      cause: { message: 'No browser' },
    })
  })

  it.each<[string, JsonObject]>([
    ['nothing', { error: { code: -32042, message: 'Not yet' } }],
    ['an empty list', required()],
    ['a form request', required(question('a', { mode: 'form' }))],
    ['a request without an id', required(question('a', { elicitationId: undefined }))],
    ['a request without a message', required(question('a', { message: 1 }))],
    ['a javascript: URL', required(question('a'), question('b', { url: 'javascript:alert(1)' }))],
    [
      'a URL that looks like another',
      required(question('a', { url: 'https://bank.example\t.evil.example' })),
    ],
    [
      'a URL with a right-to-left override',
      required(question('a', { url: 'https://evil.example/\u202Emoc.knab' })),
    ],
    ['65 URLs', required(...Array.from({ length: 65 }, (_, at) => question(`${at}`)))],
  ])("rejects with the server's error if it names %s", async (_, answer) => {
    const handler = vi.fn<Handler>(accept)
    const { client, server } = await scripted(demanding(answer), asking(handler))
    await expect(client.callTool('x')).rejects.toMatchObject({
      name: 'McpError',
      code: -32042,
      message: 'Not yet',
    })
    expect(handler).not.toHaveBeenCalled()
    expect(calls(server)).toBe(1)
  })

  it("rejects with the server's error in revisions that do not define URL elicitation", async () => {
    const handler = vi.fn<Handler>(accept)
    const { client } = await scripted(demanding(undefined, '2025-06-18'), asking(handler))
    await expect(client.callTool('x')).rejects.toMatchObject({ name: 'McpError', code: -32042 })
    expect(handler).not.toHaveBeenCalled()
  })

  it('can also be a resources/read or prompts/get request', async () => {
    const answers: Record<string, JsonObject> = {
      'resources/read': { contents: [] },
      'prompts/get': { messages: [] },
    }
    const opened = new Set<unknown>()
    const answer = ({ method }: JsonObject): JsonObject => {
      if (opened.has(method)) return answers[String(method)] ?? {}
      opened.add(method)
      return required(question(String(method)))
    }
    const script = { ...sessions(), 'resources/read': answer, 'prompts/get': answer }
    const { client } = await scripted(
      script,
      asking(() => ({ action: 'accept', done: true })),
    )
    expect(await client.readResource('a:b')).toEqual({ contents: [] })
    expect(await client.getPrompt('p')).toEqual({ messages: [] })
  })

  it('succeeds on a Jetway server', async () => {
    const server = new McpServer({ name: 's', version: '1' })
    const connected = new Set<string>()
    server.addTool({
      name: 'mail',
      handler: () => {
        if (connected.size > 0) return 'sent'
        throw new UrlElicitationRequired(elicitUrl('Connect', (id) => `https://example.com/connect?id=${id}`))
      },
    })
    const handler = vi.fn<Handler>(accept)
    const client = await connectTo(server, { ...asking(handler), revisions: ['2025-11-25'] })
    const call = client.callTool('mail')
    await vi.waitFor(() => expect(handler).toHaveBeenCalled())
    connected.add('user')
    server.completeElicitation(handler.mock.calls[0]?.[0].elicitationId ?? '')
    expect(await call).toMatchObject({ content: [{ text: 'sent' }] })
  })
})

describe(`the completion notification: ${SPEC}#completion-notifications-for-url-mode-elicitation`, () => {
  it('is emitted once for each URL that the user was asked to open', async () => {
    const { client, server } = await scripted(sessions(), asking(accept))
    const heard: string[] = []
    client.on('elicitationComplete', ({ elicitationId }) => void heard.push(elicitationId))
    server.notify(COMPLETE, { elicitationId: 'a' })
    server.say({ jsonrpc: '2.0', id: 'q', method: 'elicitation/create', params: question('a') })
    await server.hears((message) => message['id'] === 'q')
    for (const id of ['b', 'a', 'a']) server.notify(COMPLETE, { elicitationId: id })
    await settled()
    expect(heard).toEqual(['a'])
  })
})

describe('an input request', () => {
  const deaf: Handler = () => new Promise(() => {})
  const asked = {
    ...modern(),
    'tools/call': {
      resultType: 'input_required',
      inputRequests: {
        q: {
          method: 'elicitation/create',
          params: { mode: 'url', message: 'm', url: 'https://example.com' },
        },
      },
    },
  }

  it.each<[string, object, (client: Client, controller: AbortController) => void]>([
    ['its call', { message: 'Enough' }, (_, controller) => controller.abort(new Error('Enough'))],
    ['the connection', { code: 'closed' }, (client) => void client.close()],
  ])('ends together with %s, even if the handler ignores the signal', async (_, reason, end) => {
    const handler = vi.fn<Handler>(deaf)
    const { client } = await scripted(asked, asking(handler))
    const controller = new AbortController()
    const call = expect(client.callTool('x', {}, { signal: controller.signal })).rejects.toMatchObject(reason)
    await vi.waitFor(() => expect(handler).toHaveBeenCalled())
    end(client, controller)
    await call
  })
})
