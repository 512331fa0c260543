import { requestMeta } from '@jetway-apps/test-support'
import { describe, expect, it, vi } from 'vitest'
import { z } from 'zod'
import { elicit, type McpServer, tasks } from '../../../src/index.ts'
import { callModern } from '../../support/modern-calls.ts'
import {
  createHarness,
  type Answer,
  type Harness,
  type HarnessOptions,
  type Sent,
} from '../support/harness.ts'

interface Fixture extends Harness {
  readonly ran: unknown[]
}

function serve(options: HarnessOptions = {}): Fixture {
  const ran: unknown[] = []
  const setUp = (server: McpServer): void => {
    server.addTool({
      name: 'query',
      inputSchema: z.object({
        region: z.string().max(20).default('here').meta({ 'x-mcp-header': 'Region' }),
        limit: z.number().int().optional().meta({ 'x-mcp-header': 'Limit' }),
        dry: z.boolean().optional().meta({ 'x-mcp-header': 'Dry-Run' }),
        at: z.object({ zone: z.string().meta({ 'x-mcp-header': 'Zone' }) }).optional(),
      }),
      handler: (args) => {
        ran.push(args)
        return 'ran'
      },
    })
    server.addTool({
      name: 'hidden',
      inputSchema: z.object({ region: z.string().meta({ 'x-mcp-header': 'Region' }) }),
      visible: () => false,
      handler: () => 'ran',
    })
    server.addTool({ name: 'plain', inputSchema: z.object({ region: z.string() }), handler: () => 'ran' })
    server.addResource({ uri: 'a://é', name: 'accented', handler: () => 'read' })
    server.addPrompt({ name: 'héllo', handler: () => 'hi' })
    options.setUp?.(server)
  }
  return { ...createHarness({ ...options, setUp }), ran }
}

const query = (
  harness: Fixture,
  args: object,
  headers: Sent['headers'] = {},
  name = 'query',
): Promise<Answer> => callModern(harness, 'tools/call', { name, arguments: args }, { headers })

describe('the check of Mcp-Name (https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http#standard-request-headers)', () => {
  it.each([
    ['prompts/get', { name: 'héllo' }, '=?base64?aMOpbGxv?='],
    ['resources/read', { uri: 'a://é' }, '=?base64?YTovL8Op?='],
    ['tools/call', { name: 'plain', arguments: { region: 'x' } }, '  plain\t'],
    ['tools/call', { name: 'plain', arguments: { region: 'x' } }, '=?base64?cGxhaW4=?='],
  ])('accepts %s with the params %j and the header value %j', async (method, params, name) => {
    const answer = await callModern(serve(), method, params, { headers: { 'mcp-name': name } })
    expect(answer).toMatchObject({ status: 200, json: { result: { resultType: 'complete' } } })
  })

  it.each([
    ['an unencoded name beyond ASCII', 'prompts/get', { name: 'héllo' }, 'héllo'],
    ['a name in different case', 'tools/call', { name: 'plain' }, 'Plain'],
    ['an encoding marker in capitals', 'tools/call', { name: 'plain' }, '=?BASE64?cGxhaW4=?='],
    ['an encoding without padding', 'tools/call', { name: 'plain' }, '=?base64?cGxhaW4?='],
    ['the encoding of another name', 'tools/call', { name: 'plain' }, '=?base64?cXVlcnk=?='],
  ])('refuses %s', async (_what, method, params, name) => {
    const answer = await callModern(serve(), method, params, { headers: { 'mcp-name': name } })
    expect(answer).toMatchObject({ status: 400, json: { id: 7, error: { code: -32020 } } })
  })

  it.each(['mcp-method', 'mcp-name', 'mcp-protocol-version'])(
    'refuses a repeated standard header, even if its values are equal: %s',
    async (name) => {
      const value = { 'mcp-method': 'tools/call', 'mcp-name': 'plain', 'mcp-protocol-version': '2026-07-28' }[
        name
      ]
      const twice = { [name]: [value ?? '', value ?? ''] }
      const answer = await query(serve(), { region: 'x' }, twice, 'plain')
      expect(answer).toMatchObject({ status: 400, json: { error: { code: -32600 } } })
    },
  )
})

describe('the check of Mcp-Param-* headers (https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http#server-behavior-for-custom-headers)', () => {
  it.each<[object, Sent['headers']]>([
    [{ region: 'eu' }, { 'mcp-param-region': 'eu' }],
    [{ region: 'eu' }, { 'mcp-param-region': ' eu ' }],
    [{ region: 'Hello' }, { 'mcp-param-region': '=?base64?SGVsbG8=?=' }],
    [{ region: '世界' }, { 'mcp-param-region': '=?base64?5LiW55WM?=' }],
    [{ region: '=?base64?SGVsbG8' }, { 'mcp-param-region': '=?base64?SGVsbG8' }],
    [{ region: '' }, { 'mcp-param-region': '' }],
    [{ limit: 42 }, { 'mcp-param-limit': '42' }],
    [{ limit: 42 }, { 'mcp-param-limit': '42.0' }],
    [{ limit: -7 }, { 'mcp-param-limit': '-7' }],
    [{ limit: 0 }, { 'mcp-param-limit': '0' }],
    [{ limit: 9007199254740991 }, { 'mcp-param-limit': '9007199254740991' }],
    [{ dry: true }, { 'mcp-param-dry-run': 'true' }],
    [{ dry: false }, { 'mcp-param-dry-run': 'false' }],
    [{ at: { zone: 'b' } }, { 'mcp-param-zone': 'b' }],
    [{}, {}],
    [{}, { 'mcp-param-other': 'anything' }],
  ])('accepts the arguments %j with the headers %j', async (args, headers) => {
    const harness = serve()
    expect(await query(harness, args, headers)).toMatchObject({ status: 200, json: { result: {} } })
    expect(harness.ran).toHaveLength(1)
  })

  it.each<[string, object, Sent['headers']]>([
    ['a value without its header', { region: 'eu' }, {}],
    ['false without its header', { dry: false }, {}],
    ['an empty string without its header', { region: '' }, {}],
    ['a nested value without its header', { at: { zone: 'b' } }, {}],
    ['a header without its value', {}, { 'mcp-param-region': 'eu' }],
    ['a header with the default value', {}, { 'mcp-param-region': 'here' }],
    ['a different value', { region: 'eu' }, { 'mcp-param-region': 'us' }],
    ['a value in different case', { region: 'eu' }, { 'mcp-param-region': 'EU' }],
    ['values joined by a runtime', { region: 'eu' }, { 'mcp-param-region': 'eu, eu' }],
    ['an encoding without padding', { region: 'Hello' }, { 'mcp-param-region': '=?base64?SGVsbG8?=' }],
    ['characters that a header cannot contain', { region: 'é' }, { 'mcp-param-region': 'é' }],
    ['a different number', { limit: 42 }, { 'mcp-param-limit': '43' }],
    ['a hexadecimal number', { limit: 42 }, { 'mcp-param-limit': '0x2a' }],
    ['an empty header for 0', { limit: 0 }, { 'mcp-param-limit': '' }],
    ['a number with a leading zero', { limit: 42 }, { 'mcp-param-limit': '042' }],
    ['a number beyond the safe integers', { limit: 2 ** 53 }, { 'mcp-param-limit': '9007199254740992' }],
    ['a boolean in capitals', { dry: true }, { 'mcp-param-dry-run': 'TRUE' }],
    ['a boolean as a number', { dry: true }, { 'mcp-param-dry-run': '1' }],
    ['a header for an object', { region: {} }, { 'mcp-param-region': '[object Object]' }],
  ])('refuses %s before the tool runs', async (_what, args, headers) => {
    const harness = serve()
    const answer = await query(harness, args, headers)
    expect(answer).toMatchObject({ status: 400, json: { id: 7, error: { code: -32020 } } })
    expect(answer.json.error?.message).toMatch(/^The header Mcp-Param-(Region|Limit|Dry-Run|Zone) /)
    expect(harness.ran).toEqual([])
  })

  it('refuses a repeated header before the tool runs', async () => {
    const harness = serve()
    const { status, json } = await query(harness, { region: 'eu' }, { 'mcp-param-region': ['eu', 'eu'] })
    expect([status, json.error?.code, harness.ran]).toEqual([400, -32600, []])
  })

  it('requires no header for null, because the schema validates null', async () => {
    const { json } = await query(serve(), { region: null })
    expect(json.result).toMatchObject({ isError: true })
  })

  it('requires no header for an object, because schema validation reports the object to the model', async () => {
    const { json } = await query(serve(), { region: {} })
    expect(json.result).toMatchObject({ isError: true })
  })

  it('counts a mismatch as `headerMismatch`, like the checks of other headers', async () => {
    const harness = serve()
    await query(harness, { region: 'eu' })
    await query(harness, { region: 'eu' }, { 'mcp-name': 'plain' })
    expect(harness.endpoint.stats().refusals).toMatchObject({ headerMismatch: 2 })
  })

  it('happens before the arguments are validated against the schema', async () => {
    const answer = await query(serve(), { region: 'much longer than twenty' }, { 'mcp-param-region': 'eu' })
    expect(answer.json.error?.code).toBe(-32020)
  })

  it('applies only to a tool that the caller can see, and only if the arguments are an object', async () => {
    const harness = serve()
    const unknown = await query(harness, { region: 'eu' }, {}, 'unknown')
    const hidden = await query(harness, { region: 'eu' }, {}, 'hidden')
    const malformed = await query(harness, [], {})
    expect([unknown, hidden, malformed].map(({ json }) => json.error?.code)).toEqual([-32602, -32602, -32602])
    expect(hidden.json.error?.message.replace('hidden', 'unknown')).toBe(unknown.json.error?.message)
  })

  it('does not apply to a tool without header parameters', async () => {
    const answer = await query(serve(), { region: 'eu' }, { 'mcp-param-region': 'us' }, 'plain')
    expect(answer.json.result).toBeDefined()
  })

  it('does not apply in sessions or outside HTTP', async () => {
    const harness = serve()
    const session = await harness.open()
    expect((await session.call('query', { region: 'eu' })).json.result).toMatchObject({
      content: [{ text: 'ran' }],
    })
    const params = {
      name: 'query',
      arguments: { region: 'eu' },
      _meta: requestMeta(),
    }
    const message = { jsonrpc: '2.0', id: 1, method: 'tools/call', params }
    expect(await harness.server.handleMessage(message)).toContain('"text":"ran"')
    expect(harness.ran).toHaveLength(2)
  })

  it('happens inside middleware, so that middleware sees the error', async () => {
    const seen: unknown[] = []
    const harness = serve({
      setUp: (server) =>
        server.use('tools/call', async (_ctx, next) => {
          try {
            return await next()
          } catch (error) {
            seen.push((error as { code?: unknown }).code)
            throw error
          }
        }),
    })
    const answer = await query(harness, { region: 'eu' })
    expect(answer).toMatchObject({ status: 400, json: { error: { code: -32020 } } })
    expect(seen).toEqual([-32020])
  })
})

describe('Mcp-Param-* headers for a tool that runs as a task (https://modelcontextprotocol.io/seps/2663-tasks-extension)', () => {
  const EXTENSION = { extensions: { 'io.modelcontextprotocol/tasks': {} } }
  const CLIENT = { capabilities: { ...EXTENSION, elicitation: {} } }
  const inputSchema = {
    type: 'object',
    properties: { region: { type: 'string', 'x-mcp-header': 'Region' } },
  } as const

  function open(): Harness & { readonly ran: string[] } {
    const ran: string[] = []
    const setUp = (server: McpServer): void => {
      for (const taskSupport of ['optional', 'required'] as const)
        server.addTool({
          name: taskSupport,
          taskSupport,
          inputSchema,
          handler: () => void ran.push(taskSupport),
        })
      server.addTool({
        name: 'asks',
        taskSupport: 'required',
        inputSchema,
        asks: {
          sure: () => {
            ran.push('asked')
            return elicit('Sure?', z.object({ ok: z.boolean() }))
          },
        },
        handler: () => void ran.push('asks'),
      })
    }
    return { ...createHarness({ server: { extensions: [tasks()] }, setUp }), ran }
  }
  const call = (harness: Harness, name: string, region: string, more: object = {}): Promise<Answer> =>
    callModern(
      harness,
      'tools/call',
      { name, arguments: { region: 'eu' }, ...more },
      { ...CLIENT, headers: { 'mcp-param-region': region } },
    )
  const refusal = { status: 400, json: { id: 7, error: { code: -32020 } } }

  it.each(['optional', 'required', 'asks'])(
    'are checked before the task starts and before any question is sent: tool %s',
    async (name) => {
      const harness = open()
      expect(await call(harness, name, 'us')).toMatchObject(refusal)
      expect(harness.ran).toEqual([])
      expect(harness.server.stats().tasks).toBe(0)
    },
  )

  it.each(['optional', 'required'])('let the task start if they match: tool %s', async (name) => {
    const harness = open()
    const { json } = await call(harness, name, 'eu')
    expect(json.result).toMatchObject({ resultType: 'task', status: 'working' })
    await vi.waitFor(() => expect(harness.ran).toEqual([name]), { interval: 1 })
  })

  it('are checked on each call of the tool, but not again when the task runs', async () => {
    const harness = open()
    const { json } = await call(harness, 'asks', 'eu')
    const inputResponses = { sure: { action: 'accept', content: { ok: true } } }
    const answers = { inputResponses, requestState: json.result?.['requestState'] }
    expect(await call(harness, 'asks', 'us', answers)).toMatchObject(refusal)
    expect(harness.server.stats().tasks).toBe(0)
    const begun = await call(harness, 'asks', 'eu', answers)
    expect(begun.json.result).toMatchObject({ resultType: 'task' })
    await vi.waitFor(() => expect(harness.ran.at(-1)).toBe('asks'), { interval: 1 })
  })

  it("are checked after the client's capability for tasks", async () => {
    const harness = open()
    const params = { name: 'required', arguments: { region: 'eu' } }
    const answer = await callModern(harness, 'tools/call', params, { headers: { 'mcp-param-region': 'us' } })
    expect(answer).toMatchObject({ status: 400, json: { error: { code: -32021 } } })
    const optional = await callModern(harness, 'tools/call', { ...params, name: 'optional' })
    expect(optional).toMatchObject(refusal)
  })
})
