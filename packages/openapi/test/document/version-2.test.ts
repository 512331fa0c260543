import { silent } from '@jetway-apps/test-support'
import { describe, expect, it } from 'vitest'
import { openApi } from '../../src/index.ts'
import { callApi, schemaOf } from '../support/api.ts'

const document = (operation: object, more: object = {}): object => ({
  swagger: '2.0',
  info: { title: 'Old', version: '1' },
  host: 'old.invalid',
  basePath: '/v1',
  paths: { '/x/{id}': { post: { operationId: 'call', ...operation } } },
  ...more,
})

const body = { name: 'pet', in: 'body', required: true, schema: { $ref: '#/definitions/Pet' } }
const definitions = {
  Pet: {
    type: 'object',
    required: ['name'],
    properties: { name: { type: 'string' }, id: { type: 'integer', readOnly: true } },
  },
}

describe('a document of 2.0', () => {
  it('has bodies and definitions', async () => {
    const given = document({ parameters: [body] }, { definitions })
    const { request } = await callApi(given, { id: 'a', name: 'Rex' })
    expect(request).toMatchObject({ url: '/x/a', headers: { 'content-type': 'application/json' } })
    expect(String(request?.body)).toBe('{"name":"Rex"}')
  })

  it.each([
    [['http', 'https'], 'https://old.invalid/v1/x/a'],
    [['http'], 'http://old.invalid/v1/x/a'],
    [undefined, 'https://old.invalid/v1/x/a'],
  ])('has its server in host, basePath and schemes: %j', async (schemes, address) => {
    let url: URL | undefined
    const fetch = (to: URL): Promise<Response> => {
      url = to
      return Promise.resolve(new Response('ok'))
    }
    await callApi(document({}, { schemes }), { id: 'a' }, { baseUrl: undefined as never, fetch })
    expect(url?.href).toBe(address)
  })

  it('takes the media types of the operation before those of the document', async () => {
    const types = { consumes: ['application/vnd.a+json'], produces: ['application/vnd.b+json'] }
    const operation = {
      ...types,
      parameters: [body],
      responses: { 200: { schema: { $ref: '#/definitions/Pet' } } },
    }
    const given = document(operation, { definitions, consumes: ['text/xml'], produces: ['text/xml'] })
    const { request } = await callApi(given, { id: 'a', name: 'Rex' })
    expect(request?.headers).toMatchObject({
      'content-type': 'application/vnd.a+json',
      accept: 'application/vnd.b+json, */*;q=0.1',
    })
  })

  it('has results', () => {
    const responses = { 200: { schema: { $ref: '#/definitions/Pet' } } }
    const source = openApi(document({ responses }, { definitions }), { logger: silent, results: 'checked' })
    expect(schemaOf(source.tools()[0]?.outputSchema)).toMatchObject({ type: 'object', required: ['name'] })
  })

  it('keeps the lists, defaults and enumerations of forms', () => {
    const parameters = [
      { name: 'tags', in: 'formData', type: 'array', items: { type: 'string', enum: ['a'] }, default: ['a'] },
    ]
    const source = openApi(document({ parameters }), { logger: silent })
    expect(schemaOf(source.tools()[0]?.inputSchema)).toMatchObject({
      properties: { tags: { type: 'array', items: { enum: ['a'] }, default: ['a'] } },
    })
  })
})
