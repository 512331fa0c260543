import { requestMeta } from '@jetway-apps/test-support'
import { describe, expect, it } from 'vitest'
import { asks } from '../../../src/features/tools/asks.ts'
import { inputRequired } from '../../../src/features/tools/input-required.ts'
import type { McpServer } from '../../../src/index.ts'
import { elicit, elicitUrl, listRoots, sample } from '../../../src/call/input/question.ts'
import type { ServerOptions } from '../../../src/server/options.ts'
import { addDeleteFolder, named, ok } from '../../support/asking.ts'
import { MODERN } from '../../support/modern-calls.ts'
import { type Answer, createHarness, type Harness } from '../support/harness.ts'
import { accept, askedIn, EVERYTHING, type Round, sendRound, stateOf, textOf } from '../support/rounds.ts'

type SetUp = (server: McpServer) => void
interface Caller {
  readonly harness: Harness
  readonly call: (name: string, round?: Partial<Round>) => Promise<Answer>
}

function serve(setUp: SetUp, server: ServerOptions = {}): Caller {
  const harness = createHarness({ setUp, server })
  return { harness, call: (name, round) => sendRound(harness, { params: { name }, ...round }) }
}

function deleteFolder(): Caller & { readonly runs: { ask: number; handler: number } } {
  const caller = serve(() => {})
  return { ...caller, runs: addDeleteFolder(caller.harness.server) }
}

const params = { name: 'delete_folder', arguments: { path: 'a' } }

describe('a call with questions (https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/mrtr)', () => {
  it('returns its questions, and runs the handler once, after the client has answered', async () => {
    const { call, runs } = deleteFolder()
    const first = await call('', { params })
    expect(first).toMatchObject({ status: 200, headers: { 'content-type': 'application/json' } })
    expect(first.json.result).toEqual({
      resultType: 'input_required',
      inputRequests: {
        confirm: {
          method: 'elicitation/create',
          params: {
            message: 'Delete all of a?',
            requestedSchema: { type: 'object', properties: { ok: { type: 'boolean' } }, required: ['ok'] },
          },
        },
      },
      requestState: expect.stringMatching(/^[\w-]+$/) as string,
      _meta: { 'io.modelcontextprotocol/serverInfo': expect.any(Object) as object },
    })
    expect(runs).toEqual({ ask: 1, handler: 0 })
    const second = await call('', {
      params,
      responses: { confirm: accept({ ok: true }) },
      state: stateOf(first),
    })
    expect(second.json.result).toMatchObject({
      resultType: 'complete',
      content: [{ type: 'text', text: 'Deleted a' }],
    })
    expect(runs).toEqual({ ask: 2, handler: 1 })
  })

  it.each<[string, unknown]>([
    ['answers that are not an object', []],
    ['answers that are null', null],
    ['an answer that is not an object', { confirm: 12_345 }],
  ])('is rejected if it contains %s', async (_what, responses) => {
    const { call, runs } = deleteFolder()
    const state = stateOf(await call('', { params }))
    expect(await call('', { params, state, responses })).toMatchObject({ json: { error: { code: -32602 } } })
    expect(runs.handler).toBe(0)
  })

  it('asks unanswered questions again, and ignores unknown answers', async () => {
    const { call, runs } = deleteFolder()
    const state = stateOf(await call('', { params }))
    const again = await call('', { params, state, responses: { other: accept({ ok: true }) } })
    expect(Object.keys(askedIn(again).inputRequests ?? {})).toEqual(['confirm'])
    const without = await call('', { params, state: stateOf(again) })
    expect(Object.keys(askedIn(without).inputRequests ?? {})).toEqual(['confirm'])
    const responses = { confirm: accept({ ok: true }), other: accept({}) }
    expect(textOf(await call('', { params, state: stateOf(without), responses }))).toBe('Deleted a')
    expect(runs.handler).toBe(1)
  })

  it('cannot use ctx.elicit, which throws an error that names the alternatives', async () => {
    const seen: unknown[] = []
    const { call } = serve((server) => {
      server.addTool({
        name: 'a',
        async handler(_args, ctx) {
          for (const asking of [
            () => ctx.elicit('One?', ok),
            () => ctx.elicitUrl('Two', 'https://example.com'),
            () => ctx.sample({ messages: [], maxTokens: 1 }),
            () => ctx.listRoots(),
            () => ctx.request('com.example/weather'),
          ])
            await asking().catch((error: unknown) => seen.push(error))
          return 'done'
        },
      })
    })
    expect(textOf(await call('a'))).toBe('done')
    const code = 'ERR_MCP_UNSUPPORTED_HERE'
    const advice = /declare the tool's asks, or return inputRequired/
    const advised = { code, message: expect.stringMatching(advice) as string }
    expect(seen).toMatchObject([advised, advised, advised, advised, { code }])
  })
})

describe('questions returned in a result', () => {
  const setUp: SetUp = (server) => {
    const one = (): ReturnType<typeof elicit> => elicit('One?', ok)
    server.addTool({ name: 'a', asks: asks().ask('one', one), handler: () => 'done' })
  }
  const responses = { one: accept({ ok: true }) }

  it('work on a mount that sends only JSON replies, and on a mount that has no sessions', async () => {
    for (const endpoint of [{ response: 'json' }, { stateless: true }] as const) {
      const harness = createHarness({ setUp, endpoint })
      const state = stateOf(await sendRound(harness, { params: { name: 'a' } }))
      expect(textOf(await sendRound(harness, { params: { name: 'a' }, state, responses }))).toBe('done')
    }
  })

  it('work on a mount that streams every reply', async () => {
    const harness = createHarness({ setUp, endpoint: { response: 'sse' } })
    const ask = async (round: object): Promise<Record<string, unknown> | undefined> => {
      const { sink } = await sendRound(harness, { params: { name: 'a' }, ...round })
      await sink.ended()
      return sink.messages.at(-1)?.result
    }
    const first = await ask({})
    expect(first).toMatchObject({ resultType: 'input_required' })
    expect(await ask({ state: first?.['requestState'], responses })).toMatchObject({
      content: [{ text: 'done' }],
    })
  })

  it('work with server.handleMessage', async () => {
    const { harness } = serve(setUp)
    const handle = async (more: object): Promise<Record<string, unknown>> => {
      const _meta = requestMeta(EVERYTHING, MODERN)
      const message = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'a', ...more, _meta } }
      const answer = await harness.server.handleMessage(message)
      return (JSON.parse(answer ?? '') as { result: Record<string, unknown> }).result
    }
    const { requestState } = await handle({})
    expect(await handle({ requestState, inputResponses: responses })).toMatchObject({
      content: [{ text: 'done' }],
    })
  })
})

describe('several questions', () => {
  const several: SetUp = (server) => {
    server.addTool({
      name: 'several',
      asks: {
        form: () => elicit('Form?', named),
        url: () => elicitUrl('Open', (id) => `https://example.com/${id}`, { declined: 'see' }),
        said: () =>
          sample({ messages: [{ role: 'user', content: { type: 'text', text: 'x' } }], maxTokens: 5 }),
        roots: () => listRoots(),
      },
      handler: (_args, { answers: { form, url, said, roots } }) =>
        `${form.name} ${url.action} ${said.model} ${roots.length}`,
    })
  }
  const all = {
    form: accept({ name: 'Ada' }),
    url: { action: 'accept' },
    said: { role: 'assistant', content: { type: 'text', text: 'y' }, model: 'm' },
    roots: { roots: [{ uri: 'file:///a' }] },
  }

  it('share a round if they are independent, and are encoded according to the revision', async () => {
    const { call } = serve(several)
    const first = askedIn(await call('several'))
    expect(first.inputRequests).toEqual({
      form: { method: 'elicitation/create', params: expect.objectContaining({ message: 'Form?' }) as object },
      url: {
        method: 'elicitation/create',
        params: {
          mode: 'url',
          message: 'Open',
          url: expect.stringMatching(/^https:\/\/example\.com\/[\w-]{22}$/) as string,
        },
      },
      said: {
        method: 'sampling/createMessage',
        params: { messages: [{ role: 'user', content: { type: 'text', text: 'x' } }], maxTokens: 5 },
      },
      roots: { method: 'roots/list', params: {} },
    })
    expect(textOf(await call('several', { state: first.requestState, responses: all }))).toBe(
      'Ada accept m 1',
    )
  })

  it('are asked again until each of them is answered', async () => {
    const { call } = serve(several)
    let state = stateOf(await call('several'))
    const keys = Object.keys(all) as (keyof typeof all)[]
    for (const [index, key] of keys.slice(0, -1).entries()) {
      const asked = askedIn(await call('several', { state, responses: { [key]: all[key] } }))
      expect(Object.keys(asked.inputRequests ?? {})).toEqual(keys.slice(index + 1))
      state = asked.requestState
    }
    const last = { roots: all.roots }
    expect(textOf(await call('several', { state, responses: last }))).toBe('Ada accept m 1')
  })

  it('end the call if the answers exceed the maximum size of requestState', async () => {
    const { call } = serve(
      (server) =>
        void server.addTool({
          name: 'a',
          asks: asks()
            .ask('one', () => elicit('One?', named))
            .ask('two', (_args, ctx) => elicit(`Two, ${ctx.answers.one.name.length}?`, named)),
          handler: () => 'never',
        }),
      { requestState: { maxBytes: 1024 } },
    )
    const state = stateOf(await call('a'))
    const responses = { one: accept({ name: 'x'.repeat(2_000) }) }
    expect(await call('a', { state, responses })).toMatchObject({
      json: {
        result: { isError: true, content: [{ text: expect.stringContaining('too large') as string }] },
      },
    })
  })
})

describe('an answer', () => {
  const wording = { now: 'Delete 3 files?' }
  const reworded: SetUp = (server) =>
    void server.addTool({
      name: 'a',
      asks: { confirm: () => elicit(wording.now, ok) },
      handler: (_args, { answers }) => `done ${answers.confirm.ok}`,
    })

  it('is ignored if the question has changed since it was asked', async () => {
    wording.now = 'Delete 3 files?'
    const { call } = serve(reworded)
    const state = stateOf(await call('a'))
    wording.now = 'Delete 4000 files?'
    const responses = { confirm: accept({ ok: true }) }
    const again = askedIn(await call('a', { state, responses }))
    expect(again.inputRequests).toMatchObject({ confirm: { params: { message: 'Delete 4000 files?' } } })
    expect(textOf(await call('a', { state: again.requestState, responses }))).toBe('done true')
  })

  it('is accepted without requestState in the first round if it matches a declared question', async () => {
    const { call, runs } = deleteFolder()
    expect(textOf(await call('', { params, responses: { confirm: accept({ ok: true }) } }))).toBe('Deleted a')
    expect(runs.handler).toBe(1)
    for (const responses of [
      { other: accept({ ok: true }) },
      { confirm: accept({ ok: 'yes' }) },
      { confirm: {} },
    ])
      expect(askedIn(await call('', { params, responses })).inputRequests).toHaveProperty('confirm')
    expect(runs.handler).toBe(1)
  })

  it('cannot be used in a later round without requestState', async () => {
    const { call } = serve((server) => {
      server.addTool({
        name: 'a',
        asks: asks()
          .ask('one', () => elicit('One?', ok))
          .ask('two', (_args, ctx) => elicit(`Two, ${ctx.answers.one.ok}?`, ok)),
        handler: () => 'done',
      })
    })
    const responses = { one: accept({ ok: true }), two: accept({ ok: true }) }
    const second = askedIn(await call('a', { responses }))
    expect(Object.keys(second.inputRequests ?? {})).toEqual(['two'])
    expect(textOf(await call('a', { state: second.requestState, responses }))).toBe('done')
  })

  it('can have the same name as a member of Object.prototype', async () => {
    const { call } = serve((server) => {
      server.addTool({
        name: 'a',
        asks: asks()
          .ask('toString', () => elicit('One?', ok))
          .ask('constructor', () => elicit('Two?', ok)),
        handler: () => 'done',
      })
    })
    const first = await call('a')
    expect(Object.keys(askedIn(first).inputRequests ?? {})).toEqual(['toString', 'constructor'])
    const responses = JSON.parse(
      '{"toString":{"action":"accept","content":{"ok":true}},"constructor":{"action":"accept","content":{"ok":true}}}',
    ) as object
    expect(textOf(await call('a', { state: stateOf(first), responses }))).toBe('done')
  })
})

describe('a handler that returns inputRequired', () => {
  it('can ask an unanswered question again unchanged', async () => {
    const { call } = serve((server) => {
      server.addTool({
        name: 'a',
        handler: (_args, { inputs }) =>
          inputRequired({ [`try ${inputs.state}`]: elicit('Who?', named) }, { state: 'later' }),
      })
    })
    const first = askedIn(await call('a'))
    const again = askedIn(await call('a', { state: first.requestState, responses: {} }))
    expect(again.inputRequests).toEqual(first.inputRequests)
  })

  it('makes the client answer again if the earlier answer came without requestState', async () => {
    const { call } = serve((server) => {
      server.addTool({ name: 'a', handler: () => inputRequired({ again: elicit('Again?', ok) }) })
    })
    const responses = { again: accept({ ok: true }) }
    expect(askedIn(await call('a', { responses })).inputRequests).toHaveProperty('again')
  })

  it('makes the client call again immediately if it asks no questions', async () => {
    const { call } = serve((server) => {
      server.addTool({
        name: 'a',
        handler: (_args, { inputs }) =>
          inputs.state === undefined ? inputRequired({}, { state: 'later' }) : `Now, ${inputs.state}`,
      })
    })
    const first = askedIn(await call('a'))
    expect(first).not.toHaveProperty('inputRequests')
    expect(textOf(await call('a', { state: first.requestState }))).toBe('Now, later')
  })

  it('does not affect lists', async () => {
    const { call } = serve((server) => {
      server.addPrompt({ name: 'p', handler: () => '' })
      server.addResource({ uri: 'a://b', name: 'r', handler: () => '' })
    })
    const lists = ['tools/list', 'prompts/list', 'resources/list', 'resources/templates/list']
    for (const method of lists) {
      const { json } = await call('', { method, params: {}, responses: 5, state: 5 })
      expect(json.result ?? { resultType: 'complete' }).toMatchObject({ resultType: 'complete' })
    }
  })
})

describe('middleware around a call with questions', () => {
  it('runs in every round, and receives an empty result while questions are open', async () => {
    const seen: unknown[] = []
    const { call } = serve((server) => {
      server.addTool({ name: 'a', asks: { one: () => elicit('One?', ok) }, handler: () => 'done' })
      server.use('tools/call', async (_ctx, next) => {
        const given = await next()
        seen.push(given)
        return { ...given, content: [...given.content, { type: 'text', text: 'more' }] }
      })
    })
    const state = stateOf(await call('a'))
    const { json } = await call('a', { state, responses: { one: accept({ ok: true }) } })
    expect(json.result?.['content']).toHaveLength(2)
    expect(seen).toMatchObject([
      { resultType: 'input_required', content: [] },
      { content: [{ text: 'done' }] },
    ])
  })
})
