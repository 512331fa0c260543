import { silent } from '@jetway-apps/test-support'
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { content, McpServer } from '../../../src/index.ts'
import { modernClient } from '../../support/modern-client.ts'
import { openPeer } from '../../support/peer.ts'

const ERAS = ['2025-11-25', '2026-07-28'] as const
type Era = (typeof ERAS)[number]

/** Sends a request as a client of the revision. Returns the response and the logged failures. */
async function ask(era: Era, define: (server: McpServer) => void, [method, params]: Request) {
  const logged: string[] = []
  const error = (fields: object): void => void logged.push((fields as { readonly err: Error }).err.message)
  const server = new McpServer({ name: 'test', version: '1' }, { logger: { ...silent, error } })
  define(server)
  const client = era === '2026-07-28' ? { request: modernClient(server) } : await openPeer(server)
  const { result, error: failure } = await client.request(method, params)
  await server.close()
  if (failure !== undefined) return { error: failure, logged }
  const { _meta, resultType: _type, ttlMs, cacheScope, ...rest } = result
  const hints = ttlMs === 0 || ttlMs === undefined ? {} : { ttlMs, cacheScope }
  const own = Object.entries(_meta ?? {}).filter(([key]) => key.startsWith('com.example/'))
  return {
    result: { ...rest, ...hints, ...(own.length > 0 && { _meta: Object.fromEntries(own) }) },
    logged,
  }
}

type Request = readonly [method: string, params: object]

const callTool = (era: Era, returned: unknown, rest: object = {}) =>
  ask(era, (server) => void server.addTool({ name: 't', ...rest, handler: () => returned as string }), [
    'tools/call',
    { name: 't' },
  ])

const readResource = (era: Era, returned: unknown) =>
  ask(
    era,
    (server) => {
      server.addResource({ uri: 'a://b', name: 'b', mimeType: 'text/plain', handler: () => returned })
    },
    ['resources/read', { uri: 'a://b' }],
  )

const readTemplate = (era: Era, returned: unknown) =>
  ask(
    era,
    (server) => {
      server.addResourceTemplate({ uriTemplate: 'a://{x}', name: 'x', handler: () => returned })
    },
    ['resources/read', { uri: 'a://b' }],
  )

const getPrompt = (era: Era, returned: unknown) =>
  ask(
    era,
    (server) => {
      server.addPrompt({ name: 'p', description: 'Of the prompt', handler: () => returned as string })
    },
    ['prompts/get', { name: 'p' }],
  )

const hello = { type: 'text', text: 'hello' }
const contents = { uri: 'a://c', text: 'x' }
const asJson = (value: object): object => ({ content: [{ type: 'text', text: JSON.stringify(value) }] })
const outputSchema = z.object({ high: z.number() })

describe.each(ERAS)("a tool result in the protocol's form, in revision %s", (era) => {
  it.each<object>([
    { content: [hello] },
    { content: [] },
    { content: [hello], isError: true },
    { content: [hello], _meta: { 'com.example/kind': 1 } },
    { content: [hello], structuredContent: { a: 1 } },
    {
      content: [
        { ...hello, annotations: { priority: 1 } },
        { type: 'image', data: 'aGk=', mimeType: 'image/png' },
      ],
    },
    { content: [{ type: 'audio', data: 'aGk=', mimeType: 'audio/wav' }] },
    { content: [{ type: 'resource_link', uri: 'a://b', name: 'b' }] },
    { content: [{ type: 'resource', resource: contents }] },
    { content: [{ type: 'resource', resource: { uri: 'a://c', blob: 'aGk=', mimeType: 'image/png' } }] },
  ])('is sent unchanged: %j', async (result) => {
    expect(await callTool(era, result)).toEqual({ result, logged: [] })
  })

  it('can be returned by an async handler, and can contain undefined members and blocks from the helpers', async () => {
    const returned = Promise.resolve({ content: [content.text('hello')], isError: undefined })
    expect(await callTool(era, returned)).toEqual({ result: { content: [hello] }, logged: [] })
  })

  it.each<object>([
    { content: 'text', path: 'a.txt' },
    { content: [{ id: 1 }], total: 1 },
    { content: [], total: 0 },
    { type: 'doc', content: [{ type: 'paragraph' }] },
    { structuredContent: { a: 1 }, total: 2 },
    { isError: true, message: 'No' },
    { type: 'text', path: 'a.txt' },
    [{ type: 'image', url: 'a://b' }],
    [{ type: 'text', text: 'hello' }, { name: 'a' }],
    { type: 'text', text: 'hello', title: 'Hello' },
    [],
    [null],
  ])('is not confused with data that resembles it: %j', async (value) => {
    expect(await callTool(era, value)).toEqual({ result: asJson(value), logged: [] })
  })

  it.each<[object, string]>([
    [{ content: 'text' }, 'content must be an array'],
    [{ content: null }, 'content must be an array'],
    [{ isError: true }, 'content must be an array'],
    [{ content: ['text'] }, 'content[0] must be an object'],
    [{ content: [null] }, 'content[0] must be an object'],
    [{ content: [{ id: 1 }] }, 'content[0].type must be one of text, image'],
    [{ content: [{ type: 'text' }] }, 'content[0].text must be a string'],
    [{ content: [hello], isEror: true }, '"isEror" is not a member of a result'],
    [
      { content: [{ type: 'text', text: Promise.resolve('hello') }] },
      'content[0].text must be a string, not a promise: await it',
    ],
    [
      { content: [hello], _meta: { tags: new Set(['a']) } },
      '_meta must be JSON: tags: is a Set; send an array of its items',
    ],
    [{ content: [{ type: 'video', data: '' }] }, 'content[0].type must be one of text, image'],
    [{ content: [hello, { type: 'text' }] }, 'content[1].text must be a string'],
    [{ content: [hello, 'text'] }, 'content[1] must be an object'],
    [
      { content: [{ type: 'image', data: '?', mimeType: 'image/png' }] },
      'content[0].data must be padded base64',
    ],
    [{ content: [{ type: 'image', data: 'aGk=' }] }, 'content[0].mimeType must be a string'],
    [{ content: [{ type: 'resource_link', uri: 'b', name: 'b' }] }, 'content[0].uri must be an absolute URI'],
    [{ content: [{ type: 'resource', resource: { uri: 'a://b' } }] }, 'content[0].resource must have either'],
    [{ content: [hello], isError: 'yes' }, 'isError must be true or false'],
    [{ content: [hello], _meta: 1 }, '_meta must be an object'],
    [{ structuredContent: { a: 1 } }, 'content must be an array'],
  ])('is logged as an error if it is invalid: %j', async (value, problem) => {
    const { result, logged } = await callTool(era, value)
    expect(result).toMatchObject({ isError: true })
    expect(JSON.stringify(result)).not.toContain('must')
    expect(logged).toEqual([expect.stringContaining(`The tool "t" returned a result in which ${problem}`)])
    expect(logged[0]?.includes('promise')).toBe(problem.includes('promise'))
  })

  it.each<[object]>([
    [{ type: 'text', text: 'hello' }],
    [[{ type: 'text', text: 'hello' }]],
    [[{ type: 'text' }]],
    [[{ type: 'image', data: 'aGk=', mimeType: 'image/png' }]],
    [{ type: 'resource_link', uri: 'a://b', name: 'b', title: 'B' }],
  ])('must wrap its content blocks, because bare blocks are logged as an error: %j', async (value) => {
    const { result, logged } = await callTool(era, value)
    expect(result).toMatchObject({ isError: true })
    expect(logged).toEqual([
      expect.stringContaining(
        'The tool "t" returned content blocks without a result; return { content: [...] }',
      ),
    ])
  })

  describe('for a tool with an outputSchema', () => {
    it('must contain structuredContent that matches the schema', async () => {
      const right = { content: [hello], structuredContent: { high: 1, low: 2 } }
      expect(await callTool(era, right, { outputSchema })).toEqual({
        result: { content: [hello], structuredContent: { high: 1 } },
        logged: [],
      })
      for (const structuredContent of [{ high: '1' }, undefined]) {
        const wrong = await callTool(era, { content: [hello], structuredContent }, { outputSchema })
        expect(wrong.result).toMatchObject({ isError: true })
        expect(wrong.logged).toEqual([expect.stringContaining('The tool "t" returned')])
      }
    })

    it('does not need structuredContent if isError is set', async () => {
      const result = { content: [hello], isError: true }
      expect(await callTool(era, result, { outputSchema })).toEqual({ result, logged: [] })
    })

    it.each<object>([
      { content: 'text', structuredContent: { a: 1 } },
      { content: ['a'], isError: true },
      { content: [] },
      { content: [hello] },
    ])('is never treated as a structured value, even if the schema allows any object: %j', async (value) => {
      const { result, logged } = await callTool(era, value, { outputSchema: { type: 'object' } })
      expect(result).toMatchObject({ isError: true })
      expect(logged).toEqual([expect.stringMatching(/^The tool "t" returned/)])
    })

    it.each<object>([
      { content: 'text' },
      { content: ['a'] },
      { content: [{ a: 1 }, { type: 1 }] },
      { role: 'user', content: [hello] },
    ])('is not confused with a structured value that resembles it: %j', async (value) => {
      const open = { type: 'object' }
      expect((await callTool(era, value, { outputSchema: open })).result).toEqual({
        ...asJson(value),
        structuredContent: value,
      })
    })

    it.each<[string, object]>([
      ['declares content in', { type: 'object', properties: { content: { type: 'array' } } }],
      [
        'declares content in a subschema of',
        { type: 'object', allOf: [{ properties: { content: { type: 'array' } } }] },
      ],
      [
        'declares content behind a reference in',
        { type: 'object', $ref: '#/$defs/page', $defs: { page: { properties: { content: {} } } } },
      ],
    ])('is treated as a structured value if the author %s the schema', async (_name, schema) => {
      const value = { content: [hello] }
      expect((await callTool(era, value, { outputSchema: schema })).result).toEqual({
        ...asJson(value),
        structuredContent: value,
      })
    })

    it.each<object>([
      { content: [hello], structuredContent: { content: 'hello' } },
      { content: [hello], isError: true },
    ])('is treated as a result if the schema declares content, but not every member of %j', async (value) => {
      const schema = { type: 'object', properties: { content: { type: 'string' } } }
      expect((await callTool(era, value, { outputSchema: schema })).result).toEqual(value)
    })
  })
})

describe.each(ERAS)("a resource result in the protocol's form, in revision %s", (era) => {
  it.each<object>([
    { contents: [contents] },
    { contents: [contents, { uri: 'a://d', blob: 'aGk=', mimeType: 'image/png' }] },
    { contents: [contents], _meta: { 'com.example/kind': 1 } },
  ])('is sent unchanged: %j', async (result) => {
    expect(await readResource(era, result)).toEqual({ result, logged: [] })
    expect(await readTemplate(era, result)).toEqual({ result, logged: [] })
  })

  it('keeps its cache hint', async () => {
    for (const hint of [{ ttlMs: 5000, cacheScope: 'public' }, { ttlMs: 5000 }]) {
      const { result } = await readResource(era, { contents: [contents], ...hint })
      const expected = era === '2026-07-28' ? { cacheScope: 'private', ...hint } : {}
      expect(result).toEqual({ contents: [contents], ...expected })
    }
  })

  it('causes a "not found" error if its contents are empty', async () => {
    expect((await readResource(era, { contents: [] })).error?.message).toContain('not found')
  })

  it.each<object>([
    { contents: [{ name: 'a.txt' }], total: 1 },
    { contents: 'x', path: 'a' },
    { uri: 'a://b', name: 'b', text: 'x' },
    { text: 'x' },
    {},
  ])('is not confused with data that resembles it: %j', async (value) => {
    expect((await readResource(era, value)).result).toMatchObject({
      contents: [{ text: JSON.stringify(value) }],
    })
  })

  it.each<[object]>([[contents], [[contents, { uri: 'a://c', blob: 'aGk=' }]]])(
    'must wrap its contents, because bare contents are logged as an error: %j',
    async (value) => {
      const { error, logged } = await readResource(era, value)
      expect(error).toMatchObject({ code: -32603 })
      expect(logged).toEqual([
        expect.stringMatching(
          /^The resource "a:\/\/b" returned the contents of a resource without a result; return \{ contents/,
        ),
      ])
    },
  )

  it.each<[object, string]>([
    [{ contents: 'x' }, 'contents must be an array'],
    [{ contents: [{ name: 'a.txt' }] }, 'contents[0].uri must be an absolute URI'],
    [{ contents: [contents], total: 1 }, '"total" is not a member of a result'],
    [{ contents: [contents], _meta: { at: new Map() } }, '_meta must be JSON: at: is a Map'],
    [{ contents: [{ uri: 'a://b' }] }, 'contents[0] must have either text or blob'],
    [{ contents: [contents, { text: 'x' }] }, 'contents[1].uri must be an absolute URI'],
    [{ contents: [{ uri: 'a://b', blob: '?' }] }, 'contents[0].blob must be padded base64'],
    [{ contents: [contents], ttlMs: -1 }, 'ttlMs'],
  ])('is logged as an error if it is invalid: %j', async (value, problem) => {
    const { error, logged } = await readResource(era, value)
    expect(error).toMatchObject({ code: -32603, message: expect.not.stringContaining('must') as string })
    expect(logged).toEqual([expect.stringMatching(/^The resource "a:\/\/b" returned a result/)])
    expect(logged[0]).toContain(problem)
  })
})

describe.each(ERAS)("a prompt result in the protocol's form, in revision %s", (era) => {
  const message = { role: 'user', content: hello }
  const description = 'Of the prompt'

  it.each<object>([
    { messages: [message] },
    { messages: [message, { role: 'assistant', content: { type: 'resource', resource: contents } }] },
    { messages: [], description: 'Of the result' },
    { messages: [message], _meta: { 'com.example/kind': 1 } },
  ])('is sent unchanged: %j', async (result) => {
    expect(await getPrompt(era, result)).toEqual({ result: { description, ...result }, logged: [] })
  })

  it.each<[object, string]>([
    [{ messages: [{ role: 'system', content: hello }] }, 'messages[0].role must be "user" or "assistant"'],
    [{ messages: [{ role: 'user', content: 'hello' }] }, 'messages[0].content must be an object'],
    [
      { messages: [{ role: 'user', content: { type: 'text' } }] },
      'messages[0].content.text must be a string',
    ],
    [{ messages: [message], description: 1 }, 'description must be a string'],
    [{ messages: [message], other: 1 }, '"other" is not a member of a result'],
    [{ messages: message }, 'messages must be an array'],
    [{}, 'returned neither a string nor messages'],
    [message, 'returned neither a string nor messages; return { messages: [...] }'],
    [[message], 'returned neither a string nor messages; return { messages: [...] }'],
  ])('is logged as an error if it is invalid: %j', async (value, problem) => {
    const { error, logged } = await getPrompt(era, value)
    expect(error).toMatchObject({ code: -32603, message: expect.not.stringContaining('must') as string })
    expect(logged).toEqual([expect.stringContaining(problem)])
  })
})
