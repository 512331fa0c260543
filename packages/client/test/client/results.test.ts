import { describe, expect, it } from 'vitest'
import { readHints } from '../../src/client/results.ts'
import { Method } from '../support/dates.ts'
import { modern, scripted, sessions } from '../support/scripted.ts'

const block = { type: 'text', text: 'Hello' }
const INVALID = { code: 'invalid-response' }

describe('getPrompt', () => {
  it.each([
    ['no messages', {}],
    ['messages that are not a list', { messages: { role: 'user', content: block } }],
    ['a message that is null', { messages: [null] }],
    ['a message without a role', { messages: [{ content: block }] }],
    ['a message whose content is a string', { messages: [{ role: 'user', content: 'Hello' }] }],
    ['one message without content', { messages: [{ role: 'user', content: block }, { role: 'user' }] }],
  ])('rejects with invalid-response for %s', async (_, result) => {
    const { client } = await scripted({ ...sessions(), [Method.GetPrompt]: result })
    await expect(client.getPrompt('x')).rejects.toMatchObject(INVALID)
  })

  it('keeps all members of the prompt', async () => {
    const result = { description: 'd', messages: [{ role: 'user', content: block, more: 1 }] }
    const { client, server } = await scripted({ ...sessions(), [Method.GetPrompt]: result })
    expect(await client.getPrompt('x', { city: 'Rome' })).toEqual(result)
    expect(server.of(Method.GetPrompt)).toMatchObject([
      { params: { name: 'x', arguments: { city: 'Rome' } } },
    ])
  })
})

describe('complete', () => {
  it.each([
    ['an empty result', {}],
    ['a string', { completion: 'a' }],
    ['no values', { completion: { total: 1 } }],
    ['values that are not a list', { completion: { values: 'a' } }],
    ['a value that is not a string', { completion: { values: ['a', 1] } }],
  ])('rejects with invalid-response for %s', async (_, result) => {
    const { client } = await scripted({ ...sessions(), [Method.Complete]: result })
    await expect(client.complete({ prompt: 'x', argument: 'a' }, '')).rejects.toMatchObject(INVALID)
  })

  it.each([
    [
      { values: ['a'], total: 0, hasMore: false },
      { values: ['a'], total: 0, hasMore: false },
    ],
    [{ values: [], total: '9', hasMore: 1, more: 1 }, { values: [] }],
  ])('converts %j to %j', async (completion, expected) => {
    const { client } = await scripted({ ...sessions(), [Method.Complete]: { completion } })
    expect(await client.complete({ prompt: 'x', argument: 'a' }, '')).toEqual(expected)
  })

  it.each([
    [
      { prompt: 'p', argument: 'a' },
      { type: 'ref/prompt', name: 'p' },
    ],
    [
      { template: 't://{a}', argument: 'a' },
      { type: 'ref/resource', uri: 't://{a}' },
    ],
  ])('sends a reference to %j', async (ref, expected) => {
    const { client, server } = await scripted({
      ...sessions(),
      [Method.Complete]: { completion: { values: [] } },
    })
    await client.complete(ref, 'v')
    await client.complete(ref, 'v', { known: { b: 'c' } })
    const argument = { name: 'a', value: 'v' }
    expect(server.of(Method.Complete).map(({ params }) => params)).toEqual([
      { ref: expected, argument },
      { ref: expected, argument, context: { arguments: { b: 'c' } } },
    ])
  })
})

it.each([
  [
    { ttlMs: -1, cacheScope: 'private' },
    { ttlMs: 0, cacheScope: 'private' },
  ],
  [
    { ttlMs: 5, cacheScope: 'public' },
    { ttlMs: 5, cacheScope: 'public' },
  ],
  [{ ttlMs: '5', cacheScope: 'shared' }, {}],
])('readResource converts the cache hints %j to %j', async (hints, expected) => {
  const contents = [{ uri: 'a://b', text: 'x' }]
  const { client } = await scripted({
    ...modern(),
    [Method.ReadResource]: { contents, ...hints, _meta: { a: 1 } },
  })
  expect(await client.readResource('a://b')).toEqual({ contents, ...expected, _meta: { a: 1 } })
})

it('readHints omits an infinite ttlMs, which JSON may contain as 1e999', () => {
  expect(readHints(JSON.parse('{"ttlMs":1e999,"cacheScope":"public"}'))).toEqual({ cacheScope: 'public' })
})

describe('resultType', () => {
  const tools = { tools: [], content: [] }

  it.each([
    ['complete', true, true],
    ['task', false, true],
    ['other', false, false],
    [5, false, false],
  ])('%j → accepted in a list: %j, accepted when a task starts: %j', async (resultType, isList, isTask) => {
    const task = { taskId: 't', status: 'completed' }
    const { client } = await scripted({
      ...modern(),
      [Method.ListTools]: { ...tools, resultType },
      [Method.CallTool]: { ...tools, ...task, resultType },
    })
    const outcome = (of: Promise<unknown>): Promise<unknown> => of.catch((error: unknown) => String(error))
    const refused = (method: string): string =>
      `ClientError: The answer to ${method} is malformed: its resultType is ${JSON.stringify(resultType)}`
    expect(await outcome(client.listTools())).toEqual(isList ? [] : refused('tools/list'))
    expect(await outcome(client.startTask('x').then(({ taskId }) => taskId))).toEqual(
      isTask ? (resultType === 'task' ? 't' : '') : refused('tools/call'),
    )
  })

  it('is ignored in a session', async () => {
    const { client } = await scripted({
      ...sessions(),
      [Method.ListTools]: { ...tools, resultType: 'other' },
    })
    expect(await client.listTools()).toEqual([])
  })
})
