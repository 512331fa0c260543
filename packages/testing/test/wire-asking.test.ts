import { callTool, initialize, INITIALIZED, notification } from '@jetway-apps/test-support'
import { asks, elicit, elicitUrl, inputRequired, listRoots, McpServer, sample } from '@jetway/core'
import type { JsonObject } from '@jetway/core/protocol'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { type MatrixTransport, memoryTransport } from '../src/matrix-transports.ts'
import { connectPeer } from '../src/peer.ts'
import { recordTransport, type TransportRecording } from '../src/record-transport.ts'
import { HOST_TRANSPORTS, SSE_TRANSPORTS } from './support/host-transports.ts'
import { requestInRounds } from './support/rounds.ts'
import { validateWire } from './support/wire.ts'

const FORM = {
  type: 'object',
  properties: {
    name: { type: 'string', minLength: 1, format: 'email', default: 'a@b.c', title: 'Name' },
    age: { type: 'integer', minimum: 0, default: 3 },
    on: { type: 'boolean', default: true, description: 'Whether it is on' },
    one: { oneOf: [{ const: 'a', title: 'A' }], default: 'a' },
    plain: { enum: ['a', 'b'] },
    old: { enum: ['a'], enumNames: ['A'] },
  },
  required: ['name'],
  additionalProperties: false,
}
const SEVERAL = {
  type: 'object',
  properties: {
    many: { type: 'array', items: { enum: ['a'] }, minItems: 1 },
    titled: { type: 'array', items: { anyOf: [{ const: 'a', title: 'A' }] } },
  },
}
const annotations = { priority: 1, lastModified: '2025-01-01' }
const user = 'user' as const

const QUESTIONS = {
  form: () => elicit('Who?', FORM),
  several: () => elicit('Which?', SEVERAL),
  url: () => elicitUrl('Open', 'https://example.com/a'),
  roots: () => listRoots(),
  text: () =>
    sample({
      messages: [{ role: user, content: { type: 'text', text: 'x', annotations, _meta: { a: 1 } } }],
      maxTokens: 5,
      systemPrompt: 'Be brief',
      temperature: 1,
      stopSequences: ['.'],
      modelPreferences: { hints: [{ name: 'm' }], speedPriority: 1 },
    }),
  audio: () =>
    sample({
      messages: [{ role: user, content: { type: 'audio', data: 'AAAA', mimeType: 'audio/wav' } }],
      maxTokens: 5,
    }),
  tools: () =>
    sample({
      messages: [{ role: user, content: [{ type: 'text', text: 'x' }] }],
      maxTokens: 5,
      tools: [{ name: 'a', inputSchema: { type: 'object' } }],
      toolChoice: { mode: 'auto' },
    }),
}

const ANSWERS: Readonly<Record<string, JsonObject>> = {
  'elicitation/create': {
    action: 'accept',
    content: { name: 'x@y.z', many: ['a'] },
  },
  'roots/list': { roots: [] },
  'sampling/createMessage': { role: 'assistant', content: { type: 'text', text: 'x' }, model: 'm' },
}

const ASKED: Readonly<Record<string, readonly string[]>> = {
  '2024-11-05': ['roots', 'text', 'audio'],
  '2025-03-26': ['roots', 'text', 'audio'],
  '2025-06-18': ['form', 'roots', 'text', 'audio'],
  '2025-11-25': Object.keys(QUESTIONS),
}

const capabilities = { elicitation: { form: {}, url: {} }, roots: {}, sampling: { tools: {} } }

async function dial(over: MatrixTransport, server: McpServer): Promise<TransportRecording> {
  const served = await over.open(server)
  onTestFinished(() => served.close())
  const recording = recordTransport(await served.dial())
  onTestFinished(() => recording.transport.close())
  return recording
}

type Called = JsonObject & { readonly id?: unknown; readonly method?: string }
/** Returns the requests and notifications that the server has sent. */
const called = ({ frames }: TransportRecording): Called[] =>
  frames
    .filter(({ direction, message }) => direction === 'received' && 'method' in (message as object))
    .map(({ message }) => message as Called)
const faults = (revision: string, messages: readonly Called[]): string[] =>
  messages.flatMap((message) => validateWire(revision, message, { direction: 'server' }))

const TRANSPORTS = [memoryTransport, ...HOST_TRANSPORTS, ...SSE_TRANSPORTS]
const CELLS = TRANSPORTS.flatMap((over) =>
  Object.keys(ASKED).map((revision) => [over.name, revision, over] as const),
)

describe.each(CELLS)('server requests over %s at %s', (_name, revision, over) => {
  it("match the revision's schema, and are not sent if the revision does not define them", async () => {
    const server = new McpServer({ name: 'wire', version: '1.0.0' })
    for (const [name, question] of Object.entries(QUESTIONS)) {
      server.addTool({ name, handler: () => 'done', asks: asks().ask('it', (): unknown => question()) })
    }
    const recording = await dial(over, server)
    const peer = await connectPeer(recording.transport, {
      revision,
      capabilities,
      onRequest: (method) => ANSWERS[method],
    })
    const answered: string[] = []
    for (const name of Object.keys(QUESTIONS)) {
      const { error } = await peer.request('tools/call', { name })
      if (error === undefined) answered.push(name)
    }
    expect(answered).toEqual(ASKED[revision])
    expect(called(recording)).toHaveLength(answered.length)
    expect(faults(revision, called(recording))).toEqual([])
  })

  it('are cancelled by a notification when their call is cancelled', async () => {
    const server = new McpServer({ name: 'wire', version: '1.0.0' })
    server.addTool({ name: 'roots', handler: () => 'done', asks: { roots: () => listRoots() } })
    const recording = await dial(over, server)
    const { transport, frames } = recording
    // This client never answers, but it keeps reading.
    await transport.start({ message() {}, malformed() {}, close() {} })
    const send = (message: object): void | Promise<void> => transport.send(JSON.stringify(message))
    await send(initialize(revision, { capabilities }))
    await vi.waitFor(() => expect(frames.some(({ direction }) => direction === 'received')).toBe(true))
    await send(INITIALIZED)
    void send(callTool('roots', {}, { id: 2 }))
    await vi.waitFor(() => expect(called(recording)).toHaveLength(1))
    await send(notification('notifications/cancelled', { requestId: 2 }))
    await vi.waitFor(() => expect(called(recording)).toHaveLength(2))
    const [question, withdrawn] = called(recording)
    expect(withdrawn).toMatchObject({
      method: 'notifications/cancelled',
      params: { requestId: question?.id },
    })
    expect(faults(revision, called(recording))).toEqual([])
  })
})

const STANDALONE_TRANSPORTS = [memoryTransport, ...HOST_TRANSPORTS].map((over) => [over.name, over] as const)

describe.each(STANDALONE_TRANSPORTS)('input requests in the result of a call over %s', (_name, over) => {
  it("are valid in 2026-07-28 for every kind of input, as are the client's responses", async () => {
    const revision = '2026-07-28'
    const server = new McpServer({ name: 'wire', version: '1.0.0' })
    for (const [name, question] of Object.entries(QUESTIONS)) {
      server.addTool({ name, handler: () => 'done', asks: asks().ask('it', (): unknown => question()) })
    }
    server.addTool({
      name: 'nothing',
      handler: (_args, { inputs }) =>
        inputs.state === undefined ? inputRequired({}, { state: 'come again' }) : 'done',
    })
    const ask = (): ReturnType<typeof inputRequired> => inputRequired({ it: listRoots() })
    server.addPrompt({ name: 'p', handler: (_args, { inputs }) => (inputs.has('it') ? 'done' : ask()) })
    server.addResource({
      uri: 'a://b',
      name: 'r',
      handler: (_args, { inputs }) => (inputs.has('it') ? 'done' : ask()),
    })
    const { transport, frames } = await dial(over, server)
    const peer = await connectPeer(transport, { revision, capabilities })
    const requests = [
      ...[...Object.keys(QUESTIONS), 'nothing'].map((name) => ['tools/call', { name }] as const),
      ['prompts/get', { name: 'p' }] as const,
      ['resources/read', { uri: 'a://b' }] as const,
    ]
    for (const [method, params] of requests) {
      const { result } = await requestInRounds(peer, method, params, (asked) => ANSWERS[asked])
      expect(result).toMatchObject({ resultType: 'complete' })
      expect(JSON.stringify(result)).toContain('done')
    }
    const methods = new Map<unknown, string>()
    let asking = 0
    for (const { direction, message } of frames) {
      const { id, method, result } = message as JsonObject
      if (typeof method === 'string') methods.set(id, method)
      const sender = direction === 'sent' ? 'client' : 'server'
      const context = { direction: sender, method: methods.get(id) } as const
      expect(validateWire(revision, message, context)).toEqual([])
      const { inputRequests, resultType } = (result ?? {}) as JsonObject
      if (resultType === 'input_required') asking++
      for (const asked of Object.values((inputRequests ?? {}) as Record<string, object>))
        expect(Object.keys(asked)).toEqual(['method', 'params'])
    }
    expect(asking).toBe(requests.length)
  })
})
