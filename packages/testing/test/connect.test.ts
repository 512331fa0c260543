import { content, defineTool, elicit, listRoots, McpServer, sample } from '@jetway/core'
import { REVISIONS } from '@jetway/core/protocol'
import { describe, expect, expectTypeOf, it } from 'vitest'
import { z } from 'zod'
import { connect } from '../src/connect.ts'
import { matchers } from '../src/matchers.ts'

expect.extend(matchers)

const addNumbers = defineTool({
  name: 'add',
  inputSchema: z.object({ a: z.number(), b: z.number() }),
  outputSchema: z.object({ sum: z.number() }),
  handler: ({ a, b }) => ({ sum: a + b }),
})

const listCoins = defineTool({
  name: 'coins',
  outputSchema: z.array(z.number()),
  wrapOutput: 'items',
  handler: () => [1, 2],
})

function tillServer(): McpServer {
  const server = new McpServer({ name: 'till', version: '1.0.0' })
  server.add(addNumbers, listCoins)
  server.addTool({ name: 'who', handler: (_, ctx) => ctx.auth?.principal ?? 'nobody' })
  server.addTool({
    name: 'log',
    handler: (_, ctx) => {
      ctx.log.warning('low')
      return 'logged'
    },
  })
  server.addTool({
    name: 'survey',
    asks: {
      age: () => elicit('How old?', z.object({ years: z.number().int() })),
      word: () =>
        sample({ messages: [{ role: 'user', content: { type: 'text', text: '?' } }], maxTokens: 5 }),
      roots: () => listRoots(),
    },
    handler: (_, { answers }) => ({
      years: answers.age.years,
      word: answers.word.content,
      root: answers.roots[0]?.uri,
    }),
  })
  return server
}

describe.each(REVISIONS)('a test client that uses $version', ({ version, forms }) => {
  it('calls a tool by its definition', async () => {
    await using client = await connect(tillServer(), { revision: version })
    const { content: blocks, structuredContent } = await client.callTool(addNumbers, { a: 1, b: 2 })
    expect(blocks).toEqual([{ type: 'text', text: '{"sum":3}' }])
    expect(structuredContent?.sum).toBe(forms === undefined ? undefined : 3)
    expect(client.server?.protocolVersion).toBe(version)
  })

  it('returns a wrapped value in the form that the server sent', async () => {
    await using client = await connect(tillServer(), { revision: version })
    const { structuredContent } = await client.callTool(listCoins)
    expectTypeOf(structuredContent).toEqualTypeOf<number[] | { readonly items: number[] } | undefined>()
    const sent = { none: undefined, object: { items: [1, 2] }, any: [1, 2] }
    const values = version === REVISIONS[0]?.version ? 'any' : forms === undefined ? 'none' : 'object'
    expect(structuredContent).toEqual(sent[values])
    const [coins] = (await client.listTools()).filter(({ name }) => name === 'coins')
    const types = { none: undefined, object: 'object', any: 'array' }
    expect(coins?.outputSchema?.['type']).toBe(types[values])
  })

  it('keeps received notifications', async () => {
    await using client = await connect(tillServer(), { revision: version })
    await client.setLogLevel('debug')
    await client.callTool('log')
    expect(await client.notification('notifications/message')).toMatchObject({ params: { data: 'low' } })
    expect(client.notifications).toHaveLength(1)
    expect(client.problems).toEqual([])
  })

  it('subscribes to a notification if a test waits for it', async () => {
    const id = 'com.example/till'
    const opened = 'notifications/com.example/till/opened'
    const server = new McpServer(
      { name: 'till', version: '1.0.0' },
      { extensions: [{ id, eras: ['legacy', 'modern'], notifications: [opened] }] },
    )
    const sum = server.addResource({ uri: 'till://sum', name: 'sum', handler: () => '0' })
    server.addTool({ name: 'log', handler: (_, ctx) => ctx.log.debug('seen') })
    await using client = await connect(server, {
      revision: version,
      capabilities: { extensions: { [id]: {} } },
    })
    const extra = (): unknown => server.addResource({ uri: 'till://extra', name: 'extra', handler: () => '' })
    await client.notification('notifications/resources/list_changed', {}, extra)
    const uri = 'till://sum'
    await client.notification('notifications/resources/updated', { uri }, () => sum.update({ title: 'Sum' }))
    await client.notification('notifications/message', { data: 'seen' }, () => client.callTool('log'))
    const { params } = await client.notification(opened, undefined, () =>
      server.notify.extension(id, opened, { by: 'ann' }),
    )
    expect(params).toMatchObject({ by: 'ann' })
    expect(client.problems).toEqual([])
  })

  it('subscribes at most once if a test waits twice for changes to a resource', async () => {
    const server = tillServer()
    const sum = server.addResource({ uri: 'till://sum', name: 'sum', handler: () => '0' })
    let subscriptions = 0
    server.use('resources/subscribe', (_, next) => {
      subscriptions++
      return next()
    })
    await using client = await connect(server, { revision: version })
    const wait = (title: string): Promise<unknown> =>
      client.notification('notifications/resources/updated', { uri: 'till://sum' }, () =>
        sum.update({ title }),
      )
    await wait('One')
    await wait('Two')
    expect(subscriptions).toBeLessThanOrEqual(1)
  })

  it('ignores notifications that arrived before the action under test', async () => {
    const server = tillServer()
    await using client = await connect(server, { revision: version })
    let count = 0
    const log = (): Promise<unknown> => client.callTool('log', { count: ++count })
    await client.notification('notifications/message', undefined, log)
    await client.notification('notifications/message', undefined, log)
    expect(client.notifications).toHaveLength(2)
  })

  it('keeps the log level that the test has set', async () => {
    await using client = await connect(tillServer(), { revision: version })
    await client.setLogLevel('error')
    const first = client.notification('notifications/message')
    await client.callTool('log')
    expect(await Promise.race([first, Promise.resolve('none')])).toBe('none')
  })

  it("passes the test's auth info to the server", async () => {
    await using client = await connect(tillServer(), { revision: version, auth: { principal: 'ann' } })
    expect(await client.callTool('who')).toHaveText('ann')
  })

  if (forms !== undefined)
    it('answers elicitation, sampling and roots requests from its script', async () => {
      await using client = await connect(tillServer(), {
        revision: version,
        handlers: {
          elicit: [{ action: 'accept', content: { years: '40' } }],
          sample: ['blue'],
          roots: ['file:///home'],
        },
      })
      const { content: blocks } = await client.callTool('survey')
      expect(blocks).toEqual([
        { type: 'text', text: '{"years":40,"word":{"type":"text","text":"blue"},"root":"file:///home"}' },
      ])
      expect(client.asked.map(({ kind }) => kind).toSorted()).toEqual(['elicit', 'roots', 'sample'])
    })
})

describe('a script with too few answers', () => {
  it('makes a call fail when the server requests input', async () => {
    await using client = await connect(tillServer(), { handlers: { elicit: [], sample: [], roots: [] } })
    await expect(client.callTool('survey')).rejects.toThrow('the test has 0 answers')
  })
})

describe('the `locals` option of connect', () => {
  it('passes locals to a server that requires them', async () => {
    const server = new McpServer<{ user: string }>({ name: 'mounted', version: '1.0.0' })
    server.addTool({ name: 'user', handler: (_, ctx) => ctx.locals.user })
    await using client = await connect(server, { locals: { user: 'bob' } })
    expect(await client.callTool('user')).toHaveText('bob')
  })
})

describe('the matchers', () => {
  const text = (said: string): object => ({ content: [{ type: 'text', text: said }] })
  const failed = { ...text('Broken'), isError: true }

  it('compare text with a string or a pattern', () => {
    expect(text('Hello')).toHaveText('Hello')
    expect(text('Hello')).toHaveText(/^He/)
    expect(text('Hello')).not.toHaveText('Hell')
    expect(failed).not.toHaveText('Broken')
    expect(() => expect(text('Hello')).toHaveText('Bye')).toThrow(/to have the text .*Bye/)
    expect(() => expect(failed).toHaveText('Broken')).toThrow(/Expected a failure/)
  })

  it('compare structured content', () => {
    const sums = { ...text('{"sum":3,"of":2}'), structuredContent: { sum: 3, of: 2 } }
    expect(sums).toHaveStructured({ of: 2, sum: 3 })
    expect(sums).toHaveStructured(expect.objectContaining({ sum: 3 }))
    expect(sums).not.toHaveStructured({ sum: 3 })
    expect(() => expect(text('3')).toHaveStructured(3)).toThrow(/structured value .*3/)
  })

  it('recognise an error result', () => {
    expect(failed).toBeToolError()
    expect(failed).toBeToolError('Broken')
    expect(failed).toBeToolError(/brok/i)
    expect(failed).not.toBeToolError('Other')
    expect(text('fine')).not.toBeToolError()
    expect(() => expect(text('fine')).toBeToolError()).toThrow(/to be a failure/)
  })

  it.each([
    ['toBeToolError with a string', () => expect(failed).toBeToolError('Other'), ['Broken', 'Other']],
    ['toBeToolError without a string', () => expect(text('fine')).toBeToolError(), [undefined, undefined]],
    ['toHaveText', () => expect(text('Hello')).toHaveText('Bye'), ['Hello', 'Bye']],
    ['toHaveStructured', () => expect(text('3')).toHaveStructured(3), [undefined, 3]],
  ])('give vitest both values for its diff: %s', (_, compare, difference) => {
    let found: unknown
    try {
      compare()
    } catch (error) {
      const { actual, expected } = error as { readonly actual?: unknown; readonly expected?: unknown }
      found = [actual, expected]
    }
    expect(found).toEqual(difference)
  })

  it('reject a value that is not a result', () => {
    expect(() => expect('text').toHaveText('text')).toThrow(/Expected the result of a tool/)
    expect(() => expect(undefined).toBeToolError()).toThrow(/Expected the result of a tool/)
  })

  it('accept real results from a server', async () => {
    const server = new McpServer({ name: 'real', version: '1.0.0' })
    server.addTool({ name: 'both', handler: () => [content.text('one'), content.text('two')] })
    await using client = await connect(server)
    expect(await client.callTool('both')).toHaveText('one\ntwo')
  })
})
