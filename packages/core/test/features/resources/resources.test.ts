import { describe, expect, it } from 'vitest'
import { McpError } from '../../../src/errors.ts'
import { content } from '../../../src/features/content/content.ts'
import { createFeatures, type Features } from '../../../src/features/features.ts'
import { contents } from '../../../src/features/resources/resource-contents.ts'
import type { AnyResource, AnyResourceTemplate } from '../../../src/features/resources/resource-types.ts'
import type { Resource } from '../../../src/protocol/types.ts'
import { tieredEngine } from '../../../src/schema/tiered-engine.ts'
import { call, callNow, entryOf, errorOf, mcpErrorOf, wire } from '../helpers.ts'
import { PARTS } from '../parts.ts'

type Handler = AnyResource['handler']

const resource = (handler: Handler, more: object = {}): AnyResource => ({
  uri: 'a://b',
  name: 'b',
  handler,
  ...more,
})
const template = (uriTemplate: string, handler: Handler, more: object = {}): AnyResourceTemplate => ({
  uriTemplate,
  name: uriTemplate,
  handler,
  ...more,
})

function serve(
  resources: readonly AnyResource[],
  templates: readonly AnyResourceTemplate[] = [],
  pageSize?: number,
): Features {
  const features = createFeatures({ ...PARTS, schemas: tieredEngine(), publish: () => {}, pageSize })
  if (resources.length > 0) features.resources.registry.set(resources)
  if (templates.length > 0) features.resources.templates.registry.set(templates)
  return features
}

const read = (features: Features, uri: unknown = 'a://b'): ReturnType<typeof call> =>
  call(features.methods, 'resources/read', { uri })
const urisOf = (list: { resources?: unknown }): string[] =>
  (list.resources as Resource[]).map(({ uri }) => uri)

describe('the result of resources/read', () => {
  const cases: [string, unknown, object[]][] = [
    ['is text for a string', 'x', [{ uri: 'a://b', text: 'x' }]],
    ['is text for an empty string', '', [{ uri: 'a://b', text: '' }]],
    [
      'is a blob for bytes',
      new Uint8Array([1, 2, 3]),
      [{ uri: 'a://b', mimeType: 'application/octet-stream', blob: 'AQID' }],
    ],
    ['is JSON for an object', { a: 1 }, [{ uri: 'a://b', mimeType: 'application/json', text: '{"a":1}' }]],
    ['is JSON for null', null, [{ uri: 'a://b', mimeType: 'application/json', text: 'null' }]],
    ['is JSON for an array', ['a'], [{ uri: 'a://b', mimeType: 'application/json', text: '["a"]' }]],
    [
      'has the requested URI in each of several contents, unless they have their own',
      contents([{ text: 'x' }, { uri: 'a://c', mimeType: 'image/png', blob: new Uint8Array([1, 2, 3]) }]),
      [
        { uri: 'a://b', text: 'x' },
        { uri: 'a://c', mimeType: 'image/png', blob: 'AQID' },
      ],
    ],
  ]

  it.each(cases)('%s', async (_name, value, expected) => {
    for (const handler of [() => value, () => Promise.resolve(value)]) {
      expect(await read(serve([resource(handler)]))).toEqual({ contents: expected })
      expect(await wire(serve([resource(handler)]).methods, 'resources/read', { uri: 'a://b' })).toEqual({
        contents: expected,
      })
    }
  })

  it("has the definition's media type", async () => {
    const mimeType = 'text/x-own'
    for (const value of ['x', new Uint8Array([1]), { a: 1 }, contents([{ text: 'x' }])]) {
      expect(await read(serve([resource(() => value, { mimeType })]))).toMatchObject({
        contents: [{ mimeType }],
      })
    }
    const own = contents([{ text: 'x', mimeType: 'text/plain' }])
    expect(await read(serve([resource(() => own, { mimeType })]))).toMatchObject({
      contents: [{ mimeType: 'text/plain' }],
    })
  })

  it('keeps metadata from contents()', async () => {
    const features = serve([resource(() => contents([{ text: 'x', _meta: { a: 1 } }], { _meta: { b: 2 } }))])
    expect(await read(features)).toEqual({
      contents: [{ uri: 'a://b', text: 'x', _meta: { a: 1 } }],
      _meta: { b: 2 },
    })
  })

  it('is a "not found" error if the handler returns undefined', async () => {
    for (const handler of [() => undefined, () => Promise.resolve()]) {
      const error = await mcpErrorOf(() => read(serve([resource(handler)])))
      expect(error).toMatchObject({ reason: 'resource-not-found', data: { uri: 'a://b' } })
    }
  })

  const cycle: { self?: unknown } = {}
  cycle.self = cycle
  it.each([
    ['a BigInt', 1n],
    ['a cycle', cycle],
    ['a function', () => 1],
    ['a content block', content.text('x')],
    ['empty contents', contents([{}])],
    ['contents that are not an array', contents('x' as never)],
    ['a blob that is not base64', contents([{ blob: '?' }])],
  ])('is replaced with an error that hides the cause from the client: %s', async (_name, value) => {
    const error = await errorOf(() => read(serve([resource(() => value)])))
    expect(error).toBeInstanceOf(Error)
    expect(error).not.toBeInstanceOf(McpError)
  })

  it('is returned synchronously if the handler is synchronous', () => {
    expect(
      callNow(serve([resource(() => 'x')]).methods, 'resources/read', { uri: 'a://b' }),
    ).not.toBeInstanceOf(Promise)
  })
})

describe('the resource requested by resources/read', () => {
  const seen: unknown[] = []
  const note = (name: string) => (args: unknown, ctx: unknown) => {
    seen.push([name, { ...(args as object) }, (ctx as { uri: string }).uri])
    return name
  }
  const features = serve(
    [resource(note('fixed'), { uri: 'w://no/oslo' })],
    [
      template('w://{country}/{city}', note('city')),
      template('w://no/{city}', note('norwegian')),
      template('w://{+anything}', note('anything')),
    ],
  )

  it.each([
    ['w://no/oslo', 'fixed', {}],
    ['w://no/bergen', 'norwegian', { city: 'bergen' }],
    ['w://se/lund', 'city', { country: 'se', city: 'lund' }],
    ['w://se/lund/north', 'anything', { anything: 'se/lund/north' }],
    ['w://se/%C3%A5%20b', 'city', { country: 'se', city: 'å b' }],
  ])(
    'is resolved from %s to "%s", and the handler receives the variables and the URI',
    async (uri, name, variables) => {
      seen.length = 0
      expect(await read(features, uri)).toEqual({ contents: [{ uri, text: name }] })
      expect(seen).toEqual([[name, variables, uri]])
    },
  )

  it('is chosen independently of the order of registration', async () => {
    const reversed = serve(
      [],
      [template('w://{+anything}', () => 'anything'), template('w://no/{city}', () => 'norwegian')],
    )
    expect(await read(reversed, 'w://no/bergen')).toMatchObject({ contents: [{ text: 'norwegian' }] })
    reversed.resources.templates.registry.add(template('w://no/b{city}', () => 'with b'))
    expect(await read(reversed, 'w://no/bergen')).toMatchObject({ contents: [{ text: 'with b' }] })
  })

  it('is not looked up in less specific templates if the most specific one returns nothing', async () => {
    const strict = serve(
      [],
      [template('w://{+anything}', () => 'anything'), template('w://no/{city}', () => undefined)],
    )
    expect(await mcpErrorOf(() => read(strict, 'w://no/bergen'))).toMatchObject({
      reason: 'resource-not-found',
    })
  })

  it.each(['x://y', 'w://', '__proto__', 'constructor', ''])('is not found for the URI %j', async (uri) => {
    expect(await mcpErrorOf(() => read(features, uri))).toMatchObject({
      reason: 'resource-not-found',
      data: { uri },
    })
  })

  it.each(['w://no/..%2f..%2fetc', 'w://no/%2e%2e', 'w://../../etc/passwd'])(
    'is not found if its URI contains the path traversal %s',
    async (uri) => {
      expect(await mcpErrorOf(() => read(features, uri))).toMatchObject({ reason: 'resource-not-found' })
    },
  )

  it.each([[undefined], [5], [null], [{}], ['w://'.padEnd(8193, 'x')]])(
    'causes error -32602 if its URI is invalid',
    async (uri) => {
      const error = await mcpErrorOf(() => call(features.methods, 'resources/read', { uri }))
      expect(error).toMatchObject({ code: -32602, reason: undefined })
    },
  )

  it('causes error -32601 if the server has never registered a resource', async () => {
    const { methods } = serve([])
    for (const method of ['resources/list', 'resources/templates/list', 'resources/read']) {
      expect((await mcpErrorOf(() => call(methods, method, { uri: 'a://b' }))).code).toBe(-32601)
    }
  })

  it('can have its own timeout', () => {
    const { methods } = serve(
      [resource(() => 'x', { timeoutMs: 5 })],
      [template('w://{city}', () => 'x', { timeoutMs: 7 })],
    )
    const entry = entryOf(methods, 'resources/read')
    expect(entry.target?.({ uri: 'a://b' }, undefined)?.timeoutMs).toBe(5)
    expect(entry.target?.({ uri: 'w://oslo' }, undefined)?.timeoutMs).toBe(7)
    expect(entry.target?.({ uri: 'q://' }, undefined)?.timeoutMs).toBeUndefined()
    expect(entry.target?.({}, undefined)?.timeoutMs).toBeUndefined()
  })
})

describe('resources/list', () => {
  it('lists definitions', async () => {
    const shown = {
      title: 'B',
      description: 'The b',
      mimeType: 'text/plain',
      size: 5,
      annotations: { audience: ['user'], priority: 0.5, lastModified: '2026-01-12T15:00:58Z' },
      icons: [{ src: 'https://x.test/a.png' }],
      _meta: { k: 1 },
    }
    const features = serve([resource(() => 'x', { ...shown, timeoutMs: 5 })])
    expect(await wire(features.methods, 'resources/list')).toEqual({
      resources: [{ uri: 'a://b', name: 'b', ...shown }],
    })
    expect(await wire(features.methods, 'resources/templates/list')).toEqual({ resourceTemplates: [] })
  })

  it('returns results in pages', async () => {
    const features = serve(
      ['a://1', 'a://2', 'a://3'].map((uri) => resource(() => 'x', { uri })),
      ['t://{a}', 't://{b}/x'].map((uriTemplate) => template(uriTemplate, () => 'x')),
      2,
    )
    const first = await wire(features.methods, 'resources/list')
    expect(urisOf(first)).toEqual(['a://1', 'a://2'])
    expect(await wire(features.methods, 'resources/list', { cursor: first['nextCursor'] })).toEqual({
      resources: [{ uri: 'a://3', name: 'b' }],
    })
    expect(await wire(features.methods, 'resources/templates/list')).toEqual({
      resourceTemplates: [
        { uriTemplate: 't://{a}', name: 't://{a}' },
        { uriTemplate: 't://{b}/x', name: 't://{b}/x' },
      ],
    })
  })

  it('includes the resources listed by templates, and passes the context to each `list` function', async () => {
    let round = 0
    const list = (ctx: { protocolVersion: string }): Resource[] => [
      { uri: `w://${++round}`, name: ctx.protocolVersion },
      { uri: 'a://b', name: 'hidden by the registered one' },
    ]
    const features = serve(
      [resource(() => 'x')],
      [template('w://{n}', () => 'x', { list }), template('v://{n}', () => 'x')],
    )
    expect(await wire(features.methods, 'resources/list')).toEqual({
      resources: [
        { uri: 'a://b', name: 'b' },
        { uri: 'w://1', name: '2025-11-25' },
      ],
    })
    expect(urisOf(await wire(features.methods, 'resources/list'))).toEqual(['a://b', 'w://2'])
  })

  it('splits resources listed by templates into pages', async () => {
    const list = async (): Promise<Resource[]> =>
      ['w://1', 'w://2', 'w://3'].map((uri) => ({ uri, name: uri }))
    const { methods } = serve([resource(() => 'x')], [template('w://{n}', () => 'x', { list })], 2)
    const first = await wire(methods, 'resources/list')
    const second = await wire(methods, 'resources/list', { cursor: first['nextCursor'] })
    expect([urisOf(first), urisOf(second), second['nextCursor']]).toEqual([
      ['a://b', 'w://1'],
      ['w://2', 'w://3'],
      undefined,
    ])
  })

  it.each([
    ['a value that is not an array', () => 'x', 'The list of "w://{n}" is not an array'],
    ['a resource without a name', () => [{ uri: 'w://1' }], 'needs a name'],
    ['a relative URI', () => [{ uri: '1', name: 'x' }], 'needs an absolute URI'],
    ['an unsafe icon', () => [{ uri: 'w://1', name: 'x', icons: [{ src: 'javascript:x' }] }], 'icon'],
    ['nothing because it throws', () => Promise.reject(new Error('down')), 'down'],
  ])("fails with the author's error if a template lists %s", async (_name, list, message) => {
    const { methods } = serve([], [template('w://{n}', () => 'x', { list })])
    const error = await errorOf(() => call(methods, 'resources/list'))
    expect(error).toMatchObject({ message: expect.stringContaining(message) })
    expect(error).not.toBeInstanceOf(McpError)
  })
})

describe('addResource', () => {
  const handler = (): string => 'x'

  it.each([
    ['a relative URI', { uri: 'b', name: 'b', handler }],
    ['no URI', { name: 'b', handler }],
    ['a URI that is too long', { uri: 'a://'.padEnd(9000, 'x'), name: 'b', handler }],
    ['no handler', { uri: 'a://b', name: 'b' }],
    ['a priority above 1', { uri: 'a://b', name: 'b', handler, annotations: { priority: 2 } }],
    ['annotations that are not an object', { uri: 'a://b', name: 'b', handler, annotations: 'user' }],
  ])('rejects %s', (_name, definition) => {
    expect(() => serve([definition as AnyResource])).toThrow(
      expect.objectContaining({ code: 'ERR_MCP_INVALID_DEFINITION' }),
    )
  })

  it('accepts a URI of 8192 characters, and rejects a longer one', async () => {
    const uri = 'a://'.padEnd(8192, 'x')
    expect(await read(serve([resource(handler, { uri })]), uri)).toMatchObject({ contents: [{ uri }] })
    expect(() => serve([resource(handler, { uri: `${uri}x` })])).toThrow('more than 8192 characters')
  })

  it('rejects a resource or a template without a name', () => {
    const unnamed = expect.objectContaining({ code: 'ERR_MCP_INVALID_NAME' })
    expect(() => serve([{ uri: 'a://b', handler } as unknown as AnyResource])).toThrow(unnamed)
    expect(() => serve([], [template('w://{a}', handler, { name: '' })])).toThrow(unnamed)
  })

  it('rejects a second resource with the same URI', () => {
    const features = serve([resource(handler)])
    expect(() => features.resources.registry.add(resource(handler))).toThrow(
      expect.objectContaining({ code: 'ERR_MCP_DUPLICATE_NAME' }),
    )
  })

  it('rejects malformed templates, and completers for unknown variables', () => {
    const code = (value: string): unknown => expect.objectContaining({ code: value })
    expect(() => serve([], [template('w://{', handler)])).toThrow(code('ERR_MCP_URI_TEMPLATE'))
    expect(() => serve([], [template(5 as never, handler)])).toThrow(code('ERR_MCP_INVALID_DEFINITION'))
    expect(() => serve([], [template('w://{a}', handler, { annotations: { priority: 2 } })])).toThrow(
      code('ERR_MCP_INVALID_DEFINITION'),
    )
    expect(() => serve([], [template('w://{a}', handler, { complete: { b: () => [] } })])).toThrow(
      code('ERR_MCP_INVALID_DEFINITION'),
    )
    expect(() => serve([], [template('w://{a}', handler, { complete: { a: 'x' } })])).toThrow(
      code('ERR_MCP_INVALID_DEFINITION'),
    )
  })
})
