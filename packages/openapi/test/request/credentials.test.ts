import { logLines, silent } from '@jetway-apps/test-support'
import { McpServer } from '@jetway/core'
import { connect } from '@jetway/testing'
import { describe, expect, it } from 'vitest'
import { openApi, type OpenApiOptions } from '../../src/index.ts'
import { callApi, connectApi, documentOf, serveApi, textOf } from '../support/api.ts'

const securitySchemes = {
  header: { type: 'apiKey', in: 'header', name: 'X-Key' },
  query: { type: 'apiKey', in: 'query', name: 'api_key' },
  cookie: { type: 'apiKey', in: 'cookie', name: 'sid' },
  basic: { type: 'http', scheme: 'basic' },
  bearer: { type: 'http', scheme: 'Bearer' },
  digest: { type: 'http', scheme: 'digest' },
  oauth: { type: 'oauth2', flows: {} },
  oidc: { type: 'openIdConnect' },
  odd: { type: 'unknown' },
}

const secured = (security: readonly object[], more: object = {}): object =>
  documentOf('/x', { security, ...more }, { components: { securitySchemes } })

describe('auth', () => {
  it.each([
    ['header', 'k', { headers: { 'x-key': 'k' } }],
    ['query', 'a b', { url: '/x?api_key=a%20b' }],
    ['cookie', 'k', { headers: { cookie: 'sid=k' } }],
    [
      'basic',
      'ada:pässword',
      { headers: { authorization: `Basic ${Buffer.from('ada:pässword').toString('base64')}` } },
    ],
    ['bearer', 't', { headers: { authorization: 'Bearer t' } }],
    ['digest', 'd', { headers: { authorization: 'digest d' } }],
    ['oauth', 't', { headers: { authorization: 'Bearer t' } }],
    ['oidc', 't', { headers: { authorization: 'Bearer t' } }],
  ])('sends the value of a scheme in its place: %s', async (name, value, expected) => {
    const { request } = await callApi(secured([{ [name]: [] }]), {}, { auth: { [name]: value } })
    expect(request).toMatchObject(expected)
  })

  it('calls functions for each request, with its context', async () => {
    const api = await serveApi()
    const server = new McpServer({ name: 'a', version: '1' }, { logger: silent })
    const auth: OpenApiOptions['auth'] = { bearer: async (ctx) => ctx.auth?.principal }
    server.observe(openApi(secured([{ bearer: [] }]), { baseUrl: api.origin, auth, logger: silent }))
    await using ada = await connect(server, { auth: { principal: 'ada' } })
    await using anonymous = await connect(server)
    await ada.callTool('call', {})
    expect(textOf(await anonymous.callTool('call', {}))).toContain('You have no credentials')
    expect(api.received.map(({ headers }) => headers.authorization)).toEqual(['Bearer ada'])
  })

  it('leaves out operations without values, and says which they need', () => {
    const document = secured([{ header: [], query: [] }, { oauth: [] }])
    expect(() => openApi(document, { logger: silent })).toThrow(/no operation/)
    const paths = { '/x': { get: { security: [{ oauth: [] }] }, post: { security: [] } } }
    const { faults } = openApi({ ...document, paths }, { logger: logLines() })
    expect(faults).toContainEqual({
      where: 'GET /x',
      problem: 'it needs credentials; set auth for oauth',
      leftOut: true,
    })
  })

  it('uses the first alternative with values, and none only if there is no other', async () => {
    const alternatives = [{}, { header: [], query: [] }, { bearer: [] }]
    const call = async (auth: OpenApiOptions['auth']) =>
      (await callApi(secured(alternatives), {}, { auth: auth ?? {} })).request
    expect(await call({ bearer: 't', header: 'k' })).toMatchObject({
      url: '/x',
      headers: { authorization: 'Bearer t' },
    })
    expect(await call({ header: 'k', query: 'q' })).toMatchObject({
      url: '/x?api_key=q',
      headers: { 'x-key': 'k' },
    })
    expect((await call({}))?.headers.authorization).toBeUndefined()
  })

  it('applies the requirement of the document to operations without their own', async () => {
    const document = {
      ...documentOf('/x', {}, { components: { securitySchemes } }),
      security: [{ header: [] }],
    }
    expect((await callApi(document, {}, { auth: { header: 'k' } })).request?.headers['x-key']).toBe('k')
  })

  it('is never an argument', async () => {
    const parameters = ['api_key', 'API_KEY'].map((name) => ({
      name,
      in: 'query',
      required: true,
      schema: {},
    }))
    const document = secured([{ query: [] }], {
      parameters: [...parameters, { name: 'X-Key', in: 'header', required: true }],
    })
    const client = await connectApi(document, { baseUrl: 'https://api.invalid', auth: { query: 'k' } })
    expect((await client.listTools())[0]?.inputSchema).toEqual({
      type: 'object',
      properties: {},
      additionalProperties: false,
    })
  })

  it('cannot be replaced by an object in the query', async () => {
    const document = secured([{ query: [] }], {
      parameters: [{ name: 'filter', in: 'query', schema: { type: 'object' } }],
    })
    const { request, result } = await callApi(
      document,
      { filter: { api_key: 'other' } },
      { auth: { query: 'k' } },
    )
    expect(request).toBeUndefined()
    expect(result).toMatchObject({ isError: true })
    expect(textOf(result)).not.toContain('k"')
  })

  it('refuses a scheme that the document does not have', () => {
    expect(() => openApi(secured([]), { baseUrl: 'https://api.invalid', auth: { baerer: 't' } })).toThrow(
      /Did you mean bearer/,
    )
  })

  it('reads the schemes of 2.0', async () => {
    const securityDefinitions = { b: { type: 'basic' }, k: { type: 'apiKey', in: 'header', name: 'K' } }
    const document = {
      swagger: '2.0',
      securityDefinitions,
      security: [{ b: [], k: [] }],
      paths: { '/x': { get: {} } },
    }
    const { request } = await callApi(document, {}, { auth: { b: 'a:b', k: 'key' } })
    expect(request?.headers).toMatchObject({ authorization: 'Basic YTpi', k: 'key' })
  })
})
