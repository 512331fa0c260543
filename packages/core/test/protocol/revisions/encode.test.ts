import { describe, expect, it } from 'vitest'
import { McpError, type McpErrorReason } from '../../../src/errors.ts'
import type { JsonObject } from '../../../src/protocol/jsonrpc.ts'
import { SERVER_INFO } from '../../../src/protocol/methods.ts'
import type { Revision, Shape } from '../../../src/protocol/revisions/revision.ts'
import { revision } from '../../support/revision.ts'

const [FIRST, LAST_OLD, MODERN] = ['2024-11-05', '2025-11-25', '2026-07-28'].map(revision) as [
  Revision,
  Revision,
  Revision,
]

const annotations = { audience: ['user'], priority: 1, lastModified: '2025-01-01', title: 'T' }
const icons = [{ src: 'https://x/i.png', sizes: ['48x48'], secret: 1 }]
const named = { name: 'n', title: 'T', description: 'd', icons, _meta: { a: 1 }, secret: 1 }
const shown = { audience: ['user'], priority: 1 }

describe('projection of an object to a revision', () => {
  it.each<[Shape, object, object, object]>([
    [
      'prompt',
      { ...named, arguments: [{ name: 'a', title: 'A', required: true, secret: 1 }] },
      { name: 'n', description: 'd', arguments: [{ name: 'a', required: true }] },
      { title: 'T', _meta: { a: 1 }, icons: [{ src: 'https://x/i.png', sizes: ['48x48'] }] },
    ],
    [
      'resource',
      { ...named, uri: 'x://y', size: 0, annotations },
      { name: 'n', description: 'd', uri: 'x://y', size: 0, annotations: shown },
      { title: 'T', annotations: { ...shown, lastModified: '2025-01-01' } },
    ],
    [
      'embedded',
      { type: 'resource', resource: { uri: 'x://y', text: '', _meta: { a: 1 } }, annotations },
      { type: 'resource', resource: { uri: 'x://y', text: '' }, annotations: shown },
      { resource: { uri: 'x://y', text: '', _meta: { a: 1 } } },
    ],
    ['contents', { uri: 'x://y', blob: '', resource: {} }, { uri: 'x://y', blob: '' }, {}],
    ['resource', { annotations: 'odd', icons: 'odd' }, { annotations: 'odd' }, { icons: 'odd' }],
    ['prompt', { arguments: { odd: 1 } }, { arguments: { odd: 1 } }, {}],
  ])('keeps the members that the revision defines: %s', (shape, value, first, later) => {
    expect(FIRST.project(shape, value)).toEqual(first)
    expect(LAST_OLD.project(shape, value)).toMatchObject(later)
  })

  it('keeps only the annotations that apply to the kind of object', () => {
    const tool = { name: 't', inputSchema: { type: 'object' }, annotations, icons, secret: 1 } as const
    expect(revision('2025-03-26').projectTool(tool as never)).toEqual({
      name: 't',
      inputSchema: { type: 'object' },
      annotations: { title: 'T' },
    })
  })

  it('keeps an output schema of any type if the revision allows structured values of any type', () => {
    const tool = { name: 't', inputSchema: { type: 'object' }, outputSchema: { type: 'array' } } as const
    expect(MODERN.projectTool(tool)).toEqual(tool)
  })
})

describe('encodeResult in a session revision', () => {
  const text = (value: string, more: object = {}): object => ({ type: 'text', text: value, ...more })

  it.each([
    ['one text block', [text('a')], [text('a')]],
    ['two text blocks', [text('a'), text('b')], [text('a'), text('b')]],
    ['a text block with annotations', [text('a', { annotations })], [text('a', { annotations: shown })]],
    ['a text block with metadata', [text('a', { _meta: { b: 1 } })], [text('a')]],
    ['sound', [{ type: 'audio', data: '', mimeType: 'audio/wav' }], [text('[audio of type audio/wav]')]],
    ['a link', [{ type: 'resource_link', uri: 'x://y', name: 'n' }], [text('n: x://y')]],
    [
      'a link with more members',
      [{ type: 'resource_link', uri: 'x://y', name: 'n', title: 'T', description: 'd', annotations }],
      [text('T: x://y\nd', { annotations: shown })],
    ],
  ])('converts content that the revision does not support: %s', (_what, content, first) => {
    expect(JSON.parse(FIRST.encodeResult('tools/call', { content }))).toEqual({ content: first })
    const messages = content.map((block) => ({ role: 'user', content: block, secret: 1 }))
    expect(JSON.parse(FIRST.encodeResult('prompts/get', { description: 'd', messages }))).toEqual({
      description: 'd',
      messages: first.map((block) => ({ role: 'user', content: block })),
    })
  })

  it('keeps the metadata of a text block', () => {
    const content = [text('a', { _meta: { b: 1 } })]
    expect(LAST_OLD.encodeResult('tools/call', { content })).toBe(JSON.stringify({ content }))
  })

  it.each([
    [{ content: [], isError: true }, '{"content":[],"isError":true}'],
    [{ content: [], isError: false }, '{"content":[]}'],
    [{ content: [], _meta: { a: 1 }, other: 1 }, '{"content":[],"_meta":{"a":1}}'],
    [{ content: [], structuredContent: new Date(0) }, '{"content":[]}'],
  ])('removes unknown members from a tool result: %j', (result, json) => {
    expect(LAST_OLD.encodeResult('tools/call', result)).toBe(json)
  })

  it.each([
    ['tools/list', { nextCursor: 'c' }, { tools: [], nextCursor: 'c' }],
    ['prompts/list', { prompts: [{ name: 'a', title: 'A' }] }, { prompts: [{ name: 'a' }] }],
    ['resources/list', { resources: [{ uri: 'a', title: 'A' }] }, { resources: [{ uri: 'a' }] }],
    [
      'resources/templates/list',
      { resourceTemplates: [{ uriTemplate: 'a', title: 'A' }] },
      { resourceTemplates: [{ uriTemplate: 'a' }] },
    ],
    [
      'resources/read',
      { contents: [{ uri: 'a', text: '', _meta: {} }], a: 1 },
      { contents: [{ uri: 'a', text: '' }], a: 1 },
    ],
    ['completion/complete', { completion: { values: [] } }, { completion: { values: [] } }],
  ])('adapts the result of %s to the revision', (method, result, encoded) => {
    expect(JSON.parse(FIRST.encodeResult(method, result))).toEqual(encoded)
  })

  it('adapts the blocks in a sampling request to the revision', () => {
    const image = { type: 'image', data: '', mimeType: 'image/png', _meta: { a: 1 } }
    const use = { type: 'tool_use', id: '1', name: 'n', input: {}, _meta: { a: 1 } }
    const answer = { type: 'tool_result', toolUseId: '1', content: [], _meta: { a: 1 } }
    const messages = [image, use, [answer, image]].map((content) => ({ role: 'user', content, secret: 1 }))
    const plain = { type: 'image', data: '', mimeType: 'image/png' }
    expect(FIRST.projectSampling({ maxTokens: 1, messages })).toEqual({
      maxTokens: 1,
      messages: [plain, use, [answer, plain]].map((content) => ({ role: 'user', content })),
    })
  })
})

describe('encodeResult in 2026-07-28 (https://modelcontextprotocol.io/specification/2026-07-28/basic#meta)', () => {
  const hints = { ttlMs: 5, cacheScope: 'public' } as const
  const info = `"${SERVER_INFO}":{"name":"s"}`
  const server = '{"name":"s"}'

  it.each([
    ['tools/call', '{}', undefined, undefined, `{"resultType":"complete","_meta":{${info}}}`],
    ['tools/call', '{"a":1}', hints, undefined, `{"resultType":"complete","_meta":{${info}},"a":1}`],
    ['tools/call', '{"a":1}', undefined, 'task', `{"resultType":"task","_meta":{${info}},"a":1}`],
    [
      'tools/list',
      '{"tools":[]}',
      hints,
      undefined,
      `{"resultType":"complete","ttlMs":5,"cacheScope":"public","_meta":{${info}},"tools":[]}`,
    ],
    [
      'server/discover',
      '{}',
      undefined,
      undefined,
      `{"resultType":"complete","ttlMs":0,"cacheScope":"private","_meta":{${info}}}`,
    ],
    ['tools/call', '{"_meta":{}}', undefined, undefined, `{"resultType":"complete","_meta":{${info}}}`],
    [
      'tools/call',
      '{"_meta":{"a":1},"b":2}',
      undefined,
      undefined,
      `{"resultType":"complete","_meta":{${info},"a":1},"b":2}`,
    ],
  ])(
    'adds the members that all results share to a serialised %s result: %s',
    (method, json, given, type, whole) => {
      expect(MODERN.envelope?.(method, json, server, given, type)).toBe(whole)
    },
  )

  it.each([
    ['tools/call', { content: [], _meta: { a: 1 } }, '{"_meta":{"a":1},"content":[]}'],
    ['ping', { _meta: { a: 1, [SERVER_INFO]: 'other' } }, '{"_meta":{"a":1}}'],
    ['tools/call', { content: [], resultType: 'task' }, '{"content":[]}'],
    ['prompts/get', { messages: [], resultType: 'x', ttlMs: 1 }, '{"ttlMs":1,"messages":[]}'],
    ['tools/list', { tools: [], ttlMs: 1 }, '{"tools":[]}'],
    ['tools/list', { tools: [], cacheScope: 'public' }, '{"tools":[]}'],
    ['tools/list', { tools: [], resultType: 'x', a: 1 }, '{"tools":[],"a":1}'],
    ['tools/list', { tools: [], resultType: 'x', ttlMs: 0, a: 1 }, '{"tools":[],"a":1}'],
  ] satisfies [string, JsonObject, string][])(
    'adds the members that all results share to a %s result: %j',
    (method, result, json) => {
      expect(MODERN.encodeResult(method, result)).toBe(json)
    },
  )

  it.each(['tools/call', 'resources/read'])('adds no cache hints to the questions of %s', (method) => {
    const json = '{"requestState":"state"}'
    expect(MODERN.envelope?.(method, json, server, undefined, 'input_required')).toBe(
      `{"resultType":"input_required","_meta":{${info}},"requestState":"state"}`,
    )
  })
})

describe('an error encoded for a revision', () => {
  it.each<[number, McpErrorReason | undefined, number, number, number]>([
    [-32603, 'busy', 503, 503, -32603],
    [-32603, 'ended', 503, 503, -32603],
    [-32603, undefined, 200, 200, -32603],
    [-32602, 'malformed', 200, 400, -32602],
    [-32602, 'resource-not-found', 200, 200, -32602],
    [-32602, undefined, 200, 200, -32602],
    [-32600, 'missing-capability', 200, 400, -32021],
    [-32600, undefined, 200, 400, -32600],
    [-32601, undefined, 200, 404, -32601],
    [-32700, undefined, 200, 400, -32700],
    [-32020, undefined, 200, 400, -32020],
    [-32021, undefined, 200, 400, -32021],
    [-32022, undefined, 200, 400, -32022],
  ])(
    'with code %i and reason %s, has the HTTP status %i with sessions and %i without',
    (code, reason, old, modern, spelt) => {
      const error = new McpError(code, 'm', undefined, reason)
      expect([LAST_OLD.httpStatus(error), MODERN.httpStatus(error)]).toEqual([old, modern])
      expect(MODERN.encodeError(error)).toEqual({ code: spelt, message: 'm' })
      expect(LAST_OLD.encodeError(error).code).toBe(reason === 'resource-not-found' ? -32002 : code)
    },
  )
})
