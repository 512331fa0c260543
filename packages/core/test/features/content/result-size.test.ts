import { silent } from '@jetway-apps/test-support'
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { McpError, McpServer, result, ToolError } from '../../../src/index.ts'
import { utf8Length } from '../../../src/util/bytes.ts'
import { openPeer } from '../../support/peer.ts'
import { serveWeb } from '../../support/web-client.ts'

const create = (limits: object = {}): McpServer =>
  new McpServer({ name: 'test', version: '1' }, { logger: silent, limits })

/** The JSON of a text result without the text. */
const FRAME = '{"content":[{"type":"text","text":""}]}'.length

const repeat = { inputSchema: z.object({ text: z.string(), times: z.number() }) }

function serve(limits: object = {}, tool: object = {}): McpServer {
  const server = create(limits)
  server.addTool({ ...repeat, name: 't', handler: ({ text, times }) => text.repeat(times), ...tool })
  return server
}

async function call(server: McpServer, text: string, times: number): Promise<Record<string, unknown>> {
  const client = await serveWeb(server).open()
  return (await client.request('tools/call', { name: 't', arguments: { text, times } })).result
}

describe('maxResultBytes', () => {
  it('replaces a result that is too large with an error that tells the model the size and the limit', async () => {
    expect(await call(serve({ maxResultBytes: 1024 }), 'x', 2000)).toEqual({
      isError: true,
      content: [
        {
          type: 'text',
          text: `The result has ${2000 + FRAME} bytes, more than the 1024 that maxResultBytes allows; ask for less`,
        },
      ],
    })
  })

  it.each([
    ['one-byte characters', 'x', 1],
    ['two-byte characters', 'é', 2],
    ['three-byte characters', '水', 3],
    ['four-byte characters', '🌧', 4],
    ['an escaped character', '"', 2],
  ])('counts serialised bytes: %s', async (_name, text, bytes) => {
    const room = 3000 * bytes
    const server = serve({ maxResultBytes: room + FRAME })
    expect(await call(server, text, 3000)).toEqual({ content: [{ type: 'text', text: text.repeat(3000) }] })
    expect(await call(server, text, 3001)).toMatchObject({ isError: true })
  })

  it('can be set lower or higher for a single tool', async () => {
    expect(
      await call(serve({ maxResultBytes: 1024 }, { maxResultBytes: 10_000 }), 'x', 5000),
    ).not.toHaveProperty('isError')
    expect(await call(serve({}, { maxResultBytes: 2000 }), 'x', 5000)).toMatchObject({ isError: true })
  })

  it('counts structured content, text, images and metadata', async () => {
    const half = 'x'.repeat(600)
    const server = create({ maxResultBytes: 1024 })
    server.addTool({
      name: 'mirror',
      outputSchema: z.object({ a: z.string() }),
      handler: () => ({ a: half }),
    })
    server.addTool({ name: 'meta', handler: () => result({ content: half, _meta: { half } }) })
    server.addTool({
      name: 'error',
      handler: () => {
        throw new ToolError(half + half)
      },
    })
    const peer = await openPeer(server)
    for (const name of ['mirror', 'meta', 'error']) {
      expect((await peer.request('tools/call', { name })).result).toMatchObject({
        isError: true,
        content: [{ text: expect.stringMatching(/^The result has 1\d{3} bytes, more than the 1024/) }],
      })
    }
  })

  it('counts a result returned by middleware', async () => {
    const server = serve({ maxResultBytes: 1024 })
    server.use('tools/call', async () => ({ content: [{ type: 'text', text: 'x'.repeat(2000) }] }))
    expect(await call(server, 'x', 1)).toMatchObject({ isError: true })
  })

  it('replaces a resource, prompt or list that is too large with a JSON-RPC error', async () => {
    const server = create({ maxResultBytes: 1024 })
    const long = 'x'.repeat(2000)
    server.addResource({ uri: 'notes://long', name: 'long', handler: () => long })
    server.addResourceTemplate({ uriTemplate: 'blobs://{n}', name: 'n', handler: () => new Uint8Array(1000) })
    server.addPrompt({ name: 'long', handler: () => long })
    server.addTool({ name: 'long', description: long, handler: () => '' })
    const client = await serveWeb(server).open()
    for (const [method, params] of [
      ['resources/read', { uri: 'notes://long' }],
      ['resources/read', { uri: 'blobs://1' }],
      ['prompts/get', { name: 'long' }],
      ['tools/list', {}],
    ] as const) {
      const { error } = await client.request(method, params)
      expect(error).toMatchObject({
        code: -32603,
        message: expect.stringMatching(/^The result has \d{4} bytes, more than the 1024 that maxResultBytes/),
      })
    }
  })

  it.each([
    ['its message', new McpError(-32001, 'x'.repeat(2000))],
    ['its data', new McpError(-32001, 'no', 'x'.repeat(2000))],
  ])('replaces an error that is too large because of %s, and keeps its code', async (_name, thrown) => {
    const server = create({ maxResultBytes: 1024 })
    server.addTool({
      name: 't',
      handler: () => {
        throw thrown
      },
    })
    expect((await (await openPeer(server)).request('tools/call', { name: 't' })).error).toEqual({
      code: -32001,
      message: expect.stringMatching(/^The error has 20\d\d bytes, more than the 1024 that maxResultBytes/),
    })
  })

  it('defaults to 8 MiB, so that a message fits into a line of 10 MiB', async () => {
    const times = 8 * 1024 * 1024 - FRAME
    const peer = await openPeer(serve())
    const failed = async (n: number): Promise<unknown> =>
      (await peer.request('tools/call', { name: 't', arguments: { text: 'x', times: n } })).result['isError']
    expect(await failed(times)).toBeUndefined()
    expect(await failed(times + 1)).toBe(true)
  })

  it.each([0, -1, 1023, 1.5, Number.POSITIVE_INFINITY, Number.NaN, '1 MiB'])(
    'rejects %j',
    (maxResultBytes) => {
      expect(() => create({ maxResultBytes })).toThrow(
        /maxResultBytes must be a whole number of bytes, 1024 or more/,
      )
      const tool = { name: 't', maxResultBytes: maxResultBytes as number, handler: () => '' }
      expect(() => create().addTool(tool)).toThrow(/tool "t" needs a whole number of bytes, 1024 or more/)
    },
  )

  it('leaves the connection usable after a result that is too large', async () => {
    const peer = await openPeer(serve({ maxResultBytes: 1024 }))
    for (const times of [2000, 1, 2000, 1]) {
      const { result: answer } = await peer.request('tools/call', {
        name: 't',
        arguments: { text: 'x', times },
      })
      expect(answer['isError']).toBe(times === 1 ? undefined : true)
    }
  })
})

describe('utf8Length', () => {
  const samples = ['', 'a', 'é', '水', '🌧', 'a🌧é水"', '\ud800', '\udc00a', 'x'.repeat(1000)]

  it.each(samples)('agrees with TextEncoder: %j', (text) => {
    expect(utf8Length(text)).toBe(new TextEncoder().encode(text).length)
  })
})
