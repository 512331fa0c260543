import { describe, expect, it } from 'vitest'
import type { OpenApiOptions } from '../../src/index.ts'
import { callApi, connectApi, documentOf, textOf } from '../support/api.ts'

const bodyOf = (type: string, schema: object, more: object = {}): object =>
  documentOf(
    '/x',
    { requestBody: { required: true, content: { [type]: { schema, ...more } } } },
    { method: 'post' },
  )

async function schemaOf(document: object, options: OpenApiOptions = {}): Promise<Record<string, unknown>> {
  const client = await connectApi(document, options)
  const [tool] = await client.listTools()
  return tool?.inputSchema as Record<string, unknown>
}

const name = { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] }

/** Parses what arrived as a server does. */
const formOf = async ({
  headers,
  body,
}: {
  headers: Record<string, unknown>
  body: Buffer
}): Promise<FormData> =>
  new Response(body as unknown as BodyInit, {
    headers: { 'content-type': String(headers['content-type']) },
  }).formData()

describe('bodies of JSON', () => {
  it.each(['application/json', 'application/merge-patch+json', 'application/vnd.api+json'])(
    'are sent as %s',
    async (type) => {
      const { request } = await callApi(bodyOf(type, name), { name: 'Rex' })
      expect(request?.headers['content-type']).toBe(type)
      expect(String(request?.body)).toBe('{"name":"Rex"}')
    },
  )

  it.each([
    ['an array', { type: 'array', items: { type: 'integer' } }, [1, 2]],
    ['a string', { type: 'string' }, 'a'],
    ['alternatives', { oneOf: [name, { type: 'object', required: ['id'] }] }, { id: 1 }],
    ['an open object', { ...name, additionalProperties: true }, { name: 'a', more: 1 }],
    ['an object with a limit', { ...name, minProperties: 1 }, { name: 'a' }],
  ])('are one argument if they are %s', async (_, schema, body) => {
    const { request } = await callApi(bodyOf('application/json', schema), { body })
    expect(JSON.parse(String(request?.body))).toEqual(body)
  })

  it('are chosen before forms', async () => {
    const content = { 'multipart/form-data': { schema: name }, 'application/json': { schema: name } }
    const document = documentOf('/x', { requestBody: { content } }, { method: 'post' })
    expect((await callApi(document, { name: 'a' })).request?.headers['content-type']).toBe('application/json')
  })

  it('join the parts of allOf', async () => {
    const schema = { allOf: [name, { type: 'object', properties: { age: { type: 'integer' } } }] }
    const { request } = await callApi(bodyOf('application/json', schema), { name: 'a', age: 1 })
    expect(JSON.parse(String(request?.body))).toEqual({ name: 'a', age: 1 })
    const twice = { allOf: [name, name] }
    expect(await schemaOf(bodyOf('application/json', twice))).toMatchObject({ required: ['body'] })
  })

  it('are left out if they are optional and have no argument', async () => {
    const schema = { type: 'object', properties: { name: { type: 'string' } } }
    const document = documentOf(
      '/x',
      { requestBody: { content: { 'application/json': { schema } } } },
      { method: 'post' },
    )
    const { request } = await callApi(document, {})
    expect(request?.headers['content-type']).toBeUndefined()
    expect(String(request?.body)).toBe('')
  })
})

describe('arguments of one name', () => {
  const parameters = [{ name: 'id', in: 'path', required: true, schema: { type: 'integer' } }]
  const document = (properties: object, more: readonly object[] = []): object =>
    documentOf(
      '/{id}',
      {
        parameters: [...parameters, ...more],
        requestBody: {
          required: true,
          content: { 'application/json': { schema: { type: 'object', properties } } },
        },
      },
      { method: 'put' },
    )

  it('give the property of the body a prefix', async () => {
    const { request } = await callApi(document({ id: { type: 'string' } }), { id: 1, body_id: 'a' })
    expect([request?.url, String(request?.body)]).toEqual(['/1', '{"id":"a"}'])
  })

  it('put the body into one argument if there are several', async () => {
    const given = document({ id: {}, q: {} }, [{ name: 'q', in: 'query', schema: {} }])
    const { request } = await callApi(given, { id: 1, q: 'a', body: { id: 2, q: 'b' } })
    expect([request?.url, String(request?.body)]).toEqual(['/1?q=a', '{"id":2,"q":"b"}'])
  })

  it('name the place of a second parameter', async () => {
    const { request } = await callApi(document({ a: {} }, [{ name: 'id', in: 'query', schema: {} }]), {
      id: 1,
      query_id: 2,
    })
    expect(request?.url).toBe('/1?id=2')
  })

  it('replace characters that model APIs refuse', async () => {
    const more = [
      { name: 'filter[name]', in: 'query', schema: {} },
      { name: '$top', in: 'query', schema: {} },
    ]
    const { request } = await callApi(document({ a: {} }, more), { id: 1, filter_name: 'a', top: 2 })
    expect(request?.url).toBe('/1?filter%5Bname%5D=a&%24top=2')
  })

  it('send a property with the name __proto__', async () => {
    const properties = JSON.parse('{"__proto__": {"type": "string"}, "a": {"type": "string"}}') as object
    const { request } = await callApi(document(properties), { id: 1, proto: 'x', a: 'y' })
    expect(String(request?.body)).toBe('{"__proto__":"x","a":"y"}')
  })
})

describe('forms', () => {
  it('are written as application/x-www-form-urlencoded', async () => {
    const schema = { type: 'object', properties: { a: {}, list: {}, deep: {}, object: {} } }
    const more = { encoding: { deep: { style: 'deepObject', explode: true } } }
    const args = { a: 'x y&z', list: [1, 2], deep: { b: 1 }, object: { c: true } }
    const { request } = await callApi(bodyOf('application/x-www-form-urlencoded', schema, more), args)
    expect(request?.headers['content-type']).toBe('application/x-www-form-urlencoded')
    expect([...new URLSearchParams(String(request?.body))]).toEqual([
      ['a', 'x y&z'],
      ['list', '1'],
      ['list', '2'],
      ['deep[b]', '1'],
      ['object', '{"c":true}'],
    ])
  })

  it('send files as multipart/form-data', async () => {
    const file = { type: 'string', format: 'binary' }
    const schema = {
      type: 'object',
      properties: {
        title: { type: 'string' },
        meta: { type: 'object' },
        file,
        more: { type: 'array', items: file },
      },
    }
    const more = { encoding: { file: { contentType: 'image/png' } } }
    const data = Buffer.from('hello').toString('base64')
    const args = {
      title: 'T',
      meta: { a: 1 },
      file: data,
      more: [{ name: 'a".txt', type: 'text/plain', data }, data],
    }
    const { request } = await callApi(bodyOf('multipart/form-data', schema, more), args)
    const form = await formOf(request as never)
    expect(form.get('title')).toBe('T')
    expect(await (form.get('meta') as File).text()).toBe('{"a":1}')
    expect(form.get('file')).toMatchObject({ type: 'image/png', size: 5 })
    expect(form.getAll('more')).toMatchObject([
      { name: 'a_.txt', type: 'text/plain' },
      { name: 'file', type: 'application/octet-stream' },
    ])
  })

  it('read the form parameters of 2.0', async () => {
    const parameters = [
      { name: 'file', in: 'formData', type: 'file', required: true },
      { name: 'kind', in: 'formData', type: 'string', enum: ['a', 'b'] },
    ]
    const document = { swagger: '2.0', paths: { '/x': { post: { parameters } } } }
    const { request } = await callApi(document, { file: 'aGk=', kind: 'a' })
    const form = await formOf(request as never)
    expect([await (form.get('file') as File).text(), form.get('kind')]).toEqual(['hi', 'a'])
    expect((await callApi(document, { file: 'aGk=', kind: 'c' })).result).toMatchObject({ isError: true })
  })

  it('refuse text that is not base64', async () => {
    const schema = { type: 'object', properties: { file: { type: 'string', format: 'binary' } } }
    const { request, result } = await callApi(bodyOf('multipart/form-data', schema), { file: '!' })
    expect(request).toBeUndefined()
    expect(textOf(result)).toContain('base64')
  })
})

describe('bodies of text and bytes', () => {
  it.each(['text/plain', 'application/xml', 'text/csv'])('are text as %s', async (type) => {
    const { request } = await callApi(bodyOf(type, { type: 'string' }), { body: 'a,b' })
    expect([request?.headers['content-type'], String(request?.body)]).toEqual([type, 'a,b'])
  })

  it.each([
    ['image/png', 'AAEC', 'image/png'],
    ['*/*', { data: 'AAEC', type: 'image/gif' }, 'image/gif'],
    ['application/octet-stream', 'AAEC', 'application/octet-stream'],
  ])('are bytes as %s', async (type, body, sent) => {
    const schema = type === '*/*' ? {} : { type: 'string', format: 'binary' }
    const given = type === '*/*' ? bodyOf('image/*', schema) : bodyOf(type, schema)
    const { request } = await callApi(given, { body })
    expect([request?.headers['content-type'], [...(request?.body ?? [])]]).toEqual([sent, [0, 1, 2]])
  })
})

describe('limits.uploadBytes', () => {
  const big = 'a'.repeat(2_000)
  const file = { type: 'object', properties: { file: { type: 'string', format: 'binary' } } }

  it.each([
    ['application/json', name, { name: big }],
    ['application/x-www-form-urlencoded', name, { name: big }],
    ['multipart/form-data', name, { name: big }],
    ['multipart/form-data', file, { file: Buffer.from(big).toString('base64') }],
    ['text/plain', { type: 'string' }, { body: big }],
    ['image/png', {}, { body: Buffer.from(big).toString('base64') }],
  ])('refuses a larger body of %s', async (type, schema, args) => {
    const { request, result } = await callApi(bodyOf(type, schema), args, { limits: { uploadBytes: 1_024 } })
    expect(request).toBeUndefined()
    expect(textOf(result)).toContain('larger than 1024 bytes')
  })
})
