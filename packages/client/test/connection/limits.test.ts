import { settled } from '@jetway-apps/test-support'
import { describe, expect, it, vi } from 'vitest'
import { Method, Notification } from '../support/dates.ts'
import { listener, modern, scripted, sessions, timed } from '../support/scripted.ts'

const DONE = { content: [] }

/** Resolves to the result of a call, or to its error as a string. */
const outcome = (of: Promise<unknown>): Promise<unknown> => of.catch((error: unknown) => String(error))

describe('pending requests', () => {
  it('are limited to 1,024', async () => {
    const { client, server } = await scripted(sessions())
    const calls = Array.from({ length: 1_024 }, () => client.callTool('x'))
    await vi.waitFor(() => expect(server.of(Method.CallTool)).toHaveLength(1_024))
    await expect(client.callTool('x')).rejects.toMatchObject({
      code: 'too-many-calls',
      message: 'tools/call: 1024 requests have no response yet',
    })
    for (const { id } of server.of(Method.CallTool)) server.answer(id, DONE)
    await Promise.all(calls)
    expect(client.stats().pending).toBe(0)
  })

  it.each([
    [new Error('x'.repeat(257)), 'x'.repeat(256)],
    ['enough', 'The caller has aborted the request'],
  ])('are cancelled with a reason of at most 256 characters', async (given, reason) => {
    const { client, server } = await scripted(sessions())
    const controller = new AbortController()
    const call = outcome(client.callTool('x', {}, { signal: controller.signal }))
    const { id } = await server.hears(Method.CallTool)
    controller.abort(given)
    await call
    expect(await server.hears(Notification.Cancelled)).toEqual({
      jsonrpc: '2.0',
      method: Notification.Cancelled,
      params: { requestId: id, reason },
    })
  })
})

describe('a batch from the server', () => {
  it.each([
    [1_024, 1_024, 0],
    [1_025, 1_024, 1],
  ])('is truncated to 1,024 messages: of %i messages, %i are delivered', async (length, read, malformed) => {
    const { client, server } = await scripted(sessions('2025-03-26'))
    const heard = listener(client, 'toolsChanged')
    const errors = listener(client, 'error')
    server.say(Array.from({ length }, () => ({ jsonrpc: '2.0', method: Notification.ToolsListChanged })))
    await settled()
    expect(heard).toHaveBeenCalledTimes(read)
    expect(client.stats().ignored.malformed).toBe(malformed)
    expect(errors.mock.calls.map(([{ message }]) => message)).toEqual(
      malformed === 0 ? [] : ['The server sent an invalid message: a batch of 1025 messages'],
    )
  })
})

describe('an invalid message', () => {
  it.each<[string, (id: unknown) => object, boolean]>([
    ['with the id of a request', (id) => ({ jsonrpc: '2.0', id, result: 5 }), true],
    ['with its id as a string', (id) => ({ jsonrpc: '2.0', id: String(id), result: 5 }), true],
    ['with a method', (id) => ({ jsonrpc: '2.0', id, method: 5 }), false],
    ['with another id', () => ({ jsonrpc: '2.0', id: 99, result: 5 }), false],
    ['without an id', () => ({ jsonrpc: '2.0', result: 5 }), false],
  ])('fails the request with the same id, or is reported: %s', async (_, message, fails) => {
    const { client, server } = await scripted(sessions())
    const errors = listener(client, 'error')
    const call = outcome(client.callTool('x'))
    const { id } = await server.hears(Method.CallTool)
    server.say(message(id))
    await settled()
    expect(errors).toHaveBeenCalledTimes(fails ? 0 : 1)
    expect(client.stats()).toMatchObject({ pending: fails ? 0 : 1, ignored: { malformed: 1 } })
    server.answer(id, DONE)
    if (fails) expect(await call).toContain('The answer to tools/call is malformed: ')
    else expect(await call).toEqual(DONE)
  })
})

describe('an error without an id', () => {
  it.each([
    [1, 0, 0],
    [2, 2, 1],
  ])(
    'fails the pending request if there is only one: of %i pending requests, %i remain',
    async (open, left, ignored) => {
      const { client, server } = await scripted(sessions())
      const calls = Array.from({ length: open }, (_, at) => outcome(client.callTool(`t${at}`)))
      await vi.waitFor(() => expect(server.of(Method.CallTool)).toHaveLength(open))
      server.say({ jsonrpc: '2.0', id: null, error: { code: -32600, message: 'Unreadable' } })
      await settled()
      expect(client.stats()).toMatchObject({ pending: left, ignored: { responses: ignored } })
      await client.close()
      if (left === 0) expect(await calls[0]).toBe('McpError: Unreadable')
    },
  )
})

describe('progress notifications', () => {
  it('are delivered without invalid members, and ignored if `progress` is not a number', async () => {
    const { client, server } = await scripted(sessions())
    const heard: unknown[] = []
    const call = client.callTool('x', {}, { onProgress: (report) => void heard.push(report) })
    const { id: progressToken } = await server.hears(Method.CallTool)
    for (const report of [
      { progress: 1, total: '2', message: 3 },
      { progress: 2, total: 0, message: '' },
      { progress: '3' },
    ])
      server.notify(Notification.Progress, { progressToken, ...report })
    server.answer(progressToken, DONE)
    await call
    server.notify(Notification.Progress, { progressToken, progress: 4 })
    await settled()
    expect(heard).toEqual([{ progress: 1 }, { progress: 2, total: 0, message: '' }])
    expect(client.stats().ignored.progress).toBe(2)
  })

  it('are not reported if they decrease or are infinite, but a decrease restarts the timeout', async () => {
    const { client, server, clock } = await timed(sessions(), { timeoutMs: 1_000 })
    const heard: unknown[] = []
    const call = outcome(client.callTool('x', {}, { onProgress: (report) => void heard.push(report) }))
    const { id } = await server.hears(Method.CallTool)
    const report = async (members: string): Promise<void> => {
      const params = `{"progressToken":${JSON.stringify(id)},${members}}`
      server.say(`{"jsonrpc":"2.0","method":"notifications/progress","params":${params}}`)
      await settled()
    }
    await report('"progress":-1')
    await report('"progress":5,"total":1e999')
    await clock.advance(600)
    await report('"progress":4,"total":9')
    await clock.advance(600)
    await report('"progress":1e999')
    await report('"progress":-1e999')
    await report('"progress":5,"message":"still"')
    await report('"progress":6')
    expect(heard).toEqual([
      { progress: -1 },
      { progress: 5 },
      { progress: 5, message: 'still' },
      { progress: 6 },
    ])
    expect(client.stats().ignored.progress).toBe(3)
    server.answer(id, DONE)
    await call
  })

  it('can be requested without replacing other metadata of the call', async () => {
    const { client, server } = await scripted({ ...sessions(), [Method.CallTool]: DONE })
    await client.callTool('x', {}, { _meta: { 'com.example/a': 1 }, onProgress: () => {} })
    const [{ id, params } = {}] = server.of(Method.CallTool)
    expect(params).toEqual({ name: 'x', arguments: {}, _meta: { 'com.example/a': 1, progressToken: id } })
  })
})

describe("a call's timeouts", () => {
  it("pause while the server waits for the user's input", async () => {
    let answer = (_result: { readonly action: 'decline' }): void => {}
    const elicit = (): Promise<{ readonly action: 'decline' }> => new Promise((resolve) => (answer = resolve))
    const { client, server, clock } = await timed(sessions(), {
      handlers: { elicit },
      timeoutMs: 1_000,
      maxTotalMs: 5_000,
    })
    const call = outcome(client.callTool('x'))
    const { id } = await server.hears(Method.CallTool)
    await clock.advance(900)
    const ask = (asked: string): void =>
      server.say({
        jsonrpc: '2.0',
        id: asked,
        method: 'elicitation/create',
        params: { message: 'Who?', requestedSchema: { type: 'object', properties: {} } },
      })
    ask('first')
    await settled()
    await clock.advance(60_000)
    answer({ action: 'decline' })
    await settled()
    // The timeout restarts after the answer, whereas the total time limit continues.
    for (let i = 0; i < 4; i++) {
      await clock.advance(999)
      server.notify(Notification.Progress, { progressToken: id, progress: i })
      await settled()
    }
    await clock.advance(103)
    expect(client.stats().pending).toBe(1)
    await clock.advance(1)
    expect(await call).toBe(
      'RequestTimeoutError: No answer to tools/call within 5000 ms. Set maxTotalMs to wait longer',
    )
    expect(clock.pending).toBe(0)
  })

  it('are not started for a notification', async () => {
    const { client, clock } = await timed(modern())
    await client.notify('notifications/example')
    expect(clock.pending).toBe(0)
  })
})
