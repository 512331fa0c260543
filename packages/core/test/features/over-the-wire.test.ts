import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { content, contents, McpError, McpServer, result, ToolError } from '../../src/index.ts'
import { openPeer } from '../support/peer.ts'
import { serveWeb } from '../support/web-client.ts'

const silent = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} }
const create = (options: object = {}): McpServer =>
  new McpServer({ name: 'test', version: '1' }, { logger: silent, ...options })

const text = (said: string): object => ({ type: 'text', text: said })

/** What one tool answers over HTTP to a client of each revision. */
async function answers(
  define: (server: McpServer) => void,
  args: object = {},
  options: object = {},
): Promise<Record<'now' | 'before', unknown>> {
  const server = create(options)
  define(server)
  const web = serveWeb(server)
  const ask = async (version: string): Promise<unknown> => {
    const reply = await (
      await web.open('anyone', version)
    ).request('tools/call', { name: 't', arguments: args })
    return reply.error ?? reply.result
  }
  return { now: await ask('2025-11-25'), before: await ask('2025-03-26') }
}

describe('results of tools, as clients get them', () => {
  const bytes = new Uint8Array([1, 2, 3])
  const cases: [string, () => unknown, object, object?][] = [
    ['a text', () => `Result: ${(3).toFixed(2)}`, { content: [text('Result: 3.00')] }],
    ['JSON', () => ({ a: [1, null, true] }), { content: [text('{"a":[1,null,true]}')] }],
    ['nothing', () => undefined, { content: [] }],
    [
      'several blocks, in their order',
      () => [content.text('one'), content.text('two'), content.text('three')],
      { content: [text('one'), text('two'), text('three')] },
    ],
    [
      'an image',
      () => content.image(bytes, 'image/png'),
      { content: [{ type: 'image', data: 'AQID', mimeType: 'image/png' }] },
    ],
    [
      'audio',
      () => content.audio(bytes, 'audio/wav'),
      { content: [{ type: 'audio', data: 'AQID', mimeType: 'audio/wav' }] },
    ],
    [
      'an embedded text',
      () => content.resource({ uri: 'a://b', mimeType: 'text/plain', text: 'x' }),
      { content: [{ type: 'resource', resource: { uri: 'a://b', mimeType: 'text/plain', text: 'x' } }] },
    ],
    [
      'embedded bytes',
      () => content.resource({ uri: 'a://b', blob: bytes }),
      { content: [{ type: 'resource', resource: { uri: 'a://b', blob: 'AQID' } }] },
    ],
    [
      'a link, a text where the revision has none',
      () => content.link({ uri: 'a://b', name: 'b', title: 'B', description: 'More' }),
      { content: [{ type: 'resource_link', uri: 'a://b', name: 'b', title: 'B', description: 'More' }] },
      { content: [text('B: a://b\nMore')] },
    ],
    [
      'all kinds at once',
      () => [
        content.text('see'),
        content.image(bytes, 'image/png'),
        content.link({ uri: 'a://b', name: 'b' }),
      ],
      {
        content: [
          text('see'),
          { type: 'image', data: 'AQID', mimeType: 'image/png' },
          { type: 'resource_link', uri: 'a://b', name: 'b' },
        ],
      },
      { content: [text('see'), { type: 'image', data: 'AQID', mimeType: 'image/png' }, text('b: a://b')] },
    ],
    [
      'annotations of a block',
      () => content.text('x', { annotations: { audience: ['user'], priority: 0.5 } }),
      { content: [{ ...text('x'), annotations: { audience: ['user'], priority: 0.5 } }] },
    ],
    [
      'a structured value without a schema, and its text',
      () => result({ structured: { a: 1 } }),
      { content: [text('{"a":1}')], structuredContent: { a: 1 } },
      { content: [text('{"a":1}')] },
    ],
    [
      'a structured value with a text of its own',
      () => result({ structured: { a: 1 }, content: 'One a.' }),
      { content: [text('One a.')], structuredContent: { a: 1 } },
      { content: [text('One a.')] },
    ],
    [
      'metadata',
      () => result({ content: 'x', _meta: { 'com.example/k': 1 } }),
      { content: [text('x')], _meta: { 'com.example/k': 1 } },
    ],
    [
      'an error',
      () => result.error('Division by zero'),
      { content: [text('Division by zero')], isError: true },
    ],
    [
      'an error of several blocks',
      () => result.error([content.text('Unknown operation'), content.text('Try add')]),
      { content: [text('Unknown operation'), text('Try add')], isError: true },
    ],
  ]

  it.each(cases)('%s', async (_name, handler, now, before = now) => {
    for (const late of [false, true]) {
      const answer = await answers((server) =>
        server.addTool({
          name: 't',
          handler: late ? async () => handler() as object : () => handler() as object,
        }),
      )
      expect(answer.now).toEqual(now)
      expect(answer.before).toEqual(before)
    }
  })

  const oldest: [string, () => object, object][] = [
    ['audio', () => content.audio(bytes, 'audio/wav'), text('[audio of type audio/wav]')],
    ['a link', () => content.link({ uri: 'a://b', name: 'b' }), text('b: a://b')],
  ]

  it.each(oldest)('%s is a text for the oldest revision', async (_name, handler, expected) => {
    const server = create()
    server.addTool({ name: 't', handler })
    const peer = await openPeer(server, { version: '2024-11-05' })
    expect((await peer.request('tools/call', { name: 't' })).result).toEqual({ content: [expected] })
  })
})

describe('errors of tools, as clients get them', () => {
  const cases: [string, () => Error, unknown][] = [
    [
      'a ToolError is for the model',
      () => new ToolError('No such city'),
      { content: [text('No such city')], isError: true },
    ],
    [
      'an McpError is of the protocol',
      () => new McpError(-32000, 'Closed', { until: 9 }),
      { code: -32000, message: 'Closed', data: { until: 9 } },
    ],
    [
      'any other error is hidden',
      () => new Error('password 1234'),
      {
        content: [text(expect.stringMatching(/^The tool failed \(reference [\w-]+\)$/) as string)],
        isError: true,
      },
    ],
  ]

  it.each(cases)('%s, thrown at once or later', async (_name, make, expected) => {
    const fail = (): never => {
      throw make()
    }
    expect((await answers((server) => server.addTool({ name: 't', handler: fail }))).now).toEqual(expected)
    expect(
      (await answers((server) => server.addTool({ name: 't', handler: async () => fail() }))).now,
    ).toEqual(expected)
  })
})

describe('the arguments of a tool, as its handler gets them', () => {
  const inputSchema = z.object({
    state: z.string().describe('Two letters'),
    limit: z.number().int().default(10),
  })
  const define = (server: McpServer): unknown =>
    server.addTool({ name: 't', inputSchema, handler: ({ state, limit }) => `${state} ${limit}` })

  it('have the defaults of the schema', async () => {
    expect((await answers(define, { state: 'CA' })).now).toEqual({ content: [text('CA 10')] })
  })

  it.each([
    ['missing', {}, /state: is required|state: /],
    ['of another type', { state: 5 }, /state: .*string/],
  ])('that are %s are an error for the model, which names the field', async (_name, args, message) => {
    expect((await answers(define, args)).now).toMatchObject({
      isError: true,
      content: [{ text: expect.stringMatching(message) as string }],
    })
  })

  it('are those of the new schema after a tool was replaced', async () => {
    const server = create()
    define(server)
    const client = await serveWeb(server).open()
    const call = async (args: object): Promise<unknown> =>
      (await client.request('tools/call', { name: 't', arguments: args })).result['isError']
    expect(await call({ state: 'CA' })).toBeUndefined()
    const number = z.object({ state: z.number() })
    server.addTool({ name: 't', inputSchema: number, handler: ({ state }) => state }, { replace: true })
    expect([await call({ state: 'CA' }), await call({ state: 6 })]).toEqual([true, undefined])
  })

  it('may be unique items, as the published schema says', async () => {
    const tags = z
      .array(z.string())
      .refine((given) => new Set(given).size === given.length, 'has doubles')
      .meta({ uniqueItems: true })
    const server = create()
    server.addTool({ name: 't', inputSchema: z.object({ tags }), handler: () => 'x' })
    const peer = await openPeer(server)
    expect((await peer.request('tools/list')).result).toMatchObject({
      tools: [{ inputSchema: { properties: { tags: { uniqueItems: true } } } }],
    })
    const { result: answer } = await peer.request('tools/call', {
      name: 't',
      arguments: { tags: ['a', 'a'] },
    })
    expect(answer).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining('has doubles') as string }],
    })
  })
})

describe('results against their outputSchema, as clients get them', () => {
  const outputSchema = z.strictObject({ high: z.number() })
  const define =
    (handler: () => unknown, more: object = {}) =>
    (server: McpServer): unknown =>
      server.addTool({ name: 't', outputSchema, handler: handler as () => { high: number }, ...more })
  const generic = { isError: true, content: [{ text: expect.stringMatching(/^The tool failed/) as string }] }

  it('are the value, and the same JSON as text', async () => {
    const { now, before } = await answers(define(() => ({ high: 1.5 })))
    expect(now).toEqual({ content: [text(JSON.stringify({ high: 1.5 }))], structuredContent: { high: 1.5 } })
    expect(before).toEqual({ content: [text(JSON.stringify({ high: 1.5 }))] })
  })

  it.each([
    ['of another type', { high: 'hot' }],
    ['missing', {}],
    ['too many', { high: 1, extra: 2 }],
    ['none', undefined],
  ])('are replaced by an error where members are %s, and nothing of them gets out', async (_name, value) => {
    const { now } = await answers(define(() => value))
    expect(now).toMatchObject(generic)
    expect(JSON.stringify(now)).not.toMatch(/hot|extra|structured/)
  })

  it('are not validated without a schema, for errors, and if validation is off', async () => {
    const wrong = { high: 'hot' }
    expect((await answers((server) => server.addTool({ name: 't', handler: () => wrong }))).now).toEqual({
      content: [text('{"high":"hot"}')],
    })
    expect((await answers(define(() => result.error('no')))).now).toEqual({
      content: [text('no')],
      isError: true,
    })
    const off = { content: [text('{"high":"hot"}')], structuredContent: wrong }
    expect(
      (
        await answers(
          define(() => wrong),
          {},
          { tools: { validateOutput: false } },
        )
      ).now,
    ).toEqual(off)
    expect((await answers(define(() => wrong, { validateOutput: false }))).now).toEqual(off)
  })
})

describe('lists, as clients get them', () => {
  it('have the defined members of a tool, and no others', async () => {
    const server = create()
    server.addTool({
      name: 'get_alerts',
      description: 'Alerts of a state',
      inputSchema: z.object({ state: z.string().describe('Two letters') }),
      handler: () => '',
    })
    server.addTool({ name: 'plain', handler: () => '' })
    expect((await (await serveWeb(server).open()).request('tools/list')).result).toEqual({
      tools: [
        {
          name: 'get_alerts',
          description: 'Alerts of a state',
          inputSchema: {
            type: 'object',
            properties: { state: { type: 'string', description: 'Two letters' } },
            required: ['state'],
          },
        },
        { name: 'plain', inputSchema: { type: 'object', properties: {}, additionalProperties: false } },
      ],
    })
  })

  it('have no cursor on a full last page, and refuse a cursor of another list', async () => {
    const server = create({ limits: { pageSize: 5 } })
    for (const name of 'abcde') server.addTool({ name, handler: () => '' })
    const client = await serveWeb(server).open()
    const { result: page } = await client.request('tools/list')
    expect([(page['tools'] as unknown[]).length, page['nextCursor']]).toEqual([5, undefined])
    expect((await client.request('tools/list', { cursor: 'bm9uZQ' })).error).toMatchObject({ code: -32602 })
  })

  it('are replaced as a whole with one notification', async () => {
    const server = create()
    server.setTools([{ name: 'a', handler: () => '' }])
    const peer = await openPeer(server)
    const told = peer.nextNotification()
    server.setTools(['b', 'c', 'd'].map((name) => ({ name, handler: () => '' })))
    expect((await told).method).toBe('notifications/tools/list_changed')
    expect((await peer.request('tools/list')).result['tools']).toHaveLength(3)
    expect(peer.notifications).toHaveLength(1)
  })

  it('have all metadata of a resource', async () => {
    const said = {
      uri: 'notes://a',
      name: 'a',
      title: 'A',
      description: 'One',
      mimeType: 'text/plain',
      size: 3,
      annotations: { audience: ['user' as const], priority: 1, lastModified: '2026-01-12T15:00:58Z' },
      icons: [{ src: 'https://example.com/a.png' }],
      _meta: { 'com.example/k': 1 },
    }
    const server = create()
    server.addResource({ ...said, handler: () => 'abc' })
    const client = await serveWeb(server).open()
    expect((await client.request('resources/list')).result).toEqual({ resources: [said] })
    expect((await client.request('resources/read', { uri: 'notes://a' })).result).toEqual({
      contents: [{ uri: 'notes://a', mimeType: 'text/plain', text: 'abc' }],
    })
  })

  it.each([
    [{ priority: 2 }, /priority lies between 0 and 1/],
    [{ lastModified: 'yesterday' }, /lastModified is an ISO 8601 time/],
    [{ lastModified: 5 }, /lastModified is an ISO 8601 time/],
    [{ audience: 'user' }, /audience is an array of "user" and "assistant"/],
    [{ audience: ['robot'] }, /audience is an array of "user" and "assistant"/],
  ])('have no annotations that clients would not understand: %j', (annotations, message) => {
    const wrong = annotations as object
    expect(() =>
      create().addResource({ uri: 'a://b', name: 'b', annotations: wrong, handler: () => '' }),
    ).toThrow(message)
    expect(() => content.link({ uri: 'a://b', name: 'b', annotations: wrong })).toThrow(message)
  })
})

describe('prompts, as clients get them', () => {
  it('accept arguments of any name, with spaces', async () => {
    const server = create()
    server.addPrompt({
      name: 'develop',
      description: 'Plan a project',
      arguments: [{ name: 'Project Name', description: 'Of the project', required: true }],
      handler: (args) => `Plan ${args['Project Name']}`,
    })
    const client = await serveWeb(server).open()
    expect((await client.request('prompts/list')).result).toEqual({
      prompts: [
        {
          name: 'develop',
          description: 'Plan a project',
          arguments: [{ name: 'Project Name', description: 'Of the project', required: true }],
        },
      ],
    })
    const get = (args: object): ReturnType<typeof client.request> =>
      client.request('prompts/get', { name: 'develop', arguments: args })
    expect((await get({ 'Project Name': 'Jet' })).result).toEqual({
      description: 'Plan a project',
      messages: [{ role: 'user', content: text('Plan Jet') }],
    })
    expect((await get({})).error).toMatchObject({ code: -32602, message: 'Missing argument: Project Name' })
  })
})

describe('templates, as clients get them', () => {
  it('if several match, the most specific answers, in any order of registration', async () => {
    const templates = ['a://{x}/{y}', 'a://{x}/fixed', 'a://top/{y}'].map((uriTemplate) => ({
      uriTemplate,
      name: uriTemplate,
      handler: () => contents([{ text: uriTemplate }]),
    }))
    for (const order of [templates, templates.toReversed()]) {
      const server = create()
      for (const template of order) server.addResourceTemplate(template)
      const client = await serveWeb(server).open()
      const read = async (uri: string): Promise<unknown> =>
        (await client.request('resources/read', { uri })).result['contents']
      expect(await read('a://1/2')).toMatchObject([{ text: 'a://{x}/{y}' }])
      expect(await read('a://1/fixed')).toMatchObject([{ text: 'a://{x}/fixed' }])
      expect(await read('a://top/2')).toMatchObject([{ text: 'a://top/{y}' }])
    }
  })
})

describe('completions, as clients get them', () => {
  it('are at most 100, report if there are more, and get the other arguments', async () => {
    const server = create()
    server.addPrompt({
      name: 'p',
      argsSchema: z.object({ country: z.string(), city: z.string() }),
      complete: {
        city: (_value, _ctx, { arguments: given }) =>
          Array.from({ length: 150 }, (_, index) => `${given['country']} ${index}`),
      },
      handler: () => '',
    })
    const client = await serveWeb(server).open()
    const { result: answer } = await client.request('completion/complete', {
      ref: { type: 'ref/prompt', name: 'p' },
      argument: { name: 'city', value: '' },
      context: { arguments: { country: 'Norway' } },
    })
    const { values, total, hasMore } = answer['completion'] as {
      values: string[]
      total: number
      hasMore: boolean
    }
    expect([values.length, values[0], total, hasMore]).toEqual([100, 'Norway 0', 150, true])
  })
})

describe('logs, as clients get them', () => {
  it('start at the level of the session', async () => {
    const server = create()
    server.addTool({
      name: 't',
      handler: (_args, ctx) => {
        ctx.log.info('low')
        ctx.log.error('high')
      },
    })
    const peer = await openPeer(server)
    expect((await peer.request('logging/setLevel', { level: 'loud' })).error).toMatchObject({ code: -32602 })
    await peer.request('logging/setLevel', { level: 'warning' })
    await peer.request('tools/call', { name: 't' })
    expect(peer.notifications).toMatchObject([{ params: { level: 'error', data: 'high' } }])
  })
})

describe('work after the response', () => {
  it('does not delay the response, and is logged if it fails', async () => {
    const failure = new Error('canary')
    let fail: (() => void) | undefined
    let hear: ((fields: object) => void) | undefined
    const logged = new Promise<object>((resolve) => (hear = resolve))
    const server = create({ logger: { ...silent, error: (fields: object) => hear?.(fields) } })
    server.addTool({
      name: 't',
      handler: (_args, ctx) => {
        ctx.waitUntil(new Promise((_resolve, reject) => (fail = () => reject(failure))))
        return 'Task started. Check progress with get_task_status.'
      },
    })
    const client = await serveWeb(server).open()
    expect((await client.request('tools/call', { name: 't' })).result).toMatchObject({
      content: [{ text: expect.stringMatching(/^Task started/) as string }],
    })
    fail?.()
    expect(await logged).toMatchObject({ err: failure })
    expect((await client.request('ping')).result).toEqual({})
  })
})

describe('calls that end early', () => {
  it('abort the signal of their handler, and get no response', async () => {
    const server = create()
    const reasons: string[] = []
    let begun: (() => void) | undefined
    const running = new Promise<void>((resolve) => (begun = resolve))
    server.addTool({
      name: 't',
      handler: (_args, ctx) =>
        new Promise((_resolve, reject) => {
          ctx.signal.addEventListener('abort', () => {
            reasons.push((ctx.signal.reason as Error).name)
            reject(ctx.signal.reason as Error)
          })
          begun?.()
        }),
    })
    const peer = await openPeer(server)
    let answered = false
    void peer.request('tools/call', { name: 't' }).then(() => (answered = true))
    await running
    peer.notify('notifications/cancelled', { requestId: 2 })
    await peer.request('ping')
    expect([reasons, answered]).toEqual([['AbortError'], false])
  })
})
