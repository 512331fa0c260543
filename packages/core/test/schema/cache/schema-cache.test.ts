import { describe, expect, it, vi } from 'vitest'
import { z } from 'zod'
import { ajvEngine } from '../../../src/ajv.ts'
import { McpServer, type ServerOptions } from '../../../src/index.ts'
import { bundledAjv } from '../../../src/schema/validate/bundled-ajv.ts'
import { createAjvCompiler } from '../../../src/schema/validate/ajv.ts'
import { buildSchemaEngine } from '../../../src/schema/build-engine.ts'
import { createSchemaEngine } from '../../../src/schema/engine.ts'
import type { JsonSchema, SchemaEngine } from '../../../src/schema/types.ts'
import {
  checkSchemas,
  isIntact,
  renderSchemas,
  type SchemaCache,
  warmSchemas,
} from '../../../src/schema-cache.ts'
import { cacheOf } from '../../support/cache.ts'

const info = { name: 'test', version: '1.0.0' }
const message = (method: string, params: object = {}): object => ({ jsonrpc: '2.0', id: 1, method, params })
const META = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
}

async function ask(server: McpServer, method: string, params: object = {}): Promise<Record<string, unknown>> {
  const answer = await server.handleMessage(message(method, { ...params, _meta: META }))
  const { result, error } = JSON.parse(answer ?? '{}') as Record<string, Record<string, unknown>>
  return result ?? error ?? {}
}

const tree: JsonSchema = {
  type: 'object',
  properties: {
    name: { type: 'string', minLength: 2, pattern: '^[a-z]+$' },
    kind: { enum: ['leaf', { deep: true }] },
    tags: { type: 'array', items: { type: 'string' }, uniqueItems: true },
    born: { type: 'string', format: 'date' },
    children: { type: 'array', items: { $ref: '#' } },
  },
  required: ['name'],
}

/** Everything that a cache has to carry, under names that no identifier can have. */
function fill(server: McpServer): McpServer {
  server.addTool({ name: 'grow-tree.v1', inputSchema: tree, outputSchema: tree, handler: (args) => args })
  server.addTool({
    name: 'fore.cast-7',
    inputSchema: z.object({ city: z.string().min(2), days: z.number().int().max(7).default(3) }),
    outputSchema: z.object({
      high: z.number(),
      mail: z.email(),
      parts: z.array(z.object({ a: z.string() })),
    }),
    handler: ({ city }) => ({ high: 1, mail: city, parts: [{ a: 'x', b: 'dropped' } as { a: string }] }),
  })
  server.addTool({
    name: 'strict',
    strictInput: true,
    inputSchema: z.object({ inner: z.object({ n: z.coerce.number() }) }),
    handler: ({ inner }) => inner.n,
  })
  server.addPrompt({
    name: 'brief',
    argsSchema: z.object({ city: z.string().min(2).describe('Where') }),
    handler: ({ city }) => `Summarise ${city}`,
  })
  return server
}

const CALLS: readonly [method: string, params: object][] = [
  ['tools/list', {}],
  ['prompts/list', {}],
  [
    'tools/call',
    { name: 'grow-tree.v1', arguments: { name: 'ab', children: [{ name: 'cd', tags: ['x', 'y'] }] } },
  ],
  ['tools/call', { name: 'grow-tree.v1', arguments: { name: 'ab', children: [{ name: 'c' }] } }],
  ['tools/call', { name: 'grow-tree.v1', arguments: { name: 'AB' } }],
  ['tools/call', { name: 'grow-tree.v1', arguments: { name: 'ab', kind: 'branch' } }],
  ['tools/call', { name: 'grow-tree.v1', arguments: { name: 'ab', tags: ['x', 'x'] } }],
  ['tools/call', { name: 'grow-tree.v1', arguments: { name: 'ab', born: '2023-02-30' } }],
  ['tools/call', { name: 'grow-tree.v1', arguments: {} }],
  ['tools/call', { name: 'fore.cast-7', arguments: { city: 'a@b.test' } }],
  ['tools/call', { name: 'fore.cast-7', arguments: { city: 'x' } }],
  ['tools/call', { name: 'strict', arguments: { inner: { n: '1' } } }],
  ['tools/call', { name: 'strict', arguments: { inner: { n: '1', m: 2 }, other: 1 } }],
  ['prompts/get', { name: 'brief', arguments: { city: 'Oslo' } }],
  ['prompts/get', { name: 'brief', arguments: { city: 'O' } }],
]

const silent = (warn = vi.fn<(fields: object, message: string) => void>()) => ({
  warn,
  logger: { debug: () => {}, info: () => {}, warn, error: () => {} },
})

/** An engine that a warmed server must never ask. */
const noEngine: SchemaEngine = {
  input: (_, site) => expect.fail(`input of ${site.name} was prepared at start`),
  output: (_, site) => expect.fail(`output of ${site.name} was prepared at start`),
}

/** As where `new Function` is forbidden. */
const forbidden: SchemaEngine = buildSchemaEngine(
  createAjvCompiler((dialect, options) =>
    Object.assign(bundledAjv(dialect, options), {
      getSchema: () => {
        throw new EvalError('Code generation from strings disallowed for this context')
      },
    }),
  ),
)

const warmed = async (options: ServerOptions = {}, build = fill): Promise<SchemaCache> =>
  cacheOf(await warmSchemas(build(new McpServer(info, options))))

const withTool =
  (inputSchema: z.ZodType | JsonSchema, more: object = {}) =>
  (server: McpServer): McpServer => {
    server.addTool({ name: 'a', inputSchema: inputSchema as JsonSchema, ...more, handler: () => 'done' })
    return server
  }

describe('a server with a warmed cache', () => {
  it('prepares no schema, and answers to the letter as one without', async () => {
    const live = fill(new McpServer(info, silent()))
    const { warn, logger } = silent()
    const schemas = await warmed()
    const cached = fill(new McpServer(info, { schemas, schemaEngine: noEngine, logger }))
    for (const [method, params] of CALLS) {
      const expected = await ask(live, method, params)
      const { content, ...rest } = await ask(cached, method, params)
      expect({ content, ...rest }, JSON.stringify(params)).toEqual(expected)
    }
    expect(warn).not.toHaveBeenCalled()
  })

  it('keeps schemas closed where all arguments have to be known', async () => {
    const options = { tools: { strictInput: true } }
    const build = withTool({ type: 'object', properties: { a: { type: 'string' } } })
    const schemas = await warmed(options, build)
    const server = build(new McpServer(info, { ...options, schemas, schemaEngine: noEngine }))
    expect(await ask(server, 'tools/call', { name: 'a', arguments: { b: 1 } })).toMatchObject({
      isError: true,
    })
  })

  it('asks zod for no JSON Schema', async () => {
    const inputSchema = z.object({ a: z.string() })
    const build = withTool(inputSchema, { outputSchema: z.object({ b: z.string() }) })
    const schemas = await warmed({}, build)
    const convert = vi.spyOn(inputSchema['~standard'].jsonSchema, 'input')
    build(new McpServer(info, { schemas }))
    expect(convert).not.toHaveBeenCalled()
  })
})

describe('what the cache does not have', () => {
  it('is prepared at start, and said once', async () => {
    const { warn, logger } = silent()
    const schemas = await warmed({}, withTool(z.object({})))
    const server = fill(new McpServer(info, { schemas, logger }))
    expect(warn.mock.calls).toEqual([
      [
        { schema: 'inputSchema of tool "grow-tree.v1"', reason: 'it has no such entry' },
        expect.stringContaining('npx jetway schemas build'),
      ],
    ])
    expect(await ask(server, 'tools/call', { name: 'grow-tree.v1', arguments: {} })).toMatchObject({
      isError: true,
    })
  })

  it.each<[string, (cache: SchemaCache) => SchemaCache]>([
    ['another version of Jetway', (cache) => ({ ...cache, jetway: '99.0.0' })],
    ['another version of zod', (cache) => mapEntries(cache, { library: 'zod 4.0.0' })],
    ['another strictInput', (cache) => mapEntries(cache, { strict: true })],
  ])('is what %s has made', async (_, change) => {
    const { warn, logger } = silent()
    const build = withTool(z.object({ a: z.string() }))
    const server = build(new McpServer(info, { schemas: change(await warmed({}, build)), logger }))
    expect(warn).toHaveBeenCalledOnce()
    expect(await ask(server, 'tools/list')).toEqual(await ask(build(new McpServer(info)), 'tools/list'))
  })

  it('is a JSON Schema that has changed since, which is seen', async () => {
    const schemas = await warmed({}, withTool({ type: 'object', required: ['a'] }))
    const { warn, logger } = silent()
    const server = withTool({ type: 'object', required: ['b'] })(new McpServer(info, { schemas, logger }))
    expect(warn).toHaveBeenCalledWith(
      { schema: 'inputSchema of tool "a"', reason: 'the schema has changed since' },
      expect.anything(),
    )
    expect(await ask(server, 'tools/call', { name: 'a', arguments: { b: 1 } })).not.toHaveProperty('isError')
  })

  it('is a schema that an update puts in the place of another', async () => {
    const schemas = await warmed({}, withTool(z.object({ a: z.string() })))
    const server = new McpServer(info, { schemas, ...silent() })
    const tool = server.addTool({ name: 'a', inputSchema: z.object({ a: z.string() }), handler: () => '' })
    tool.update({ inputSchema: z.object({ a: z.string(), b: z.number() }) as never })
    const { tools } = (await ask(server, 'tools/list')) as { tools: { inputSchema: JsonSchema }[] }
    expect(tools[0]?.inputSchema['required']).toEqual(['a', 'b'])
  })

  it('is prepared once for all servers that are built of the same schemas', async () => {
    const schemas: SchemaCache = { jetway: '0', ajv: '0', entries: {} }
    const live = createSchemaEngine()
    const schemaEngine = {
      input: vi.fn<SchemaEngine['input']>((...given) => live.input(...given)),
      output: vi.fn<SchemaEngine['output']>((...given) => live.output(...given)),
    }
    const build = withTool(z.object({ a: z.string() }), { outputSchema: z.object({ b: z.string() }) })
    const options = { schemas, schemaEngine, ...silent() }
    build(new McpServer(info, options))
    build(new McpServer(info, options))
    expect(schemaEngine.input).toHaveBeenCalledOnce()
    expect(schemaEngine.output).toHaveBeenCalledOnce()
  })

  it('is an error that names the tool and the command, where no code can be generated', async () => {
    const options = {
      schemas: await warmed({}, withTool(z.object({}))),
      schemaEngine: forbidden,
      ...silent(),
    }
    const server = new McpServer(info, options)
    expect(() => withTool(tree, { name: 'b' })(server)).toThrow(
      /^inputSchema of tool "b" has to be compiled, but this runtime does not allow code to be generated; run "npx jetway schemas build" .*\[ERR_MCP_SCHEMA_COMPILE\]$/,
    )
    // What zod checks needs no code.
    withTool(z.object({ a: z.string() }), { name: 'c' })(server)
    expect(await ask(server, 'tools/call', { name: 'c', arguments: { a: 'x' } })).toMatchObject({
      content: [{ text: 'done' }],
    })
  })

  it('is an error of the same kind where ajv cannot be loaded', () => {
    const get = vi.spyOn(process, 'getBuiltinModule').mockReturnValue(undefined)
    try {
      const server = new McpServer(info)
      expect(() =>
        withTool({ ...tree, $schema: 'https://json-schema.org/draft/2019-09/schema' })(server),
      ).toThrow(
        /tool "a" has to be compiled, but ajv cannot be loaded here; run .*\[ERR_MCP_SCHEMA_COMPILE\]$/,
      )
      const bundled = withTool(tree)(new McpServer(info, { schemaEngine: ajvEngine() }))
      expect(bundled.runtime.schemaUses()).toHaveLength(1)
    } finally {
      get.mockRestore()
    }
  })
})

describe('keys', () => {
  const schema = (): z.ZodType => z.object({ a: z.string() })

  it('are the name and the member, and outlive a change of the name if the author gives one', async () => {
    const schemas = await warmed({}, (server) => {
      withTool(schema(), { name: 'a-b.c' })(server)
      return withTool(schema(), { name: 'old', schemaKey: 'weather.v1' })(server)
    })
    expect(Object.keys(schemas.entries)).toEqual(['key:weather.v1:inputSchema', 'tool:a-b.c:inputSchema'])
    const server = new McpServer(info, { schemas, schemaEngine: noEngine })
    withTool(schema(), { name: 'new', schemaKey: 'weather.v1' })(server)
  })

  it('say that schemas are the same whatever object they are, if the author gives them', async () => {
    const build = withTool(schema(), { schemaKey: 'a' })
    const server = new McpServer(info, { schemas: await warmed({}, build), schemaEngine: noEngine })
    withTool(schema(), { schemaKey: 'a' })(server)
    withTool(schema(), { schemaKey: 'a', name: 'b' })(server)
    server.setTools([{ name: 'c', schemaKey: 'a', inputSchema: schema(), handler: () => '' }])
  })

  it('of two tools with different schemas are an error that names both', async () => {
    const server = withTool(schema(), { schemaKey: 'k', name: 'b' })(
      withTool(tree, { schemaKey: 'k' })(new McpServer(info)),
    )
    await expect(warmSchemas(server)).rejects.toThrow(
      /^inputSchema of tool "a" and inputSchema of tool "b" have one key, "key:k:inputSchema", .*\[ERR_MCP_SCHEMA_CACHE\]$/,
    )
  })

  it('can be turned off, for schemas that depend on where the server runs', async () => {
    expect((await warmed({}, withTool(schema(), { schemaKey: false }))).entries).toEqual({})
  })

  it.each([[''], [1], [null]])('are texts: %j is refused', (schemaKey) => {
    expect(() => withTool(schema(), { schemaKey })(new McpServer(info))).toThrow('schemaKey')
  })
})

describe('what is written', () => {
  it('has the same bytes whatever the order of registration', async () => {
    const adds = [
      (server: McpServer) => withTool(tree, { name: 'b-2', outputSchema: tree })(server),
      (server: McpServer) => withTool(z.object({ x: z.string() }), { name: 'a.1' })(server),
      fill,
    ]
    const text = async (order: typeof adds): Promise<string> => {
      const server = new McpServer(info)
      for (const add of order) add(server)
      return renderSchemas(await warmSchemas(server))
    }
    const first = await text(adds)
    expect(await text(adds.toReversed())).toBe(first)
    expect(await text(adds)).toBe(first)
  })

  it('keeps the order in which an author wrote properties, for it is shown', async () => {
    const properties = { zulu: { type: 'string' }, alpha: { type: 'string' } }
    const { schemas } = await warmSchemas(withTool({ type: 'object', properties })(new McpServer(info)))
    expect(JSON.stringify(schemas[0]?.jsonSchema)).toContain('"zulu":{"type":"string"},"alpha"')
  })

  it('imports its own runtime only, and has nothing of the machine in it', async () => {
    const text = await renderSchemas(await warmSchemas(fill(new McpServer(info))))
    expect(text.match(/^import .*$/gm)).toEqual([
      "import { isDate, isEmail, isEqual, textLength } from '@jetway/core/schema-runtime'",
    ])
    expect(text).not.toMatch(/\brequire\b|\beval\b|new Function|file:|node_modules/)
    expect(text).not.toContain(process.cwd())
  })

  it('is known by its digest', async () => {
    const text = await renderSchemas(await warmSchemas(fill(new McpServer(info))))
    expect(await isIntact(text)).toBe(true)
    expect(await isIntact(text.replace('minLength', 'maxLength'))).toBe(false)
    expect(await isIntact(text.slice(0, -2))).toBe(false)
    expect(await isIntact('export default {}')).toBe(false)
  })

  it('is made of the server as it is, not of the cache that it has', async () => {
    const old = await warmed({}, withTool(z.object({ a: z.string() })))
    const server = withTool(z.object({ b: z.string() }))(new McpServer(info, { schemas: old }))
    const { schemas } = await warmSchemas(server)
    expect(schemas[0]?.jsonSchema['required']).toEqual(['b'])
  })
})

describe('the check of a cache', () => {
  it('finds nothing in one that is in order', async () => {
    const schemas = await warmed()
    expect(await checkSchemas(fill(new McpServer(info, { schemas })), schemas)).toEqual([])
  })

  it('names what has changed under one name, is missing, and is no longer there', async () => {
    const schemas = await warmed({}, (server) =>
      withTool(z.object({ a: z.string() }))(withTool(tree, { name: 'gone' })(server)),
    )
    const server = withTool(z.object({ a: z.number() }))(withTool(tree, { name: 'new' })(new McpServer(info)))
    expect(await checkSchemas(server, schemas)).toEqual([
      {
        fault: 'stale',
        key: 'tool:a:inputSchema',
        where: 'inputSchema of tool "a"',
        why: 'the schema has changed',
      },
      expect.objectContaining({ fault: 'missing', where: 'inputSchema of tool "new"' }),
      expect.objectContaining({ fault: 'superfluous', key: 'tool:gone:inputSchema' }),
    ])
  })

  it.each<[string, (cache: SchemaCache) => SchemaCache, string]>([
    [
      'Jetway',
      (cache) => ({ ...mapEntries(cache, { digest: '' }), jetway: '99.0.0' }),
      '@jetway/core was 99.0.0',
    ],
    ['ajv', (cache) => ({ ...mapEntries(cache, { digest: '' }), ajv: '7.0.0' }), 'ajv was 7.0.0'],
    [
      'zod',
      (cache) => mapEntries(cache, { digest: '', library: 'zod 4.0.0' }),
      'the schema library was zod 4.0.0',
    ],
  ])('says which version was another: that of %s', async (_, change, why) => {
    const build = withTool(z.object({}))
    const faults = await checkSchemas(build(new McpServer(info)), change(await warmed({}, build)))
    expect(faults).toEqual([
      expect.objectContaining({ fault: 'stale', why: expect.stringContaining(why) as string }),
    ])
  })

  it('covers the versions by the digests', async () => {
    const server = withTool(z.object({ a: z.string() }))(new McpServer(info))
    const [entry] = (await warmSchemas(server)).schemas
    const schema = z.object({ a: z.string() })
    const older = Object.create(schema, {
      _zod: {
        value: Object.create(schema._zod, {
          version: { value: { major: 4, minor: 0, patch: 0 } },
        }) as unknown,
      },
    }) as z.ZodType
    const [other] = (await warmSchemas(withTool(older)(new McpServer(info)))).schemas
    expect(other?.jsonSchema).toEqual(entry?.jsonSchema)
    expect(other?.digest).not.toBe(entry?.digest)
  })
})

it.each([[{}], [null], ['./schemas'], [{ default: { entries: {} } }]])('%j is no cache', (schemas) => {
  expect(() => new McpServer(info, { schemas: schemas as never })).toThrow(
    /default export .*\[ERR_MCP_SCHEMA_CACHE\]$/,
  )
})

function mapEntries(cache: SchemaCache, change: object): SchemaCache {
  const entries = Object.entries(cache.entries).map(([key, entry]) => [key, { ...entry, ...change }])
  return { ...cache, entries: Object.fromEntries(entries) as SchemaCache['entries'] }
}
