import type { FormSchema, JsonObject } from '@jetway/core/protocol'
import { describe, expect, it } from 'vitest'
import { readFormContent } from '../../src/input/form-content.ts'
import { checkSampleRequest } from '../../src/input/sampling.ts'
import { UrlCompletions } from '../../src/input/url-completions.ts'
import { isWebUrl } from '../../src/input/url-elicitation.ts'
import { Method } from '../support/dates.ts'
import { modern, scripted } from '../support/scripted.ts'

describe('readFormContent', () => {
  const properties = {
    text: { type: 'string', default: 'none' },
    size: { type: 'number' },
    count: { type: 'integer', default: 0 },
    yes: { type: 'boolean', default: false },
    odd: { type: 'object' },
  }
  const form = { type: 'object', properties, required: [] } as unknown as FormSchema

  it.each<[JsonObject, JsonObject]>([
    [{}, {}],
    [
      { size: ' -1.5e2 ', count: '+7' },
      { size: -150, count: 7 },
    ],
    [{ size: '.5' }, { size: 0.5 }],
    [{ size: '5.' }, { size: 5 }],
    [{ yes: 'true' }, { yes: true }],
    [
      { yes: 'false', text: 'true' },
      { yes: false, text: 'true' },
    ],
    [{ text: '5' }, { text: '5' }],
    [
      { odd: '5', more: 'x' },
      { odd: '5', more: 'x' },
    ],
  ])('converts %j to %j, and adds defaults', async (content, expected) => {
    expect(await readFormContent(form, content)).toEqual({
      ok: true,
      content: { text: 'none', count: 0, yes: false, ...expected },
    })
  })

  it.each<[JsonObject, string]>([
    [{ size: 'five' }, 'size '],
    [{ size: '' }, 'size '],
    [{ size: '1e999' }, 'size '],
    [{ yes: 'maybe' }, 'yes '],
    [{ count: '1.5' }, 'count '],
  ])('rejects %j', async (content, problem) => {
    expect(await readFormContent(form, content)).toMatchObject({
      ok: false,
      problem: expect.stringContaining(problem) as string,
    })
  })

  it.each([
    [{ type: 'object' }, 'the form has no properties'],
    [{ type: 'object', properties: { a: 5 } }, 'the field "a" is malformed'],
  ])('rejects the form %j', async (malformed, problem) => {
    expect(await readFormContent(malformed as unknown as FormSchema, {})).toEqual({ ok: false, problem })
  })

  it('rejects a form whose pattern takes too many steps', async () => {
    const costly = { type: 'object', properties: { a: { type: 'string', pattern: '^(?:x{1,99}){1,99}y$' } } }
    expect(await readFormContent(costly as unknown as FormSchema, { a: 'x'.repeat(5_000) })).toMatchObject({
      ok: false,
    })
  })
})

describe('checkSampleRequest', () => {
  const text = { type: 'text', text: 'Hi' }
  const use = (id: string): object => ({ type: 'tool_use', id })
  const outcome = (toolUseId: string): object => ({ type: 'tool_result', toolUseId })
  const MISSING = 'the message after a tool use must have its result'
  const MIXED = 'a message with tool results must not have other content'
  const ALONE = 'a tool result needs its tool use in the message before'

  it.each<[string, unknown[], string | undefined]>([
    ['a text block', [text], undefined],
    ['a list of text blocks', [[text, text]], undefined],
    ['a tool use and its result', [use('a'), outcome('a')], undefined],
    [
      'two tool uses and their results',
      [
        [use('a'), text, use('b')],
        [outcome('b'), outcome('a')],
      ],
      undefined,
    ],
    ['a final tool use', [use('a')], MISSING],
    ['a tool use without a result', [use('a'), text], MISSING],
    ['a tool use with the result of another', [use('a'), outcome('b')], MISSING],
    ['two tool uses and one result', [[use('a'), use('b')], outcome('a')], MISSING],
    ['one tool use and two results', [use('a'), [outcome('a'), outcome('b')]], MISSING],
    ['a tool result in the first message', [outcome('a')], ALONE],
    ['a tool result after a text block', [text, outcome('a')], ALONE],
    ['a tool result beside a text block', [use('a'), [outcome('a'), text]], MIXED],
  ])('accepts or rejects %s', (_, contents, problem) => {
    const messages = contents.map((content) => ({ role: 'user', content }))
    const check = (): void => checkSampleRequest({ messages, maxTokens: 1 }, false)
    if (problem === undefined) expect(check).not.toThrow()
    else expect(check).toThrow(problem)
  })

  it.each<[JsonObject, boolean, string | undefined]>([
    [{ messages: [] }, true, 'sampling/createMessage needs messages and maxTokens'],
    [{ messages: {}, maxTokens: 1 }, true, 'sampling/createMessage needs messages and maxTokens'],
    [{ messages: [], maxTokens: 1, tools: [] }, false, 'this client does not sample with tools'],
    [{ messages: [], maxTokens: 1, toolChoice: {} }, false, 'this client does not sample with tools'],
    [{ messages: [], maxTokens: 1, tools: [], toolChoice: {} }, true, undefined],
  ])('given %j and offersTools %j, accepts or rejects the request', (params, offersTools, problem) => {
    const check = (): void => checkSampleRequest(params, offersTools)
    if (problem === undefined) expect(check).not.toThrow()
    else expect(check).toThrow(problem)
  })
})

it.each([
  ['https://a.example/', true],
  ['http://a.example/', true],
  ['ftp://a.example/', false],
  ['https://a.example/\u200B', false],
  ['https://a.example/ b', false],
  ['a.example', false],
  [5, false],
])('isWebUrl(%j) returns %j', (url, expected) => {
  expect(isWebUrl(url)).toBe(expected)
})

it('UrlCompletions remembers 1,024 open URLs, and evicts the oldest first', () => {
  const completions = new UrlCompletions()
  for (let at = 0; at < 1_025; at++) completions.add(`${at}`)
  expect(['0', '1', '1', '1024'].map((id) => completions.complete(id))).toEqual([false, true, false, true])
})

describe('an input_required result', () => {
  const asking = (result: JsonObject) =>
    scripted({ ...modern(), [Method.CallTool]: { resultType: 'input_required', ...result } })
  const requests = (count: number): JsonObject =>
    Object.fromEntries(Array.from({ length: count }, (_, at) => [`r${at}`, { method: 'roots/list' }]))

  it.each<[string, JsonObject, string]>([
    ['neither requests nor state', {}, 'it requires input, but has no inputRequests and no requestState'],
    ['a state that is not a string', { requestState: 5 }, 'its requestState is not a string'],
    ['a list of requests', { inputRequests: [] }, 'its inputRequests are not an object'],
    ['a request without a method', { inputRequests: { a: {} } }, 'its input request "a" is malformed'],
    ['a null request', { inputRequests: { a: null } }, 'its input request "a" is malformed'],
    [
      'a list of parameters',
      { inputRequests: { a: { method: 'roots/list', params: [] } } },
      'its input request "a" is malformed',
    ],
    ['65 requests', { inputRequests: requests(65) }, 'it has more than 64 input requests'],
  ])('is malformed if it contains %s', async (_, result, problem) => {
    const { client } = await asking(result)
    await expect(client.callTool('x')).rejects.toThrow(`The answer to tools/call is malformed: ${problem}`)
  })

  it('may contain up to 64 requests', async () => {
    const { client } = await asking({ inputRequests: requests(64) })
    await expect(client.callTool('x')).rejects.toMatchObject({
      code: 'input-unavailable',
      message: 'The server asked for input and got none: This client does not handle that method',
    })
  })

  it('without requests makes the client retry the call with only the state', async () => {
    let calls = 0
    const { client, server } = await scripted({
      ...modern(),
      [Method.CallTool]: () =>
        calls++ === 0 ? { resultType: 'input_required', requestState: 's' } : { content: [] },
    })
    expect(await client.callTool('x')).toEqual({ content: [] })
    const sent = server.of(Method.CallTool).map(({ params }) => params as JsonObject)
    expect(sent[1]).toMatchObject({ requestState: 's' })
    expect(sent[1]).not.toHaveProperty('inputResponses')
  })
})
