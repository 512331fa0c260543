import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { content, contents, type McpServer, result } from '../../../src/index.ts'
import { callModern } from '../../support/modern-calls.ts'
import { createHarness, type Harness } from '../support/harness.ts'

const INFO = 'io.modelcontextprotocol/serverInfo'

describe('a structured value of any JSON type (https://modelcontextprotocol.io/specification/2026-07-28/server/tools#structured-content)', () => {
  const cases: readonly (readonly [string, z.ZodType, unknown])[] = [
    ['object', z.object({ a: z.number() }), { a: 1 }],
    ['array', z.array(z.object({ id: z.string() })), [{ id: 'a' }]],
    ['empty', z.array(z.string()), []],
    ['number', z.number(), 0],
    ['fraction', z.number(), -1.5e-7],
    ['string', z.string(), ''],
    ['text', z.string(), 'line\u2028 "quoted" 👩‍🚀 \ud800'],
    ['nested', z.object({ a: z.object({ deep: z.array(z.any()) }) }), { a: { deep: [1, null] } }],
    ['boolean', z.boolean(), false],
    ['null', z.null(), null],
    ['union', z.union([z.array(z.number()), z.string()]), [1]],
  ]
  const harness = createHarness({
    setUp: (server) => {
      for (const [name, outputSchema, value] of cases)
        server.addTool({ name, outputSchema, handler: () => value })
      for (const [name, , value] of cases)
        server.addTool({ name: `${name}-untyped`, handler: () => result({ structured: value }) })
      server.addTool({
        name: 'told',
        outputSchema: z.array(z.number()),
        handler: () => result({ content: 'Two numbers', structured: [1, 2] }),
      })
      server.addTool({
        name: 'told-object',
        outputSchema: z.object({ n: z.number() }),
        handler: () => result({ content: 'One number', structured: { n: 1 } }),
      })
      server.addTool({
        name: 'told-already',
        outputSchema: z.array(z.number()),
        handler: () => result({ content: [content.text('[1]'), content.text('One')], structured: [1] }),
      })
      server.addTool({
        name: 'failed',
        outputSchema: z.array(z.number()),
        handler: () => result({ content: 'No', structured: 'none of them', isError: true }),
      })
    },
  })
  const call = async (name: string): Promise<unknown> =>
    (await callModern(harness, 'tools/call', { name })).json.result

  it.each(cases)('is sent unchanged, together with its JSON as text: %s', async (name, _schema, value) => {
    const expected = {
      resultType: 'complete',
      structuredContent: value,
      content: [{ type: 'text', text: JSON.stringify(value) }],
    }
    expect(await call(name)).toMatchObject(expected)
    expect(await call(`${name}-untyped`)).toMatchObject(expected)
  })

  it('can have a schema whose root has any type', async () => {
    const { json } = await callModern(harness, 'tools/list')
    const tools = json.result?.['tools'] as readonly { name: string; outputSchema?: { type?: string } }[]
    for (const { name, outputSchema } of tools)
      expect([name, outputSchema === undefined]).toEqual([name, name.endsWith('-untyped')])
    expect(tools.find(({ name }) => name === 'array')?.outputSchema?.type).toBe('array')
  })

  it("is added to the author's content as JSON text if it is not an object", async () => {
    const text = (...texts: readonly string[]): object => ({
      content: texts.map((each) => ({ type: 'text', text: each })),
    })
    expect(await call('told')).toMatchObject(text('Two numbers', '[1,2]'))
    expect(await call('told-object')).toMatchObject(text('One number'))
    expect(await call('told-already')).toMatchObject(text('[1]', 'One'))
  })

  it('is not validated if the tool fails', async () => {
    expect(await call('failed')).toMatchObject({ isError: true, structuredContent: 'none of them' })
  })

  it('is sent only as text in a session', async () => {
    const session = await harness.open({ version: '2025-11-25' })
    const { json } = await session.call('told')
    expect(json.result).toEqual({
      content: [
        { type: 'text', text: 'Two numbers' },
        { type: 'text', text: '[1,2]' },
      ],
    })
  })
})

describe('server info in _meta (https://modelcontextprotocol.io/specification/2026-07-28/basic#meta)', () => {
  const mine = { 'com.example/mine': { deep: [1] }, [INFO]: { name: 'somebody else', version: '0' } }
  const harness = createHarness({
    setUp: (server) => {
      server.addTool({ name: 'a', handler: () => result({ content: 'x', _meta: mine }) })
      server.addTool({ name: 'empty', handler: () => result({ content: 'x', _meta: {} }) })
      server.addTool({ name: 'says', handler: () => '{"_meta":{"a":1}}' })
      server.addResource({
        uri: 'a://a',
        name: 'a',
        handler: () => contents([{ text: 'x' }], { _meta: mine }),
      })
    },
  })

  it.each([
    ['tools/call', { name: 'a' }],
    ['resources/read', { uri: 'a://a' }],
  ])("is added to the author's _meta: %s", async (method, params) => {
    const { text, json } = await callModern(harness, method, params)
    expect(json.result?.['_meta']).toEqual({
      'com.example/mine': { deep: [1] },
      [INFO]: { name: 'test', version: '1.0.0' },
    })
    expect(text.match(/"_meta":/g)).toHaveLength(1)
    expect(text).not.toContain('somebody else')
  })

  it.each(['empty', 'says'])('is sent even if the author sets no _meta: %s', async (name) => {
    const { json } = await callModern(harness, 'tools/call', { name })
    expect(json.result?.['_meta']).toEqual({ [INFO]: { name: 'test', version: '1.0.0' } })
  })
})

describe('lists (https://modelcontextprotocol.io/specification/2026-07-28/server/tools#capabilities)', () => {
  const names = async (
    harness: Harness,
    options: Parameters<typeof callModern>[3] = {},
  ): Promise<unknown[]> => {
    const { json } = await callModern(harness, 'tools/list', {}, options)
    const tools = (json.result?.['tools'] ?? []) as readonly { name: string }[]
    return tools.map(({ name }) => name)
  }

  it('do not contain tools added to a session, and such tools cannot be called either', async () => {
    const harness = createHarness({
      setUp: (server: McpServer) => {
        server.addTool({ name: 'common', handler: () => 'for all' })
        server.addTool({
          name: 'unlock',
          handler: (_args, { session }) => {
            if (session === undefined) return 'no session'
            const own = server.forSession(session)
            own.addTool({ name: 'secret', handler: () => 'mine' })
            own.addTool({ name: 'common', handler: () => 'mine' }, { replace: true })
            return 'unlocked'
          },
        })
      },
    })
    const session = await harness.open()
    expect((await session.call('unlock')).json.result).toMatchObject({ content: [{ text: 'unlocked' }] })
    expect(await names(harness, { headers: { 'mcp-session-id': session.id } })).toEqual(['common', 'unlock'])
    const secret = await callModern(harness, 'tools/call', { name: 'secret' })
    expect(secret.json.error?.code).toBe(-32602)
    const common = await callModern(harness, 'tools/call', { name: 'common' })
    expect(common.json.result).toMatchObject({ content: [{ text: 'for all' }] })
  })

  it('have the same order for every caller, and differ only in which entries are visible', async () => {
    const setUp = (server: McpServer): void => {
      for (const name of ['b', 'a', 'd', 'c'])
        server.addTool({
          name,
          ...(name === 'd' && { visible: async ({ auth }) => auth?.principal === 'root' }),
          handler: () => name,
        })
    }
    const root = { more: { auth: { principal: 'root' } } }
    for (const harness of [createHarness({ setUp }), createHarness({ setUp })]) {
      expect(await names(harness)).toEqual(['b', 'a', 'c'])
      expect(await names(harness, root)).toEqual(['b', 'a', 'd', 'c'])
      expect(await names(harness)).toEqual(['b', 'a', 'c'])
    }
  })
})

describe('a missing resource', () => {
  it('causes status 200, because 404 would mean an unknown method', async () => {
    const harness = createHarness({
      setUp: (server) => server.addResource({ uri: 'a://a', name: 'a', handler: () => 'x' }),
    })
    expect(await callModern(harness, 'resources/read', { uri: 'a://b' })).toMatchObject({
      status: 200,
      json: { error: { code: -32602, data: { uri: 'a://b' } } },
    })
  })
})
