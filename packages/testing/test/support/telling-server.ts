import {
  content,
  contents,
  invalidParams,
  McpError,
  McpServer,
  message,
  messages,
  resourceNotFound,
  result,
  type ServerOptions,
  ToolError,
} from '@jetway/core'
import type { JsonObject } from '@jetway/core/protocol'
import { expect } from 'vitest'
import type { RawResponse, TestConnection } from '../../src/peer.ts'
import type { RecordedFrame } from '../../src/record-transport.ts'
import { validateWire } from './wire.ts'
import type { WireExtension } from './wire-extensions.ts'

const icons = [
  { src: 'https://example.com/i.svg', mimeType: 'image/svg+xml', sizes: ['any'], theme: 'dark' as const },
  { src: 'data:image/png;base64,AAAA' },
]
const annotations = {
  audience: ['user', 'assistant'] as const,
  priority: 0.5,
  lastModified: '2025-01-01T00:00:00Z',
}
const _meta = { 'com.example/kind': 'all', nested: { deep: [1] } }
const display = { title: 'A title', description: 'Says what it is', icons, _meta }
const PNG = new Uint8Array([1, 2, 3, 4])
const objectSchema = { type: 'object', properties: { a: { type: 'number' } }, required: ['a'] } as const

/** A server whose responses contain every kind of metadata and content. */
export function createTellingServer(options: ServerOptions = {}): McpServer {
  const server = new McpServer(
    {
      name: 'wire',
      version: '1.0.0',
      title: 'Wire',
      description: 'Says all there is to say',
      websiteUrl: 'https://example.com',
      icons,
    },
    {
      ...options,
      instructions: 'Use it.',
      logging: { level: 'debug' },
      limits: { pageSize: 4 },
      logger: { debug() {}, info() {}, warn() {}, error() {} },
    },
  )
  addTools(server)
  addResources(server)
  addPrompts(server)
  return server
}

function addTools(server: McpServer): void {
  const link = {
    uri: 'wire://linked',
    name: 'linked',
    mimeType: 'text/plain',
    size: 3,
    annotations,
    ...display,
  }
  server.addTool({
    name: 'contents',
    ...display,
    annotations: {
      title: 'Contents',
      readOnlyHint: true,
      destructiveHint: false,
      idempotentHint: true,
      openWorldHint: false,
    },
    handler: () =>
      result({
        content: [
          content.text('plain'),
          content.text('annotated', { annotations, _meta }),
          content.image(PNG, 'image/png', { annotations, _meta }),
          content.audio(PNG, 'audio/wav', { annotations, _meta }),
          content.link(link),
          content.link({ uri: 'wire://bare', name: 'bare' }),
          content.resource(
            { uri: 'wire://text', mimeType: 'text/plain', text: 'x', _meta },
            { annotations, _meta },
          ),
          content.resource({ uri: 'wire://blob', blob: PNG }),
        ],
        _meta,
      }),
  })
  const structured = { value: { a: 1 }, list: [1, 2], text: 'x', nothing: null, date: new Date(0) }
  server.addTool({ name: 'object', outputSchema: objectSchema, handler: () => ({ a: 1 }) })
  server.addTool({ name: 'list', outputSchema: { type: 'array' }, handler: () => structured.list })
  server.addTool({ name: 'text', outputSchema: { type: 'string' }, handler: () => structured.text })
  server.addTool({
    name: 'either',
    outputSchema: { type: ['object', 'null'] },
    handler: () => structured.nothing,
  })
  server.addTool({
    name: 'bare',
    handler: () => result({ structured: structured.value, content: 'a', _meta }),
  })
  server.addTool({ name: 'date', handler: () => result({ structured: structured.date }) })
  server.addTool({ name: 'number', handler: () => result({ structured: 5, isError: true }) })
  server.addTool({ name: 'plain', handler: () => ({ any: ['thing', null] }) })
  server.addTool({ name: 'nothing', handler: () => undefined })
  server.addTool({
    name: 'mismatch',
    outputSchema: objectSchema,
    handler: () => ({ a: 'no' }),
  })
  server.addTool({
    name: 'busy',
    inputSchema: { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] },
    async handler(_, ctx) {
      await ctx.progress(1, 2, 'half')
      await ctx.progress(2)
      for (const level of [
        'debug',
        'info',
        'notice',
        'warning',
        'error',
        'critical',
        'alert',
        'emergency',
      ] as const)
        ctx.log[level]({ level, deep: [undefined, 1n === 1n] }, 'a logger')
      ctx.log.info(undefined)
      ctx.log.info('text')
      return 'done'
    },
  })
  server.addTool({
    name: 'fails',
    inputSchema: { type: 'object', properties: { how: { type: 'string' } } },
    handler({ how }) {
      if (how === 'tool') throw new ToolError('not today')
      if (how === 'mcp') throw new McpError(-32001, 'Own code', { deep: { a: 1 } })
      if (how === 'bare mcp') throw new McpError(-32002, 'Own code')
      if (how === 'unreadable mcp') throw new McpError(Number.NaN, 'x')
      throw new Error('canary')
    },
  })
}

function addResources(server: McpServer): void {
  server.addResource({
    uri: 'wire://text',
    name: 'text',
    mimeType: 'text/plain',
    size: 4,
    annotations,
    ...display,
    handler: () => 'text',
  })
  server.addResource({ uri: 'wire://bytes', name: 'bytes', handler: () => PNG })
  server.addResource({ uri: 'wire://json', name: 'json', handler: () => ({ a: 1 }) })
  server.addResource({
    uri: 'wire://several',
    name: 'several',
    handler: () =>
      contents(
        [
          { text: 'x', _meta },
          { uri: 'wire://other', blob: PNG, mimeType: 'a/b' },
        ],
        { _meta },
      ),
  })
  server.addResource({ uri: 'wire://gone', name: 'gone', handler: () => undefined })
  server.addResource({
    uri: 'wire://refused',
    name: 'refused',
    handler(_, ctx) {
      throw resourceNotFound(ctx.uri)
    },
  })
  server.addResourceTemplate({
    uriTemplate: 'wire://item/{id}',
    name: 'item',
    mimeType: 'text/plain',
    annotations,
    ...display,
    list: () => [{ uri: 'wire://item/1', name: 'one', annotations, ...display }],
    complete: {
      id: (value) => Array.from({ length: 150 }, (_, n) => `${value}${n}`),
    },
    handler: ({ id }) => id,
  })
}

function addPrompts(server: McpServer): void {
  server.addPrompt({
    name: 'everything',
    ...display,
    arguments: [{ name: 'city', title: 'City', description: 'Which one', required: true }, { name: 'more' }],
    complete: {
      city: () => ({ values: ['Oslo'], total: 7, hasMore: true }),
      more: () => ({ values: [], total: Number.NaN }),
    },
    handler: ({ city }) =>
      messages({
        description: 'This time',
        messages: [
          message.user(city),
          message.assistant(content.image(PNG, 'image/png', { annotations, _meta })),
          message.user(content.audio(PNG, 'audio/wav', { annotations })),
          message.user(content.link({ uri: 'wire://text', name: 'text', icons, annotations, _meta })),
          message.user(content.resource({ uri: 'wire://text', text: 'x', _meta }, { annotations, _meta })),
        ],
        _meta,
      }),
  })
  server.addPrompt({ name: 'short', handler: () => 'Hello' })
  server.addPrompt({
    name: 'refuses',
    handler() {
      throw invalidParams('Not with these', { why: 'because' })
    },
  })
}

/** Reads a complete list, page by page. */
async function pages(peer: TestConnection, method: string): Promise<JsonObject[]> {
  const found: JsonObject[] = []
  let cursor: unknown
  do {
    const { result: page } = await peer.request(method, cursor === undefined ? {} : { cursor })
    if (page === undefined) throw new Error(`${method} was refused`)
    found.push(page)
    cursor = page['nextCursor']
  } while (cursor !== undefined)
  return found
}

const TOOLS = [
  'contents',
  'object',
  'list',
  'text',
  'either',
  'bare',
  'date',
  'number',
  'plain',
  'nothing',
  'mismatch', // prettier-ignore
]
const URIS = ['text', 'bytes', 'json', 'several', 'item/7', 'gone', 'refused', 'unknown', '%zz']

type Ask = (name: string, method: string, params?: JsonObject) => Promise<void>

/** Sends the requests that work both with and without sessions. */
async function askAlike(ask: Ask, peer: TestConnection): Promise<void> {
  for (const name of [...TOOLS, 'unknown']) await ask(name, 'tools/call', { name })
  for (const how of ['tool', 'mcp', 'bare mcp', 'unreadable mcp', 'error'])
    await ask(how, 'tools/call', { name: 'fails', arguments: { how } })
  const telling = { progressToken: 'p', 'io.modelcontextprotocol/logLevel': 'debug' }
  await ask('busy', 'tools/call', { name: 'busy', arguments: { n: 1 }, _meta: telling })
  await ask('bad arguments', 'tools/call', { name: 'busy', arguments: { n: 'x' } })
  for (const list of ['tools', 'resources', 'resources/templates', 'prompts']) {
    expect((await pages(peer, `${list}/list`)).length).toBeGreaterThan(list === 'tools' ? 3 : 0)
    await ask(`${list} cursor`, `${list}/list`, { cursor: 'no' })
  }
  for (const uri of URIS) await ask(uri, 'resources/read', { uri: `wire://${uri}` })
  await ask('everything', 'prompts/get', { name: 'everything', arguments: { city: 'Oslo' } })
  for (const name of ['short', 'refuses', 'everything', 'unknown'])
    await ask(`prompt ${name}`, 'prompts/get', { name })
  for (const name of ['city', 'more', 'none']) {
    const ref = { type: 'ref/prompt', name: 'everything' }
    await ask(`complete ${name}`, 'completion/complete', { ref, argument: { name, value: '' } })
  }
  const ref = { type: 'ref/resource', uri: 'wire://item/{id}' }
  await ask('complete id', 'completion/complete', { ref, argument: { name: 'id', value: 'x' } })
  await ask('complete unknown', 'completion/complete', { ref: { type: 'ref/x' } })
  await ask('unknown method', 'tools/invent')
}

/** Sends messages that cannot be read, or that have no usable id. */
async function sendUnreadable(peer: TestConnection): Promise<void> {
  await peer.raw('{')
  await peer.raw('{"jsonrpc":"2.0","id":null,"method":"ping"}')
  await peer.raw('[]')
}

/** Sends all requests without a session. Returns the responses, keyed by request. */
export async function exerciseModern(peer: TestConnection): Promise<ReadonlyMap<string, RawResponse>> {
  const answers = new Map<string, RawResponse>()
  const ask: Ask = async (name, method, params) => void answers.set(name, await peer.request(method, params))
  await ask('discover', 'server/discover')
  await askAlike(ask, peer)
  for (const method of ['ping', 'logging/setLevel', 'resources/subscribe', 'initialize', 'tasks/list'])
    await ask(method, method, { level: 'info', uri: 'wire://text' })
  const member = (name: string, value: unknown): JsonObject => ({
    _meta: { [`io.modelcontextprotocol/${name}`]: value },
  })
  await ask('other revision', 'tools/list', member('protocolVersion', '1999-01-01'))
  await ask('odd revision', 'tools/list', member('protocolVersion', 5))
  await ask('no capabilities', 'tools/list', member('clientCapabilities', 'none'))
  await ask('bad level', 'tools/list', member('logLevel', 'loud'))
  await sendUnreadable(peer)
  await ask('last', 'server/discover')
  return answers
}

/** Sends all requests in a session. Returns the responses, keyed by request. */
export async function exercise(
  peer: TestConnection,
  server: McpServer,
): Promise<ReadonlyMap<string, RawResponse>> {
  const answers = new Map<string, RawResponse>()
  const ask: Ask = async (name, method, params) => void answers.set(name, await peer.request(method, params))
  await ask('ping', 'ping')
  await askAlike(ask, peer)
  await ask('level', 'logging/setLevel', { level: 'warning' })
  await ask('bad level', 'logging/setLevel', { level: 'loud' })
  await ask('subscribe', 'resources/subscribe', { uri: 'wire://text' })
  await ask('bad subscribe', 'resources/subscribe', { uri: 'wire://unknown' })
  await ask('second initialize', 'initialize', { protocolVersion: '2025-11-25', capabilities: {} })
  const told = ['tools', 'resources', 'prompts'].map((list) =>
    peer.notification(`notifications/${list}/list_changed`),
  )
  server.addTool({ name: 'late', handler: () => 'x' })
  server.removeResource('wire://json')
  server.removePrompt('short')
  server.notify.resourceUpdated('wire://text')
  await Promise.all([...told, peer.notification('notifications/resources/updated')])
  await ask('unsubscribe', 'resources/unsubscribe', { uri: 'wire://text' })
  await sendUnreadable(peer)
  await ask('last', 'ping')
  return answers
}

/** Validates the received frames, each response against the request with its id. Returns the schema errors. */
export function faults(
  revision: string,
  frames: readonly RecordedFrame[],
  extensions: readonly WireExtension[] = [],
): string[] {
  const methods = new Map<unknown, string>()
  const each = frames.flatMap(({ direction, message: frame }) =>
    (Array.isArray(frame) ? frame : [frame]).map((one: unknown) => ({ direction, message: one })),
  )
  return each.flatMap(({ direction, message: frame }) => {
    const { id, method } = (frame ?? {}) as JsonObject
    if (direction === 'sent') {
      if (typeof method === 'string') methods.set(id, method)
      return []
    }
    const asked = methods.get(id)
    return validateWire(revision, frame, { direction: 'server', method: asked, extensions }).map(
      (fault) => `${asked ?? String(method)}: ${fault}`,
    )
  })
}
