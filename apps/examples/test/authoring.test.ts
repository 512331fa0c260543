import type { AuthInfo, McpServer } from '@jetway/core'
import type { JsonObject } from '@jetway/core/protocol'
import type { RawResponse, TestConnection } from '@jetway/testing'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { server as shop, served } from '../src/server/middleware.ts'
import { server as desk } from '../src/prompts/prompts.ts'
import { redraft, server as notes, watched, write } from '../src/server/resources.ts'
import { server as results } from '../src/tools/results.ts'
import { expectStderr, peerOf } from './support.ts'

async function connect(server: McpServer, auth?: AuthInfo): Promise<TestConnection> {
  const client = await peerOf(server, { revision: '2025-11-25' }, auth && { auth })
  onTestFinished(() => client.close())
  return client
}

const ask = async (server: McpServer, method: string, params?: JsonObject): Promise<RawResponse> =>
  (await connect(server)).request(method, params)

describe('notes in the resources guide', () => {
  const read = (uri: string): Promise<RawResponse> => ask(notes, 'resources/read', { uri })

  it('include a static resource that returns JSON', async () => {
    expect((await read('notes://authors')).result).toEqual({
      contents: [{ uri: 'notes://authors', mimeType: 'application/json', text: '["ann","bob"]' }],
    })
  })

  it('can be read, listed and completed through a template, which reports an error for unknown notes', async () => {
    expect((await read('notes://ann/later')).result).toMatchObject({
      contents: [{ mimeType: 'text/markdown', text: '# Later\n\nRead.' }],
    })
    expect((await read('notes://ann/never')).error?.code).toBe(-32002)
    const { result: list } = await ask(notes, 'resources/list')
    expect((list as { resources: { uri: string }[] }).resources.map(({ uri }) => uri)).toContain(
      'notes://bob/today',
    )
    const { result } = await ask(notes, 'completion/complete', {
      ref: { type: 'ref/resource', uri: 'notes://{author}/{note}' },
      argument: { name: 'author', value: 'a' },
    })
    expect(result).toMatchObject({ completion: { values: ['ann'] } })
  })

  it('can be exported as several contents, each with its own URI', async () => {
    expect((await read('notes://export')).result).toMatchObject({
      contents: [{ uri: 'notes://export' }, { uri: 'notes://export/shelf', blob: 'R0lG' }],
    })
  })

  it('notify a subscriber of a change', async () => {
    const client = await connect(notes)
    await client.request('resources/subscribe', { uri: 'notes://ann/today' })
    write('ann', 'today', '# Today\n\nDone.')
    const heard = await client.notification('notifications/resources/updated')
    expect(heard.params).toEqual({ uri: 'notes://ann/today' })
  })

  it('include drafts, which are watched for changes only while a client is subscribed', async () => {
    const client = await connect(notes)
    await client.request('resources/subscribe', { uri: 'drafts://ann' })
    await vi.waitFor(() => expect([...watched]).toEqual(['drafts://ann']))
    redraft('ann', 'poem')
    const heard = await client.notification('notifications/resources/updated')
    expect(heard.params).toEqual({ uri: 'drafts://ann/poem' })
    await client.request('resources/unsubscribe', { uri: 'drafts://ann' })
    await vi.waitFor(() => expect(watched.size).toBe(0))
  })
})

describe('prompts in the prompts guide', () => {
  const get = (name: string, args: JsonObject): Promise<RawResponse> =>
    ask(desk, 'prompts/get', { name, arguments: args })
  const user = (text: string): object => ({ messages: [{ role: 'user', content: { type: 'text', text } }] })

  it('return a string as a single user message, with validated and transformed arguments', async () => {
    expect((await get('summarise', { text: 'Long.', words: '7' })).result).toMatchObject(
      user('Summarise this in at most 7 words:\n\nLong.'),
    )
    expect((await get('summarise', { text: 'Long.', words: 'few' })).error?.code).toBe(-32602)
    expect((await get('summarise', {})).error?.code).toBe(-32602)
  })

  it('return several messages with roles and content', async () => {
    const { result } = await get('review', { diff: '+a' })
    expect(result).toMatchObject({
      description: 'A review that begins with the risks',
      messages: [
        { role: 'user' },
        { role: 'user', content: { type: 'resource', resource: { uri: 'review://diff', text: '+a' } } },
        { role: 'assistant' },
      ],
    })
  })

  it('complete an optional argument', async () => {
    expect((await get('translate', { text: 'Hund' })).result).toMatchObject(
      user('Translate into English:\n\nHund'),
    )
    const { result } = await ask(desk, 'completion/complete', {
      ref: { type: 'ref/prompt', name: 'translate' },
      argument: { name: 'language', value: 'Es' },
    })
    expect(result).toMatchObject({ completion: { values: ['Esperanto', 'Estonian'] } })
  })
})

describe('tools in the guide to results and errors', () => {
  const call = (name: string, args: JsonObject = {}): Promise<RawResponse> =>
    ask(results, 'tools/call', { name, arguments: args })
  const text = (value: string): object => ({ content: [{ type: 'text', text: value }] })

  it('return plain values as text, as JSON or as empty content', async () => {
    expect((await call('text')).result).toEqual(text('a string is text'))
    expect((await call('json')).result).toEqual(text('[1,2,3]'))
    expect((await call('nothing')).result).toEqual({ content: [] })
  })

  it('return structured content with its JSON as text', async () => {
    expect((await call('measure', { text: 'a\nb' })).result).toEqual({
      ...text('{"characters":3,"lines":2}'),
      structuredContent: { characters: 3, lines: 2 },
    })
  })

  it('return content blocks and whole results unchanged', async () => {
    expect((await call('chart')).result).toMatchObject({
      content: [{ type: 'text' }, { type: 'image', data: 'R0lG' }, { type: 'resource_link', name: 'sales' }],
    })
    expect((await call('forecast')).result).toEqual({
      ...text('Sunny, up to 21 degrees.'),
      structuredContent: { high: 21 },
      _meta: { 'com.example/station': 'north' },
    })
  })

  it('report a tool error to the model, but hide the message of an unexpected error', async () => {
    expect((await call('divide', { a: 1, b: 0 })).result).toEqual({
      ...text('b must not be 0: choose another divisor'),
      isError: true,
    })
    expect((await call('legacy')).error).toMatchObject({ code: -32602, data: { use: 'divide' } })
    const logged = expectStderr()
    const { result } = await call('broken')
    expect(result).toMatchObject({ isError: true })
    expect(JSON.stringify(result)).not.toContain('10.0.0.7')
    expect(logged()).toEqual([expect.stringContaining('10.0.0.7')])
  })
})

describe('the shop in the middleware guide', () => {
  const call = async (name: string, auth?: AuthInfo): Promise<RawResponse> =>
    (await connect(shop, auth)).request('tools/call', { name })

  it('passes locals from middleware to the handler, and extends the result in call middleware', async () => {
    expect((await call('greet', { principal: 'ada' })).result).toEqual({
      content: [{ type: 'text', text: 'Hello, ada' }],
      _meta: { 'com.example/served-by': 'north' },
    })
  })

  it('refuses the requests of one caller in middleware', async () => {
    const answers = []
    for (let count = 0; count < 4; count++) answers.push(await call('greet', { principal: 'bob' }))
    expect(answers.map(({ error }) => error?.message)).toEqual([
      undefined,
      undefined,
      undefined,
      'No calls are left for today',
    ])
    expect((await call('greet', { principal: 'eve' })).error).toBeUndefined()
  })

  it('shows a tool only to authorized callers', async () => {
    const clerk = { principal: 'clerk', scopes: ['refund'] }
    const names = async (auth?: AuthInfo): Promise<string[]> => {
      const { result } = await (await connect(shop, auth)).request('tools/list')
      return (result as { tools: { name: string }[] }).tools.map(({ name }) => name)
    }
    expect(await names(clerk)).toEqual(['greet', 'refund'])
    expect(await names()).toEqual(['greet'])
    expect((await call('refund', clerk)).result).toMatchObject({ content: [{ text: 'Refunded' }] })
    expect((await call('refund', { principal: 'dan' })).error).toMatchObject({ code: -32602 })
  })

  it('reports the outcome of each request to a listener', async () => {
    await call('greet', { principal: 'fay' })
    expect(served.at(-1)).toMatch(/^tools\/call greet: ok after \d+ ms$/)
  })
})
