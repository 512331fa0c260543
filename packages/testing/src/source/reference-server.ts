import {
  content,
  contents,
  elicit,
  elicitUrl,
  inputRequired,
  McpError,
  McpServer,
  message,
  messages,
  result,
  ToolError,
  UrlElicitationRequired,
} from '@jetway/core'
import { apps } from '@jetway/core/apps'

/** The server that a source of the contract offers, and what its handlers have seen. */
export interface ReferenceServer {
  readonly server: McpServer
  /** The calls whose `ctx.signal` has aborted, by the name of the tool. */
  readonly aborted: string[]
  /** The calls that have started, by the name of the tool. */
  readonly started: string[]
  /** The URIs that have a subscriber, as the hooks of the resource know them. */
  readonly watched: Set<string>
}

const ICONS = [{ src: 'https://example.com/icon.png', mimeType: 'image/png', sizes: ['48x48'] }]
const META = { 'com.example/kind': { deep: [1, 'two', null] } }
const SHOWN = { title: 'A title', description: 'A description', icons: ICONS, _meta: META }
const ANNOTATIONS = { audience: ['user' as const], priority: 0.5, lastModified: '2026-01-12T15:00:58Z' }
const NUMBER = { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] } as const
const TEXT = { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] } as const

/** Errors of handlers are expected, so they are not logged. */
const quiet = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} }

/** Creates a server with every member that a definition can have, and handlers that do what handlers do. */
export function createReferenceServer(): ReferenceServer {
  const server = new McpServer(
    { name: 'reference', version: '1.0.0' },
    { extensions: [apps()], instructions: 'Use it', logger: quiet, limits: { handlerTimeoutMs: 10_000 } },
  )
  const reference: ReferenceServer = { server, aborted: [], started: [], watched: new Set() }
  addPlainTools(server)
  addFailingTools(server)
  addTalkingTools(reference)
  addResources(reference)
  addPrompts(server)
  return reference
}

function addPlainTools(server: McpServer): void {
  server.addTool({
    ...SHOWN,
    name: 'described',
    annotations: { title: 'Another', readOnly: true, destructive: false, idempotent: true, openWorld: false },
    inputSchema: { ...NUMBER, additionalProperties: false },
    outputSchema: { type: 'object', properties: { twice: { type: 'number' } }, required: ['twice'] },
    priority: 3,
    relatedTools: [{ name: 'text', relation: 'related' }],
    cacheControl: 'ephemeral',
    handler: ({ n }) => result({ structured: { twice: 2 * n }, content: 'Done', _meta: META }),
  })
  server.addTool({ name: 'text', handler: () => 'plain' })
  server.addTool({
    name: 'in-header',
    inputSchema: {
      type: 'object',
      properties: { region: { type: 'string', 'x-mcp-header': 'Region' } },
    },
    handler: ({ region }) => String(region),
  })
  server.addTool({
    name: 'list',
    outputSchema: { type: 'array', items: { type: 'string' } },
    wrapOutput: 'items',
    handler: () => ['a', 'b'],
  })
  server.addTool({
    name: 'blocks',
    handler: () => [
      content.text('text', { annotations: ANNOTATIONS, _meta: META }),
      content.image('aGk=', 'image/png'),
      content.audio('aGk=', 'audio/wav'),
      content.link({ uri: 'data://fixed', name: 'fixed', description: 'A link', mimeType: 'text/plain' }),
      content.resource({ uri: 'data://fixed', text: 'embedded' }, { annotations: ANNOTATIONS }),
    ],
  })
  server.addTool({ name: 'nothing', handler: () => undefined })
  server.addTool({
    name: 'viewed',
    ui: { resourceUri: 'ui://panel', visibility: ['model', 'app'] },
    handler: () => 'seen',
  })
  // A schema that no validator accepts, as remote servers have them.
  server.addTool({
    name: 'odd-schema',
    relayed: true,
    inputSchema: { type: 'object', properties: { p: { type: 'nonsense', pattern: '(' } } },
    handler: () => 'odd',
  })
  server.addTool({ name: 'secret', visible: () => false, handler: () => 'hidden' })
  server.addTool({ name: 'scoped', scopes: ['admin'], handler: () => 'allowed' })
}

function addFailingTools(server: McpServer): void {
  server.addTool({
    name: 'fails',
    handler: () => {
      throw new ToolError('The model reads this')
    },
  })
  server.addTool({
    name: 'breaks',
    handler: () => {
      throw new Error('Nobody reads this')
    },
  })
  server.addTool({
    name: 'refuses',
    handler: () => {
      throw new McpError(-32099, 'The client reads this', { why: 'test' })
    },
  })
  server.addTool({
    name: 'lies',
    outputSchema: { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] },
    // The compiler would notice.
    handler: () => ({ n: 'not a number' }) as never,
  })
  server.addTool({ name: 'large', maxResultBytes: 1_024, handler: () => 'x'.repeat(2_000) })
}

function addTalkingTools({ server, started, aborted }: ReferenceServer): void {
  server.addTool({
    name: 'reports',
    handler: async (_args, ctx) => {
      await ctx.progress(1, 2, 'half')
      await ctx.progress(2, 2)
      ctx.log.warning({ reported: true }, 'reference')
      return 'reported'
    },
  })
  server.addTool({
    name: 'hangs',
    handler: (_args, ctx) =>
      new Promise((_resolve, reject) => {
        started.push('hangs')
        ctx.signal.addEventListener('abort', () => {
          aborted.push('hangs')
          reject(new Error('aborted'))
        })
      }),
  })
  server.addTool({
    name: 'asks',
    inputSchema: TEXT,
    asks: {
      sure: () => elicit('Are you sure?', { type: 'object', properties: { yes: { type: 'boolean' } } }),
    },
    handler: ({ text }, ctx) => `${text}: ${JSON.stringify(ctx.answers)}`,
  })
  server.addTool({
    name: 'loops',
    handler: (_args, ctx) => {
      const schema = { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] } as const
      const first = ctx.inputs.get('first', schema)
      if (first === undefined) return inputRequired({ first: elicit('First?', schema) }, { state: 'one' })
      const second = ctx.inputs.get('second', schema)
      if (second === undefined) return inputRequired({ second: elicit('Second?', schema) }, { state: 'two' })
      return `${ctx.inputs.state}: ${first.n + second.n}`
    },
  })
  server.addTool({
    name: 'needs-url',
    handler: () => {
      throw new UrlElicitationRequired(elicitUrl('Sign in', 'https://example.com/sign-in'))
    },
  })
  server.addTool({ name: 'as-task', taskSupport: 'optional', handler: () => 'finished' })
}

function addResources({ server, watched }: ReferenceServer): void {
  const hooks = {
    onSubscribe: (uri: string) => void watched.add(uri),
    onUnsubscribe: (uri: string) => void watched.delete(uri),
  }
  server.addResource({
    ...SHOWN,
    ...hooks,
    uri: 'data://fixed',
    name: 'fixed',
    mimeType: 'text/plain',
    size: 5,
    annotations: ANNOTATIONS,
    cache: { ttlMs: 5_000, cacheScope: 'public' },
    handler: (_args, ctx) => `at ${ctx.uri}`,
  })
  server.addResource({ uri: 'data://bytes', name: 'bytes', handler: () => new Uint8Array([1, 2, 3]) })
  server.addResource({
    uri: 'data://many',
    name: 'many',
    handler: () =>
      contents([{ text: 'a' }, { uri: 'data://many/b', text: 'b', _meta: META }], { _meta: META }),
  })
  server.addResource({ uri: 'data://gone', name: 'gone', handler: () => undefined })
  server.addResource({ uri: 'data://secret', name: 'secret', visible: () => false, handler: () => 'hidden' })
  server.addResource({
    uri: 'ui://panel',
    name: 'panel',
    mimeType: 'text/html;profile=mcp-app',
    handler: () => '<!doctype html>',
  })
  server.addResourceTemplate({
    ...SHOWN,
    uriTemplate: 'notes://{day}/{+path}',
    name: 'notes',
    mimeType: 'text/plain',
    annotations: ANNOTATIONS,
    complete: { day: (value) => ['monday', 'tuesday'].filter((day) => day.startsWith(value)) },
    list: () => [{ uri: 'notes://monday/a', name: 'Monday' }],
    handler: ({ day, path }, ctx) => `${day} ${path} at ${ctx.uri}`,
  })
}

function addPrompts(server: McpServer): void {
  server.addPrompt({
    ...SHOWN,
    name: 'described',
    arguments: [{ name: 'to', title: 'To', description: 'Whom', required: true }, { name: 'how' }],
    complete: {
      to: (value, _ctx, { arguments: known }) => ({
        values: [`${value}!`, known['how'] ?? 'none'],
        total: 7,
      }),
    },
    handler: ({ to }) =>
      messages({
        description: 'Described',
        messages: [
          message.user(`Hello ${to}`),
          message.assistant(content.link({ uri: 'data://fixed', name: 'fixed' })),
        ],
        _meta: META,
      }),
  })
  server.addPrompt({
    name: 'with-schema',
    argsSchema: { type: 'object', properties: { a: { type: 'string', enum: ['x', 'y'] } }, required: ['a'] },
    handler: ({ a }) => String(a),
  })
  server.addPrompt({
    name: 'breaks',
    handler: () => {
      throw new Error('Nobody reads this')
    },
  })
}
