import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { gzipSync } from 'node:zlib'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { callApi, connectApi, documentOf, type Reply, serveApi, textOf } from '../support/api.ts'

const object = {
  type: 'object',
  properties: { id: { type: 'integer' }, tag: { enum: ['a'] } },
  required: ['id'],
}

const withOutput = (schema: unknown, type = 'application/json'): object =>
  documentOf('/x', { responses: { 200: { content: { [type]: { schema } } } } })

const resultOf = async (reply: Reply, document: object = withOutput(object), options: object = {}) =>
  (await callApi(document, {}, { reply: () => reply, ...options })).result

describe('successful replies', () => {
  it('are structured if the document describes an object', async () => {
    expect(await resultOf({ json: { id: 1 } })).toMatchObject({
      structuredContent: { id: 1 },
      content: [{ text: '{"id":1}' }],
    })
  })

  it('are text if the document describes something else', async () => {
    const result = await resultOf({ json: [1, 2] }, withOutput({ type: 'array' }))
    expect(result.content).toEqual([{ type: 'text', text: '[1,2]' }])
    expect(result.structuredContent).toBeUndefined()
  })

  it.each([
    ['no content', { status: 204 }, '{}'],
    ['text', { body: 'hello', headers: { 'content-type': 'text/plain; charset=utf-8' } }, 'hello'],
    [
      'text in another charset',
      { body: new Uint8Array([0xe4]), headers: { 'content-type': 'text/plain; charset=latin1' } },
      'ä',
    ],
    ['JSON that is broken', { body: '{"a', headers: { 'content-type': 'application/json' } }, '{"a'],
  ])('become text if they have %s', async (_, reply, text) => {
    const plain = await resultOf(reply, documentOf('/x', {}))
    expect(textOf(plain)).toContain(text === '{}' ? 'HTTP 204' : text)
    expect(plain.isError).toBeUndefined()
  })

  it('have images and audio as content, and other files as resources', async () => {
    const body = new Uint8Array([1, 2, 3])
    const of = async (type: string) =>
      (await resultOf({ body, headers: { 'content-type': type } }, documentOf('/x', {}))).content
    expect(await of('image/png')).toMatchObject([{ type: 'image', mimeType: 'image/png', data: 'AQID' }])
    expect(await of('audio/mpeg')).toMatchObject([{ type: 'audio', mimeType: 'audio/mpeg' }])
    expect(await of('application/pdf')).toMatchObject([
      { type: 'resource', resource: { mimeType: 'application/pdf', blob: 'AQID' } },
    ])
  })

  it('are asked for as JSON', async () => {
    const content = { 'text/html': { schema: {} }, 'application/vnd.api+json': { schema: object } }
    const { request } = await callApi(documentOf('/x', { responses: { 200: { content } } }), {})
    expect(request?.headers.accept).toBe('application/vnd.api+json, */*;q=0.1')
  })
})

describe('results', () => {
  const lies = { json: { id: null, tag: 'b', more: 1 } }

  it('described: publishes a schema that replies may break in common ways', async () => {
    const client = await connectApi(withOutput(object))
    const [tool] = await client.listTools()
    expect(tool?.outputSchema).toEqual({
      type: 'object',
      properties: { id: { type: ['integer', 'null'] }, tag: {} },
    })
    expect(await resultOf(lies)).toMatchObject({ structuredContent: lies.json })
  })

  it('checked: publishes the schema of the document, and refuses other replies', async () => {
    const result = await resultOf(lies, withOutput(object), { results: 'checked' })
    expect(result).toMatchObject({ isError: true })
    expect(textOf(result)).not.toContain('null')
    const good = await resultOf({ json: { id: 1 } }, withOutput(object), { results: 'checked' })
    expect(good).toMatchObject({ structuredContent: { id: 1 } })
  })

  it('text: publishes no schema', async () => {
    const result = await resultOf(lies, withOutput(object), { results: 'text' })
    expect(textOf(result)).toBe(JSON.stringify(lies.json))
    expect(result.structuredContent).toBeUndefined()
  })

  it('publishes no schema of more than 8 KiB', async () => {
    const properties = Object.fromEntries(
      Array.from({ length: 1_000 }, (_, index) => [`property_${index}`, { type: 'string' }]),
    )
    const client = await connectApi(withOutput({ type: 'object', properties }))
    expect((await client.listTools())[0]?.outputSchema).toBeUndefined()
  })

  it('gives the root of a recursive schema the type object', async () => {
    const components = {
      schemas: {
        A: { $ref: '#/components/schemas/B' },
        B: { properties: { next: { $ref: '#/components/schemas/A' } } },
      },
    }
    const document = { ...withOutput({ $ref: '#/components/schemas/A' }), components }
    const client = await connectApi(document)
    expect((await client.listTools())[0]?.outputSchema).toMatchObject({
      type: 'object',
      properties: { next: { $ref: '#/$defs/A' } },
    })
  })
})

describe('limits', () => {
  it('resultBytes cuts text, with a notice', async () => {
    const result = await resultOf({ json: 'a'.repeat(5_000) }, documentOf('/x', {}), {
      limits: { resultBytes: 1_000 },
    })
    expect(result.content).toMatchObject([
      { text: `"${'a'.repeat(999)}` },
      { text: expect.stringContaining('cut after 1000') },
    ])
    const structured = await resultOf({ json: { id: 1, a: 'a'.repeat(5_000) } }, withOutput(object), {
      limits: { resultBytes: 1_000 },
    })
    expect(structured).toMatchObject({ isError: true })
  })

  it('downloadBytes ends a download', async () => {
    let written = 0
    const server = createServer((_, response) => {
      response.writeHead(200, { 'content-type': 'application/octet-stream' })
      const write = (): void => {
        while (!response.destroyed && written < 50_000_000) {
          written += 65_536
          if (!response.write(Buffer.alloc(65_536))) return void response.once('drain', write)
        }
      }
      write()
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => void (server.closeAllConnections(), server.close()))
    const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    const client = await connectApi(documentOf('/x', {}), { baseUrl, limits: { downloadBytes: 100_000 } })
    expect(textOf(await client.callTool('call', {}))).toContain('larger than 100000 bytes')
    expect(written).toBeLessThan(40_000_000)
  })

  it('downloadBytes counts what compressed replies become', async () => {
    const body = gzipSync(Buffer.alloc(20_000_000))
    const headers = { 'content-type': 'text/plain', 'content-encoding': 'gzip' }
    const result = await resultOf({ body, headers }, documentOf('/x', {}), {
      limits: { downloadBytes: 1_000_000, resultBytes: 100 },
    })
    expect(textOf(result)).toContain('cut after 100')
  })
})

describe('replies that are not successful', () => {
  it.each([
    [{ status: 404, json: { title: 'Gone', detail: 'No pet 7' } }, 'HTTP 404 Not Found: Gone. No pet 7'],
    [{ status: 400, json: { error: { message: 'Bad name' } } }, 'HTTP 400 Bad Request: Bad name'],
    [{ status: 422, json: { errors: [{ field: 'a' }] } }, 'HTTP 422 Unprocessable Entity: [{"field":"a"}]'],
    [{ status: 400, json: ['a'] }, 'HTTP 400 Bad Request: ["a"]'],
    [{ status: 403, body: '<html>', headers: { 'content-type': 'text/html' } }, 'HTTP 403 Forbidden'],
    [{ status: 409, body: 'taken', headers: { 'content-type': 'text/plain' } }, 'HTTP 409 Conflict: taken'],
    [
      { status: 429, headers: { 'retry-after': '30' } },
      'HTTP 429 Too Many Requests. Try again after 30 seconds',
    ],
    [
      { status: 503, headers: { 'retry-after': '5' }, body: 'secret' },
      'HTTP 503 Service Unavailable. Try again after 5 seconds',
    ],
  ])('tell the model the reason: %j', async (reply, text) => {
    expect(await resultOf(reply)).toMatchObject({ isError: true, content: [{ type: 'text', text }] })
  })

  it('have at most 4 KB of the reason', async () => {
    const result = await resultOf({ status: 400, json: { message: 'a'.repeat(100_000) } })
    expect(textOf(result).length).toBeLessThan(4_200)
  })

  it.each([500, 502, 503])('tell the model only a reference for status %s', async (status) => {
    const result = await resultOf({ status, json: { message: 'secret of the database' } })
    expect(result).toMatchObject({ isError: true })
    expect(textOf(result)).not.toMatch(/secret|127\.0\.0\.1/)
  })

  it('tell the model no address if there is no connection', async () => {
    const client = await connectApi(documentOf('/x', {}), { baseUrl: 'http://127.0.0.1:9' })
    const result = await client.callTool('call', {})
    expect(result).toMatchObject({ isError: true })
    expect(textOf(result)).not.toContain('127.0.0.1')
  })
})

describe('a call', () => {
  it('ends its request when it is cancelled', async () => {
    const controller = new AbortController()
    let closed = false
    const server = createServer((request) => {
      request.on('close', () => (closed = true))
      controller.abort()
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => void (server.closeAllConnections(), server.close()))
    const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    const client = await connectApi(documentOf('/x', {}), { baseUrl })
    const call = client.callTool('call', {}, { signal: controller.signal }).catch(() => 'cancelled')
    expect(await call).toBe('cancelled')
    await vi.waitFor(() => expect(closed).toBe(true))
  })

  it('reports progress while it downloads', async () => {
    const api = await serveApi(() => ({
      body: 'a'.repeat(1_000_000),
      headers: { 'content-type': 'text/plain' },
    }))
    const client = await connectApi(documentOf('/x', {}), { baseUrl: api.origin })
    const reports: number[] = []
    await client.callTool('call', {}, { onProgress: ({ progress }) => void reports.push(progress) })
    expect(reports.length).toBeGreaterThan(1)
    expect(reports).toEqual(reports.toSorted((a, b) => a - b))
  })
})
