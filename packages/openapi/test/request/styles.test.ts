import { describe, expect, it } from 'vitest'
import { callApi, documentOf } from '../support/api.ts'

const array = ['blue', 'black', 'brown']
const object = { R: 100, G: 200, B: 150 }

/** The tables of https://spec.openapis.org/oas/v3.1.1.html#style-examples. */
const PATHS: readonly (readonly [style: string, explode: boolean, value: unknown, text: string])[] = [
  ['simple', false, 'blue', 'blue'],
  ['simple', false, array, 'blue,black,brown'],
  ['simple', true, array, 'blue,black,brown'],
  ['simple', false, object, 'R,100,G,200,B,150'],
  ['simple', true, object, 'R=100,G=200,B=150'],
  ['label', false, 'blue', '.blue'],
  ['label', false, array, '.blue,black,brown'],
  ['label', true, array, '.blue.black.brown'],
  ['label', false, object, '.R,100,G,200,B,150'],
  ['label', true, object, '.R=100.G=200.B=150'],
  ['matrix', false, 'blue', ';color=blue'],
  ['matrix', true, 'blue', ';color=blue'],
  ['matrix', false, array, ';color=blue,black,brown'],
  ['matrix', true, array, ';color=blue;color=black;color=brown'],
  ['matrix', false, object, ';color=R,100,G,200,B,150'],
  ['matrix', true, object, ';R=100;G=200;B=150'],
]

const QUERIES: readonly (readonly [style: string, explode: boolean, value: unknown, text: string])[] = [
  ['form', false, '', 'color='],
  ['form', false, 'blue', 'color=blue'],
  ['form', false, array, 'color=blue,black,brown'],
  ['form', true, array, 'color=blue&color=black&color=brown'],
  ['form', false, object, 'color=R,100,G,200,B,150'],
  ['form', true, object, 'R=100&G=200&B=150'],
  ['spaceDelimited', false, array, 'color=blue%20black%20brown'],
  ['spaceDelimited', false, object, 'color=R%20100%20G%20200%20B%20150'],
  ['pipeDelimited', false, array, 'color=blue%7Cblack%7Cbrown'],
  ['pipeDelimited', false, object, 'color=R%7C100%7CG%7C200%7CB%7C150'],
  ['deepObject', true, object, 'color%5BR%5D=100&color%5BG%5D=200&color%5BB%5D=150'],
  ['deepObject', true, { a: { b: [1, 2] } }, 'color%5Ba%5D%5Bb%5D%5B0%5D=1&color%5Ba%5D%5Bb%5D%5B1%5D=2'],
]

async function sent(path: string, parameter: object, value: unknown): Promise<string | undefined> {
  const document = documentOf(path, {
    parameters: [{ name: 'color', schema: {}, required: true, ...parameter }],
  })
  const { request, result } = await callApi(document, { color: value })
  expect(result).not.toMatchObject({ isError: true })
  return request?.url
}

describe('parameters in the path', () => {
  it.each(PATHS)('are written by style %s, explode %s: %j', async (style, explode, value, text) => {
    expect(await sent('/{color}/x', { in: 'path', style, explode }, value)).toBe(`/${text}/x`)
  })

  it.each([
    ['a/b', 'a%2Fb'],
    ['ä ü', '%C3%A4%20%C3%BC'],
    ['a?b#c&d=e+f', 'a%3Fb%23c%26d%3De%2Bf'],
    ["100%!'()*", '100%25%21%27%28%29%2A'],
    ['a,b;c', 'a%2Cb%3Bc'],
    [true, 'true'],
    [1.5, '1.5'],
  ])('are encoded whole: %j', async (value, text) => {
    expect(await sent('/{color}', { in: 'path' }, value)).toBe(`/${text}`)
  })
})

describe('parameters in the query', () => {
  it.each(QUERIES)('are written by style %s, explode %s: %j', async (style, explode, value, text) => {
    expect(await sent('/x', { in: 'query', style, explode }, value)).toBe(`/x?${text}`)
  })

  it('keep reserved characters with allowReserved, but none that end the value', async () => {
    const value = "a:/?[]@!$'()*,;=#&+%"
    expect(await sent('/x', { in: 'query', allowReserved: true }, value)).toBe(
      // A parser of URLs encodes the apostrophe in a query.
      '/x?color=a:/?[]@!$%27()*,;=%23%26%2B%25',
    )
  })

  it('are JSON if they have content', async () => {
    const parameter = { in: 'query', schema: undefined, content: { 'application/json': { schema: {} } } }
    expect(await sent('/x', parameter, { a: [1] })).toBe('/x?color=%7B%22a%22%3A%5B1%5D%7D')
  })

  it('are left out if they are empty lists', async () => {
    expect(await sent('/x', { in: 'query' }, [])).toBe('/x')
  })

  it.each([
    ['csv', 'c=1,2'],
    ['ssv', 'c=1%202'],
    ['tsv', 'c=1%092'],
    ['pipes', 'c=1%7C2'],
    ['multi', 'c=1&c=2'],
    [undefined, 'c=1,2'],
  ])('are written by the collectionFormat %s of 2.0', async (collectionFormat, text) => {
    const parameters = [
      { name: 'c', in: 'query', type: 'array', items: { type: 'integer' }, collectionFormat },
    ]
    const document = { swagger: '2.0', paths: { '/x': { get: { parameters } } } }
    expect((await callApi(document, { c: [1, 2] })).request?.url).toBe(`/x?${text}`)
  })
})

describe('parameters in headers and cookies', () => {
  const parameters = [
    { name: 'X-Trace', in: 'header', required: true, schema: { type: 'array' } },
    { name: 'X-Optional', in: 'header', schema: { type: 'string' } },
    { name: 'theme', in: 'cookie', required: true, schema: { type: 'string' } },
    ...['Authorization', 'Cookie', 'Host', 'Content-Length', 'X-Forwarded-For'].map((name) => ({
      name,
      in: 'header',
      required: true,
      schema: { type: 'string' },
    })),
  ]

  it('are arguments if they are required, and never those of the connection or of credentials', async () => {
    const document = documentOf('/x', { parameters })
    const { request } = await callApi(document, { 'X-Trace': ['a', 'b'], theme: 'a b' })
    expect(request?.headers).toMatchObject({ 'x-trace': 'a,b', cookie: 'theme=a%20b' })
    const { result } = await callApi(document, { 'X-Trace': ['a'], theme: 'a', Host: 'evil.invalid' })
    expect(result).toMatchObject({ isError: true })
  })

  it.each(['a\r\nX-Evil: 1', 'a\u0000b', 'ä'])('refuse %j in a header', async (value) => {
    const document = documentOf('/x', { parameters: [parameters[0]] })
    const { request, result } = await callApi(document, { 'X-Trace': [value] })
    expect(request).toBeUndefined()
    expect(result).toMatchObject({ isError: true, content: [{ text: expect.stringContaining('header') }] })
  })
})
