import { logLines } from '@jetway-apps/test-support'
import { describe, expect, it } from 'vitest'
import { openApi, type OpenApiOptions } from '../src/index.ts'
import { callApi, connectApi, documentOf, serveApi, textOf } from './support/api.ts'
import { pets } from './support/pets.ts'

const namesOf = (document: object, options: OpenApiOptions = {}): readonly string[] =>
  openApi(document, { logger: logLines(), ...options })
    .tools()
    .map(({ name }) => name)

describe('openApi', () => {
  it('makes tools that send requests and return replies', async () => {
    const api = await serveApi(() => ({ json: { id: 7, name: 'Rex' } }))
    const client = await connectApi(pets, { baseUrl: `${api.origin}/v1` })
    const result = await client.callTool('create_pet', { name: 'Rex', friends: [{ name: 'Ada' }] })
    expect(result).toMatchObject({ structuredContent: { id: 7, name: 'Rex' } })
    expect(api.received).toMatchObject([
      { method: 'POST', url: '/v1/pets', headers: { 'content-type': 'application/json' } },
    ])
    expect(JSON.parse(String(api.received[0]?.body))).toEqual({ name: 'Rex', friends: [{ name: 'Ada' }] })
  })

  it('describes tools as the document describes its operations', async () => {
    const client = await connectApi(pets)
    const [list, create, find] = await client.listTools()
    expect(list).toMatchObject({
      name: 'list_pets',
      title: 'List pets',
      description: 'List pets',
      annotations: { readOnlyHint: true, openWorldHint: true },
    })
    expect(create).toMatchObject({
      name: 'create_pet',
      inputSchema: {
        type: 'object',
        required: ['name'],
        properties: { name: { type: 'string' }, friends: { type: 'array', items: { $ref: '#/$defs/Pet' } } },
        additionalProperties: false,
        $defs: { Pet: { type: 'object', required: ['name'] } },
      },
    })
    expect(create?.inputSchema['properties']).not.toHaveProperty('id')
    expect(find).toMatchObject({ name: 'get_pets_by_id', inputSchema: { required: ['id'] } })
  })

  it('checks arguments before a request is sent', async () => {
    const api = await serveApi()
    const client = await connectApi(pets, { baseUrl: api.origin })
    for (const args of [{ limit: 0 }, { limit: 'all' }, { status: ['dead'] }, { other: 1 }])
      expect(await client.callTool('list_pets', args)).toMatchObject({ isError: true })
    expect(api.received).toEqual([])
  })

  it('leaves out deprecated operations', () => {
    expect(namesOf(pets)).toEqual(['list_pets', 'create_pet', 'get_pets_by_id'])
  })

  it.each([
    [{ openapi: '4.0.0', paths: {} }, /OpenAPI 2.0, 3.0, 3.1 or 3.2/],
    [{ swagger: '1.2', paths: {} }, /OpenAPI 2.0, 3.0, 3.1 or 3.2/],
    [{}, /OpenAPI 2.0, 3.0, 3.1 or 3.2/],
    [[], /OpenAPI 2.0, 3.0, 3.1 or 3.2/],
    [{ openapi: '3.1.0' }, /no paths/],
    [{ openapi: '3.1.0', paths: {} }, /set the option baseUrl/],
    [{ ...pets, paths: {} }, /no operation of the document is left/],
  ])('refuses %j', (document, problem) => {
    expect(() => openApi(document)).toThrow(problem)
  })

  it('leaves out an operation that cannot be called, and logs it', () => {
    const logger = logLines()
    const paths = { ...pets.paths, 'no-slash': { get: {} }, '/a{b': { get: {} }, '/c?d': { get: {} } }
    const source = openApi({ ...pets, paths }, { logger })
    expect(source.tools()).toHaveLength(3)
    expect(source.faults).toEqual([
      { where: 'GET no-slash', problem: 'its path does not begin with "/"', leftOut: true },
      { where: 'GET /a{b', problem: 'its path has an unmatched brace', leftOut: true },
      { where: 'GET /c?d', problem: expect.stringContaining('a query'), leftOut: true },
    ])
    expect(logger.lines).toEqual(['warn: An OpenAPI document has faults; 3 operations are left out'])
  })

  it('leaves out an operation with a server of its own', () => {
    const get = { servers: [{ url: 'https://uploads.invalid' }] }
    const source = openApi({ ...pets, paths: { ...pets.paths, '/u': { get } } }, { logger: logLines() })
    expect(source.faults).toMatchObject(
      [{ where: 'GET /u', problem: /own server/ }].map(({ where }) => ({ where })),
    )
  })

  it('notifies nobody, because a document does not change', () => {
    const stop = openApi(pets).onChange(() => {})
    expect(stop()).toBeUndefined()
  })
})

describe('names', () => {
  it.each([
    ['listPets', 'list_pets'],
    ['Pets.list-all', 'pets_list_all'],
    ['getHTTPStatus', 'get_http_status'],
    ['__proto__', 'proto'],
    ['日本', 'get_x'],
    ['', 'get_x'],
  ])('turns the operationId %s into %s', (operationId, name) => {
    expect(namesOf(documentOf('/x', { operationId }))).toEqual([name])
  })

  it('takes the path without an operationId', () => {
    const paths = { '/users/{user-id}/posts': { get: {} }, '/': { get: {} } }
    expect(namesOf({ ...pets, paths })).toEqual(['get_users_by_user_id_posts', 'get'])
  })

  it('adds a digest to a name that is taken, and to one of more than 64 characters', () => {
    const paths = {
      '/a': { get: { operationId: 'same' }, post: { operationId: 'Same' } },
      '/b': { get: { operationId: 'x'.repeat(65) }, post: { operationId: 'x'.repeat(65) } },
    }
    const names = namesOf({ ...pets, paths })
    expect(names[0]).toBe('same')
    expect(names[1]).toMatch(/^same_[a-z0-9]{7}$/)
    expect(names[2]).toMatch(/^x{56}_[a-z0-9]{7}$/)
    expect(new Set(names).size).toBe(4)
    expect(namesOf({ ...pets, paths })).toEqual(names)
  })

  it('takes names of the option and of x-mcp', () => {
    const paths = {
      '/a': { get: { operationId: 'a', 'x-mcp': { name: 'first' } }, post: { operationId: 'b' } },
      '/c': { get: { 'x-mcp': { hidden: true } } },
    }
    expect(namesOf({ ...pets, paths }, { names: { b: 'second' } })).toEqual(['first', 'second'])
    expect(namesOf({ ...pets, paths }, { names: { 'GET /a': 'third' } })).toEqual(['third', 'b'])
  })
})

describe('choice', () => {
  it('takes operations with a tag, a path and a method', () => {
    expect(namesOf(pets, { tags: ['write'] })).toEqual(['create_pet'])
    expect(namesOf(pets, { paths: ['/pets/*'] })).toEqual(['get_pets_by_id'])
    expect(namesOf(pets, { paths: ['/pets**'], methods: ['get'] })).toEqual(['list_pets', 'get_pets_by_id'])
    expect(() => openApi(pets, { paths: ['/pet'] })).toThrow(/no operation/)
  })

  it('asks the function operations, which may take deprecated ones', () => {
    expect(namesOf(pets, { operations: ({ deprecated }) => deprecated })).toEqual(['delete_pet'])
  })

  it('takes the keys of the object operations, and reports those that match nothing', () => {
    const operations = { 'GET /pets': true, 'POST /pets': false, 'GET /gone': true }
    const source = openApi(pets, { operations, logger: logLines() })
    expect(source.tools().map(({ name }) => name)).toEqual(['list_pets'])
    expect(source.faults).toEqual([
      { where: 'operations["GET /gone"]', problem: 'it matches no operation', leftOut: false },
    ])
  })

  it('refuses more tools than maxTools', () => {
    expect(() => openApi(pets, { maxTools: 2 })).toThrow(/gives 3 tools, more than maxTools \(2\)/)
    expect(() => openApi(pets, { limits: { operations: 3 } })).toThrow(/more than 3 operations/)
  })

  it('makes resources of GETs, with templates for arguments', async () => {
    const api = await serveApi(({ url }) => (url === '/pets/7' ? { json: { id: 7 } } : { status: 404 }))
    const operations = (): 'resource' => 'resource'
    const client = await connectApi(pets, { baseUrl: api.origin, operations, methods: ['get'] })
    expect(await client.listResources()).toMatchObject([{ uri: 'pets:///pets', name: 'list_pets' }])
    expect(await client.listResourceTemplates()).toMatchObject([{ uriTemplate: 'pets:///pets/{id}' }])
    expect(await client.readResource('pets:///pets/7')).toMatchObject({ contents: [{ text: '{"id":7}' }] })
    await expect(client.readResource('pets:///pets/8')).rejects.toThrow(/not found/i)
    await expect(client.readResource('pets:///pets/x')).rejects.toThrow(/not found/i)
    await expect(client.readResource('pets:///pets/..%2f..%2fadmin')).rejects.toThrow(/not found/i)
    expect(api.received.map(({ url }) => url)).toEqual(['/pets/7', '/pets/8'])
  })
})

describe('options', () => {
  it.each<[OpenApiOptions, RegExp]>([
    [{ baseUrl: 'ftp://x' }, /baseUrl must be an http: or https: URL/],
    [{ baseUrl: 'https://user:secret@x' }, /without credentials/],
    [{ baseUrl: 'https://x/?a=b' }, /query/],
    [{ auth: {} }, /baseUrl is required with auth/],
    [{ baseUrl: 'https://x', auth: { key: 'k' } }, /auth.key names no security scheme/],
    [{ maxTools: 0 }, /maxTools must be a whole number above 0/],
    [{ limits: { uploadBytes: -1 } }, /uploadBytes must be/],
    [{ refs: 'deep' as 'defs' }, /refs must be/],
    [{ results: 'yes' as 'text' }, /results must be/],
    [{ tags: 'a' as unknown as [] }, /tags must be an array/],
    [{ paginate: { list_pets: { cursor: '' } } }, /paginate.list_pets must be an object/],
    [{ paginate: { list_pets: { cursor: 'next', max: 0 } } }, /paginate.list_pets must be an object/],
    [{ baseurl: 'https://x' } as OpenApiOptions, /Did you mean baseUrl/],
  ])('refuses %j', (options, problem) => {
    expect(() => openApi(pets, options)).toThrow(problem)
  })

  it('takes the first absolute server of the document as the base', async () => {
    const api = await serveApi()
    const servers = [
      { url: '/v1' },
      { url: `${api.origin}/{version}`, variables: { version: { default: 'v2' } } },
    ]
    const client = await connectApi({ ...pets, servers })
    await client.callTool('list_pets', {})
    expect(api.received).toMatchObject([{ url: '/v2/pets' }])
  })

  it('passes requests to fetch, with the signal of the call', async () => {
    let signal: AbortSignal | null | undefined
    const { result } = await callApi(
      pets,
      {},
      {
        fetch: (url, init) => {
          signal = init.signal
          return Promise.resolve(Response.json({ url: url.pathname, redirect: init.redirect }))
        },
      },
    )
    expect(JSON.parse(textOf(result))).toEqual({ url: '/pets', redirect: 'manual' })
    expect(signal?.aborted).toBe(false)
  })
})
