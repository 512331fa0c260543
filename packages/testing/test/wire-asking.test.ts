import { asks, elicit, elicitUrl, listRoots, McpServer, sample } from '@jetway/core'
import type { JsonObject } from '@jetway/core/protocol'
import { createMemoryTransportPair } from '@jetway/core/transport'
import { describe, expect, it } from 'vitest'
import { connectPeer } from '../src/peer.ts'
import { recordTransport } from '../src/record-transport.ts'
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

describe('what a server asks', () => {
  it.each(Object.keys(ASKED))('is valid in %s, and is not asked where it cannot be', async (revision) => {
    const server = new McpServer({ name: 'wire', version: '1.0.0' })
    for (const [name, question] of Object.entries(QUESTIONS)) {
      server.addTool({ name, handler: () => 'done', asks: asks().ask('it', (): unknown => question()) })
    }
    const [client, end] = createMemoryTransportPair()
    const { transport, frames } = recordTransport(client)
    server.connect(end)
    const peer = await connectPeer(transport, {
      revision,
      capabilities: { elicitation: { form: {}, url: {} }, roots: {}, sampling: { tools: {} } },
      onRequest: (method) => ANSWERS[method],
    })
    const answered: string[] = []
    for (const name of Object.keys(QUESTIONS)) {
      const { error } = await peer.request('tools/call', { name })
      if (error === undefined) answered.push(name)
    }
    await peer.close()
    expect(answered).toEqual(ASKED[revision])
    const asked = frames.filter(
      ({ direction, message }) => direction === 'received' && 'method' in (message as object),
    )
    expect(asked).toHaveLength(answered.length)
    expect(asked.flatMap(({ message }) => validateWire(revision, message, { direction: 'server' }))).toEqual(
      [],
    )
  })
})
