import { callTool, request } from '@jetway-apps/test-support'
import { describe, expect, it } from 'vitest'
import { ScopeError } from '../../src/errors.ts'
import { bearer } from '../../src/http/guard/bearer.ts'
import { McpServer } from '../../src/server/mcp-server.ts'
import { createHarness } from './support/harness.ts'

describe('ScopeError', () => {
  it.each([[], ['a b'], ['a"b'], ['']].map((scopes) => ({ scopes })))(
    'rejects the scopes $scopes',
    ({ scopes }) => {
      expect(() => new ScopeError(scopes)).toThrow('ERR_MCP_OPTION')
    },
  )
})

describe.each(['json', 'sse', 'auto'] as const)('required scopes with the response mode %s', (response) => {
  const authenticate = bearer({ verify: (token) => ({ principal: 'p', scopes: token.split('.') }) })
  const headers = (scopes: string): Record<string, string> => ({ authorization: `Bearer ${scopes}` })

  it.each(['handler', 'middleware', 'definition'])(
    'are named in a 403 reply if the %s requires them',
    async (where) => {
      let ran = 0
      const harness = createHarness({ endpoint: { authenticate, response, stateless: true } })
      const { server, post } = harness
      if (where === 'middleware')
        server.use('tools/call', async (_ctx, next) => {
          if (where === 'middleware') throw new ScopeError(['files:admin'])
          return next()
        })
      server.addTool({
        name: 'scoped',
        ...(where === 'definition' && { scopes: ['files:admin'] }),
        handler: () => {
          if (where === 'handler') throw new ScopeError(['files:admin'])
          ran++
          return 'ran'
        },
      })
      const answer = await post(callTool('scoped'), {
        ...headers('mcp'),
        'mcp-protocol-version': '2025-06-18',
      })
      expect(answer.status).toBe(403)
      expect(answer.headers['www-authenticate']).toBe(
        'Bearer error="insufficient_scope", scope="files:admin"',
      )
      expect(answer.json.error).toMatchObject({ code: -32600, data: { scopes: ['files:admin'] } })
      expect(ran).toBe(0)
    },
  )

  it('are checked for the whole batch before any of its calls runs', async () => {
    const { server, post } = createHarness({ endpoint: { authenticate, response, stateless: true } })
    server.addTool({ name: 'a', scopes: ['a'], handler: () => 'ran' })
    server.addTool({ name: 'b', scopes: ['b'], handler: () => 'ran' })
    const batch = [callTool('a', {}, { id: 1 }), callTool('b', {}, { id: 2 })]
    const answer = await post(batch, { ...headers('a'), 'mcp-protocol-version': '2025-03-26' })
    expect(answer.status).toBe(403)
    expect(answer.headers['www-authenticate']).toContain('scope="a b"')
  })
})

describe('required scopes', () => {
  const scoped = (): McpServer => {
    const server = new McpServer({ name: 'test', version: '1.0.0' })
    server.addTool({ name: 't', scopes: ['a'], handler: () => 'ran' })
    server.addResource({ uri: 'a://b', name: 'r', scopes: ['a'], handler: () => 'ran' })
    server.addResourceTemplate({
      uriTemplate: 'c://{d}',
      name: 'r',
      scopes: ['a'],
      complete: { d: () => ['ran'] },
      handler: () => 'ran',
    })
    server.addPrompt({
      name: 'p',
      scopes: ['a'],
      arguments: [{ name: 'x' }],
      complete: { x: () => ['ran'] },
      handler: () => 'ran',
    })
    return server
  }
  const requests = [
    callTool('t'),
    request('resources/read', { uri: 'a://b' }),
    request('resources/read', { uri: 'c://d' }),
    request('prompts/get', { name: 'p' }),
  ]

  const argument = { name: 'd', value: '' }
  const completions = [
    { ref: { type: 'ref/prompt', name: 'p' }, argument: { name: 'x', value: '' } },
    { ref: { type: 'ref/resource', uri: 'c://{d}' }, argument },
    { ref: { type: 'ref/resource', uri: 'c://e' }, argument },
  ].map((params) => request('completion/complete', params))

  it.each(completions)('are checked before middleware runs for $method, $params.ref', async (message) => {
    const server = scoped()
    let layers = 0
    server.use('completion/complete', (_ctx, next) => {
      layers++
      return next()
    })
    const refused = await server.handleMessage(message, { auth: { principal: 'p', scopes: ['b'] } })
    expect(refused).toContain('Needs the scopes a')
    expect(layers).toBe(0)
    expect(await server.handleMessage(message, { auth: { principal: 'p', scopes: ['a'] } })).toContain('ran')
  })

  it.each(requests)('are checked for $method', async (message) => {
    const server = scoped()
    const refused = await server.handleMessage(message, { auth: { principal: 'p', scopes: ['b'] } })
    expect(refused).toContain('Needs the scopes a')
    expect(await server.handleMessage(message)).toContain('Needs the scopes a')
    expect(await server.handleMessage(message, { auth: { principal: 'p', scopes: ['a'] } })).toContain('ran')
  })

  it('do not reveal a hidden tool', async () => {
    const server = new McpServer({ name: 'test', version: '1.0.0' })
    server.addTool({
      name: 't',
      scopes: ['a'],
      visible: ({ auth }) => auth !== undefined,
      handler: () => 'ran',
    })
    expect(await server.handleMessage(callTool('t'))).toContain('Unknown tool')
    expect(await server.handleMessage(callTool('t'), { auth: { principal: 'p' } })).toContain(
      'Needs the scopes a',
    )
  })

  it.each([[[]], [['a b']], ['a']])(
    'must be a non-empty array of valid scopes in a definition: %j',
    (scopes) => {
      const server = new McpServer({ name: 'test', version: '1.0.0' })
      expect(() => server.addTool({ name: 't', scopes: scopes as string[], handler: () => 'ran' })).toThrow(
        'ERR_MCP_INVALID_DEFINITION',
      )
    },
  )
})
