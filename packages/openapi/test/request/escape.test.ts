import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { connectApi, documentOf, serveApi } from '../support/api.ts'

const BASE = '/api/v1'

const document = documentOf('/files/{path}/x', {
  parameters: [
    { name: 'path', in: 'path', required: true, schema: { type: 'string' } },
    { name: 'q', in: 'query', schema: {} },
    { name: 'reserved', in: 'query', allowReserved: true, schema: { type: 'string' } },
    { name: 'deep', in: 'query', style: 'deepObject', schema: { type: 'object' } },
  ],
})

/** Records addresses instead of sending requests. */
async function recorder(given: object = document) {
  const urls: URL[] = []
  const fetch = (url: URL): Promise<Response> => {
    urls.push(url)
    return Promise.resolve(Response.json({}))
  }
  const client = await connectApi(given, { baseUrl: `https://api.invalid${BASE}`, fetch })
  return { urls, call: (args: Record<string, unknown>) => client.callTool('call', args) }
}

describe('arguments of the path', () => {
  it.each([
    '.',
    '..',
    '../admin',
    'a/../../admin',
    '..\\admin',
    '%2e%2e',
    '%2e%2e%2fadmin',
    '%252e%252e/admin',
    'a/./b',
    'a/..',
    '..;/admin',
    '',
    '\u0000',
    '\uD800',
  ])('are refused if they lead elsewhere: %j', async (path) => {
    const { urls, call } = await recorder()
    expect(await call({ path })).toMatchObject({ isError: true })
    expect(urls).toEqual([])
  })

  it.each([
    ['https://evil.invalid/', 'https%3A%2F%2Fevil.invalid%2F'],
    ['//evil.invalid', '%2F%2Fevil.invalid'],
    ['@evil.invalid', '%40evil.invalid'],
    ['?q=1', '%3Fq%3D1'],
    ['#fragment', '%23fragment'],
    ['feature/branch', 'feature%2Fbranch'],
    ['%2F', '%252F'],
    ['...', '...'],
    ['.hidden', '.hidden'],
    ['a\tb\nc', 'a%09b%0Ac'],
  ])('stay one segment: %j', async (path, text) => {
    const { urls, call } = await recorder()
    await call({ path })
    expect(urls.map(String)).toEqual([`https://api.invalid${BASE}/files/${text}/x`])
  })

  it.each(['label', 'matrix', 'simple'])('cannot join to a dot segment by style %s', async (style) => {
    const parameters = ['a', 'b'].map((name) => ({ name, in: 'path', style, schema: {} }))
    const { urls, call } = await recorder(documentOf('/{a}{b}/x', { parameters }))
    const values = ['', '.', '..', [], [''], ['.'], ['', ''], { '.': '' }, { '': '.' }]
    for (const a of values) for (const b of values) await call({ a, b })
    for (const { pathname } of urls) expect(pathname).toMatch(/^\/api\/v1\/(?!\.{1,2}\/)[^/]+\/x$/)
    expect(urls.length).toBeGreaterThan(0)
  })

  it.each(['label', 'matrix', 'simple'])(
    'stay one segment if they are lists or objects, by style %s',
    async (style) => {
      for (const explode of [false, true]) {
        const parameters = [{ name: 'a', in: 'path', style, explode, schema: {} }]
        const { urls, call } = await recorder(documentOf('/{a}/x', { parameters }))
        for (const a of [['b', '/c', '?d#e', ['f/g']], { b: '/c', '/d': 'e', '?f': { g: '/' } }])
          await call({ a })
        expect(urls).toHaveLength(2)
        for (const url of urls) expect(url.pathname.split('/')).toHaveLength(`${BASE}/a/x`.split('/').length)
        for (const url of urls) expect(url.search + url.hash).toBe('')
      }
    },
  )

  it('never leave the base URL, whatever all arguments are', async () => {
    const { urls, call } = await recorder()
    const parts = [
      '.',
      '..',
      '/',
      '\\',
      '%2e',
      '%2F',
      '%5c',
      '//',
      ':',
      '@',
      '?',
      '#',
      '&',
      '=',
      ';',
      '+',
      'a',
      '\n',
      'é',
    ]
    const hostile = fc.array(fc.constantFrom(...parts), { maxLength: 8 }).map((all) => all.join(''))
    await fc.assert(
      fc.asyncProperty(
        hostile,
        fc.jsonValue(),
        hostile,
        fc.dictionary(hostile, hostile),
        async (path, q, reserved, deep) => {
          urls.length = 0
          const result = await call({ path, q, reserved, deep })
          expect(urls).toHaveLength(result.isError === true ? 0 : 1)
          const [url] = urls
          if (url === undefined) return
          expect(url.origin).toBe('https://api.invalid')
          expect(url.hash + url.username + url.password).toBe('')
          expect(url.pathname).toBe(
            `${BASE}/files/${encodeURIComponent(path).replace(/[!'()*]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`)}/x`,
          )
          expect(url.searchParams.getAll('reserved')).toContain(reserved)
        },
      ),
      { numRuns: 500 },
    )
  })
})

describe('paths of the document', () => {
  it.each(['/../admin', '/%2e%2e/admin', '/a/./b', '/a/%2E%2E/../b'])(
    'cannot lead elsewhere: %s',
    async (path) => {
      const { urls, call } = await recorder(documentOf(path, {}))
      expect(await call({})).toMatchObject({ isError: true })
      expect(urls).toEqual([])
    },
  )

  it('stay below the base URL with two slashes', async () => {
    const { urls, call } = await recorder(documentOf('//evil.invalid/x', {}))
    await call({})
    expect(urls.map(String)).toEqual([`https://api.invalid${BASE}//evil.invalid/x`])
  })
})

describe('redirects', () => {
  const redirect = (location: string, status = 302) =>
    connectRedirect(documentOf('/start', {}), location, status)

  async function connectRedirect(given: object, location: string, status: number) {
    const other = await serveApi()
    const api = await serveApi(({ url }) =>
      url.endsWith('/start')
        ? { status, headers: { location: location.replace('OTHER', other.origin) } }
        : { json: { url } },
    )
    const client = await connectApi(given, { baseUrl: `${api.origin}/v1` })
    return { other, api, result: await client.callTool('call', {}) }
  }

  it('are followed below the base URL', async () => {
    const { result } = await redirect('/v1/end')
    expect(result).toMatchObject({ content: [{ text: '{"url":"/v1/end"}' }] })
  })

  it.each(['OTHER/v1/end', '/admin', '//127.0.0.2/v1/end', '/v1/../admin', '/v12'])(
    'are not followed to %s',
    async (location) => {
      const { result, api, other } = await redirect(location)
      expect(result).toMatchObject({ isError: true })
      expect(api.received).toHaveLength(1)
      expect(other.received).toEqual([])
    },
  )

  it('end after five', async () => {
    const { result, api } = await redirect('/v1/start', 307)
    expect(result).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining('more than 5 times') }],
    })
    expect(api.received).toHaveLength(6)
  })
})
