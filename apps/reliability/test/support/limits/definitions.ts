import { initialize } from '@jetway-apps/test-support'
import { elicitUrl, type McpServer, type ServerOptions, UrlElicitationRequired } from '@jetway/core'
import { skills } from '@jetway/skills'
import { expect } from 'vitest'
import { createServer, failureOf, type Limit, list, peer, web } from './row.ts'

const adding = (add: (server: McpServer) => unknown): Promise<unknown> => failureOf(() => add(createServer()))
const creating = (options: ServerOptions): Promise<unknown> => failureOf(() => createServer(options))

/** Calls a handler that adds `count` tools to its session. */
async function added(count: number): Promise<unknown> {
  let outcome: unknown
  const server = createServer()
  server.addTool({
    name: 'add',
    async handler(_args, { session }) {
      const own = server.forSession(session!)
      outcome = await failureOf(() => list(count, (i) => own.addTool({ name: `own${i}`, handler: () => '' })))
      return ''
    },
  })
  await (await peer(server)).request('tools/call', { name: 'add' })
  return outcome
}

/** Requests skills with a cursor of `bytes` bytes. */
async function after(bytes: number): Promise<unknown> {
  const server = createServer({ extensions: [skills({ skills: [] })] })
  const cursor = Buffer.from('skills:'.padEnd(bytes, 'a')).toString('base64url')
  return (await web(server).modern('skills/list', { cursor })).body
}

/** Sends `initialize` with a client description of `length` characters. */
async function introduced(length: number): Promise<unknown> {
  const message = initialize('2025-11-25')
  const { capabilities, clientInfo } = message.params as { capabilities: object; clientInfo: object }
  const least = JSON.stringify({ capabilities, info: { ...clientInfo, name: '' } }).length
  const named = { ...clientInfo, name: 'x'.repeat(length - least) }
  const { body } = await web(createServer()).post({
    ...message,
    params: { ...message.params, clientInfo: named },
  })
  return body
}

const MAX_MS = 2 ** 31 - 1
const OPTION = { code: 'ERR_MCP_OPTION' }
const NAME = { code: 'ERR_MCP_INVALID_NAME' }

/** Minimums are negated, because rows describe maximums. */
export const DEFINITIONS: readonly Limit[] = [
  {
    limit: 'characters of the name of a tool',
    most: 128,
    use: (length) => adding((server) => server.addTool({ name: 'x'.repeat(length), handler: () => '' })),
    accepted: 'done',
    refused: NAME,
  },
  {
    limit: 'characters of the name of a prompt',
    most: 1_024,
    use: (length) => adding((server) => server.addPrompt({ name: 'x'.repeat(length), handler: () => '' })),
    accepted: 'done',
    refused: NAME,
  },
  {
    limit: 'bytes of a URI template',
    most: 2_048,
    use: (bytes) =>
      adding((server) =>
        server.addResourceTemplate({
          uriTemplate: 'a://{b}/é'.padEnd(bytes - 1, 'x'),
          name: 'a',
          handler: () => '',
        }),
      ),
    accepted: 'done',
    refused: { code: 'ERR_MCP_URI_TEMPLATE', message: expect.stringContaining('"a://{b}/') },
  },
  {
    limit: 'variables of a URI template',
    most: 32,
    use: (count) =>
      adding((server) =>
        server.addResourceTemplate({
          uriTemplate: `a://${list(count, (i) => `{v${i}}`).join('/')}`,
          name: 'a',
          handler: () => '',
        }),
      ),
    accepted: 'done',
    refused: { code: 'ERR_MCP_URI_TEMPLATE' },
  },
  {
    limit: 'bytes of a cursor',
    most: 12_288,
    use: after,
    accepted: { result: { skills: [] } },
    refused: { error: { code: -32602 } },
  },
  {
    limit: 'characters of what a client says of itself',
    most: 16_384,
    use: introduced,
    accepted: { result: {} },
    refused: { error: { code: -32602 } },
  },
  {
    limit: 'characters of the URI of a resource',
    most: 8_192,
    use: (length) =>
      adding((server) =>
        server.addResource({ uri: 'a://'.padEnd(length, 'x'), name: 'a', handler: () => '' }),
      ),
    accepted: 'done',
    refused: { code: 'ERR_MCP_INVALID_DEFINITION' },
  },
  {
    limit: 'tools of one session',
    most: 256,
    use: added,
    accepted: 'done',
    refused: { message: expect.stringContaining('256') },
  },
  {
    limit: 'requestState.keys',
    most: 8,
    use: (count) => creating({ requestState: { keys: list(count, () => new Uint8Array(32)) } }),
    accepted: 'done',
    refused: OPTION,
  },
  {
    limit: 'the least requestState.maxBytes',
    most: -1_024,
    use: (bytes) => creating({ requestState: { maxBytes: -bytes } }),
    accepted: 'done',
    refused: OPTION,
  },
  {
    limit: 'the least limits.maxResultBytes',
    most: -1_024,
    use: (bytes) => creating({ limits: { maxResultBytes: -bytes } }),
    accepted: 'done',
    refused: OPTION,
  },
  {
    limit: 'the least maxResultBytes of a tool',
    most: -1_024,
    use: (bytes) =>
      adding((server) => server.addTool({ name: 'a', maxResultBytes: -bytes, handler: () => '' })),
    accepted: 'done',
    refused: { code: expect.any(String) },
  },
  {
    limit: 'the least limits.pageSize',
    most: -1,
    use: (count) => creating({ limits: { pageSize: -count } }),
    accepted: 'done',
    refused: OPTION,
  },
  {
    limit: 'limits.inputTimeoutMs, in ms',
    most: MAX_MS,
    use: (inputTimeoutMs) => creating({ limits: { inputTimeoutMs } }),
    accepted: 'done',
    refused: OPTION,
  },
  {
    limit: 'progressHeartbeat, in ms',
    most: MAX_MS,
    use: (progressHeartbeat) => creating({ progressHeartbeat }),
    accepted: 'done',
    refused: OPTION,
  },
  {
    limit: 'tasks.defaultTtlMs is tasks.maxTtlMs at most',
    most: 5_000,
    use: (defaultTtlMs) => creating({ tasks: { defaultTtlMs, maxTtlMs: 5_000 } }),
    accepted: 'done',
    refused: OPTION,
  },
  {
    limit: 'URLs of UrlElicitationRequired',
    most: 16,
    use: (count) =>
      failureOf(
        () => new UrlElicitationRequired(...list(count, () => elicitUrl('Open', 'https://a.example'))),
      ),
    accepted: 'done',
    refused: { code: 'ERR_MCP_INVALID_DEFINITION' },
  },
]
