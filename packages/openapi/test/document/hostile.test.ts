import { silent } from '@jetway-apps/test-support'
import { McpServer } from '@jetway/core'
import { tieredEngine } from '@jetway/core/schema'
import { connect } from '@jetway/testing'
import { describe, expect, it } from 'vitest'
import { openApi, type OpenApiSource, survey } from '../../src/index.ts'
import { connectApi, documentOf, schemaOf } from '../support/api.ts'

const bodyOf = (schema: unknown, components: object = {}): object =>
  documentOf(
    '/x',
    { requestBody: { content: { 'application/json': { schema } } } },
    { method: 'post', components },
  )

/** Registers all tools, so that their schemas are compiled, and returns their names. */
async function registered(source: OpenApiSource): Promise<readonly string[]> {
  const server = new McpServer({ name: 'x', version: '1' }, { logger: silent })
  server.observe(source)
  for (const { name, inputSchema } of source.tools())
    tieredEngine().input(schemaOf(inputSchema), { kind: 'tool', name, field: 'inputSchema' })
  await using client = await connect(server)
  return (await client.listTools()).map(({ name }) => name)
}

describe('openApi', () => {
  it('accepts schemas that are nested 100,000 deep', async () => {
    const root: Record<string, unknown> = {}
    let at = root
    for (let depth = 0; depth < 100_000; depth++) at = at['items'] = {}
    expect(await registered(openApi(bodyOf({ type: 'array', items: root }), { logger: silent }))).toEqual([
      'call',
    ])
  })

  it('accepts schemas that contain themselves, as in dereferenced documents', async () => {
    const pet: Record<string, unknown> = { type: 'object', properties: {} }
    ;(pet['properties'] as Record<string, unknown>)['parent'] = pet
    ;(pet['properties'] as Record<string, unknown>)['example'] = { default: pet, enum: ['a'] }
    expect(await registered(openApi(bodyOf(pet), { logger: silent }))).toEqual(['call'])
  })

  it('accepts a chain of 50,000 references', async () => {
    const schemas = Object.fromEntries(
      Array.from({ length: 50_000 }, (_, index) => [
        `S${index}`,
        { $ref: `#/components/schemas/S${index + 1}` },
      ]),
    )
    const source = openApi(bodyOf({ $ref: '#/components/schemas/S0' }, { schemas }), { logger: silent })
    expect(source.tools()).toHaveLength(1)
  })

  it('accepts references that lead to themselves, and leaves out such paths', async () => {
    const schemas = { A: { allOf: [{ $ref: '#/components/schemas/A' }, { properties: { a: {} } }] } }
    expect(
      await registered(openApi(bodyOf({ $ref: '#/components/schemas/A' }, { schemas }), { logger: silent })),
    ).toEqual(['call'])
    const paths = { '/a': { $ref: '#/paths/~1b' }, '/b': { $ref: '#/paths/~1a' }, '/c': { get: {} } }
    const source = openApi({ ...bodyOf({}), paths }, { logger: silent })
    expect(source.faults.map(({ where }) => where)).toEqual(['/a', '/b'])
  })

  it('accepts 200 schemas that each refer to all others', async () => {
    const names = Array.from({ length: 200 }, (_, index) => `S${index}`)
    const all = { anyOf: names.map((name) => ({ $ref: `#/components/schemas/${name}` })) }
    const schemas = Object.fromEntries(
      names.map((name) => [name, { type: 'object', properties: { next: all } }]),
    )
    const started = process.cpuUsage()
    expect(await registered(openApi(bodyOf(all, { schemas }), { logger: silent }))).toEqual(['call'])
    const { user, system } = process.cpuUsage(started)
    expect((user + system) / 1_000).toBeLessThan(10_000)
  })

  it('never changes the prototype of objects', async () => {
    const text = `{
      "openapi": "3.1.0", "servers": [{ "url": "https://api.invalid" }],
      "__proto__": { "polluted": true },
      "components": { "schemas": { "__proto__": { "type": "string" }, "constructor": { "type": "string" } } },
      "paths": {
        "/x": { "post": {
          "operationId": "__proto__",
          "parameters": [{ "name": "__proto__", "in": "query", "schema": { "$ref": "#/components/schemas/__proto__" } },
                         { "name": "constructor", "in": "query", "schema": { "$ref": "#/components/schemas/constructor" } },
                         { "name": "x", "in": "__proto__" }],
          "requestBody": { "content": { "__proto__": {}, "application/json": { "schema": { "properties": { "__proto__": {}, "toString": {} } } } } }
        } },
        "/y": { "post": {
          "parameters": [{ "name": "__proto__", "in": "query", "schema": { "$ref": "#/components/schemas/__proto__" } },
                         { "name": "constructor", "in": "query", "schema": { "$ref": "#/components/schemas/constructor" } }],
          "requestBody": { "content": { "__proto__": {}, "application/json": { "schema": { "properties": { "__proto__": {}, "toString": {} } } } } }
        } },
        "__proto__": { "get": {} }
      }
    }`
    const source = openApi(JSON.parse(text) as object, { logger: silent })
    expect(source.faults.map(({ where }) => where)).toEqual(['POST /x', 'GET __proto__'])
    const [tool] = source.tools()
    expect(Object.keys(schemaOf(tool?.inputSchema)['properties'] as object)).toEqual([
      'proto',
      'constructor',
      'body_proto',
      'toString',
    ])
    expect(await registered(source)).toEqual(['post_y'])
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined()
  })

  it.each([
    ['paths', { paths: [] }],
    ['a path item', { paths: { '/x': 7 } }],
    ['an operation', { paths: { '/x': { get: 'x' } } }],
    ['parameters', { paths: { '/x': { get: { parameters: {} } } } }],
    ['a parameter', { paths: { '/x': { get: { parameters: [7] } } } }],
    ['a parameter without a name', { paths: { '/x': { get: { parameters: [{ in: 'query' }] } } } }],
    ['a body', { paths: { '/x': { post: { requestBody: [] } } } }],
    ['content', { paths: { '/x': { post: { requestBody: { content: [7] } } } } }],
    ['responses', { paths: { '/x': { get: { responses: [null] } } } }],
    ['security', { paths: { '/x': { get: { security: [null, 'a'] } } } }],
    ['tags and servers', { tags: 7, servers: 'x', paths: { '/x': { get: { tags: 'a', servers: [7] } } } }],
    ['components', { components: [], info: 'x', paths: { '/x': { get: {} } } }],
    ['schemes', { components: { securitySchemes: { a: 7 } }, paths: { '/x': { get: {} } } }],
  ])('keeps the other operations if %s has the wrong type', (_, document) => {
    const paths = { '/good': { get: {} } }
    const given = {
      ...document,
      paths: Array.isArray(document.paths) ? document.paths : { ...document.paths, ...paths },
    }
    for (const version of [{ openapi: '3.1.0' }, { openapi: '3.0.0' }, { swagger: '2.0' }]) {
      const make = (): unknown =>
        openApi({ ...given, ...version }, { baseUrl: 'https://api.invalid', logger: silent })
      if (Array.isArray(given.paths)) expect(make).toThrow(/no paths/)
      else expect((make() as OpenApiSource).tools().map(({ name }) => name)).toContain('get_good')
    }
  })

  it('gives 5,000 operations of one name different names', () => {
    const paths = Object.fromEntries(
      Array.from({ length: 5_000 }, (_, index) => [
        `/p${index}`,
        { get: { operationId: index % 2 === 0 ? 'same' : 'Same' } },
      ]),
    )
    const { operations } = survey({ openapi: '3.1.0', paths })
    expect(new Set(operations.map(({ name }) => name)).size).toBe(5_000)
  })

  it('removes control characters from titles and descriptions', async () => {
    const document = documentOf('/x', { summary: 'a\u001b[2J\u202eb', description: 'c\rd', tags: ['\u0000'] })
    const client = await connectApi(document)
    expect((await client.listTools())[0]).toMatchObject({ title: 'a[2Jb', description: 'a[2Jb\n\ncd' })
  })
})
