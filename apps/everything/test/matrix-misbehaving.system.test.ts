import { callTool, request } from '@jetway-apps/test-support'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { MISBEHAVING } from '../src/misbehaving.ts'
import { HTTP_TRANSPORTS, listen, type Listening } from './support/processes.ts'
import { type Message, RawClient } from './support/raw-http.ts'
import { RawStdio } from './support/raw-stdio.ts'

interface Case {
  readonly name: string
  readonly method: string
  readonly params: Readonly<Record<string, unknown>>
}

/** Every mistake made by a tool, a tool with an output schema, a resource and a prompt. */
const CASES: readonly Case[] = MISBEHAVING.flatMap((deed) => [
  { name: `a tool that ${deed}`, method: 'tools/call', params: { name: deed, arguments: {} } },
  { name: `a tool with a schema that ${deed}`, method: 'tools/call', params: { name: `${deed}_for_schema` } },
  { name: `a resource that ${deed}`, method: 'resources/read', params: { uri: `misbehaving://${deed}` } },
  {
    name: `a prompt that ${deed}`,
    method: 'prompts/get',
    params: { name: 'misbehaving', arguments: { deed } },
  },
])

/** Mistakes that may have a successful response, because JSON can express the value. */
const HARMLESS = new Set([
  'a tool that returns_undefined',
  ...['returns_nan'].flatMap((deed) => [`a tool that ${deed}`, `a resource that ${deed}`]),
  ...[
    'writes_to_stdout',
    'returns_thenable_that_settles_twice',
    'returns_lone_surrogate',
    'reports_after_its_end',
  ]
    .concat('reports_nonsense', 'logs_nonsense', 'logs_bigint')
    .flatMap((deed) => [`a tool that ${deed}`, `a resource that ${deed}`, `a prompt that ${deed}`]),
])

/** Checks the rules that apply to every response. */
function expectWellFormed({ name, method }: Case, answer: Message): void {
  expect(answer.jsonrpc).toBe('2.0')
  const { result, error } = answer
  expect([result, error].filter((part) => part !== undefined)).toHaveLength(1)
  const text = JSON.stringify(answer)
  expect(text).not.toContain('hunter2')
  expect(text).not.toMatch(/\.ts:\d|\bat \w+ \(/)
  if (error !== undefined) {
    expect(error.code).toSatisfy(Number.isInteger)
    expect(error.message).toEqual(expect.stringMatching(/./))
  }
  if (HARMLESS.has(name)) expect(error).toBeUndefined()
  else if (method === 'tools/call')
    expect(result).toMatchObject({ isError: true, content: [{ type: 'text' }] })
  else expect(error).toMatchObject({ code: name.includes('returns_undefined') ? expect.any(Number) : -32603 })
}

/** Checks the messages before the response. */
function expectNotice({ method, params }: Message, token: string): void {
  expect(['notifications/progress', 'notifications/message']).toContain(method)
  if (method === 'notifications/progress') {
    expect(params?.['progressToken']).toBe(token)
    expect(params?.['progress']).toSatisfy(Number.isFinite)
    if (params?.['total'] !== undefined) expect(params['total']).toSatisfy(Number.isFinite)
    if (params?.['message'] !== undefined) expect(params['message']).toEqual(expect.any(String))
  } else {
    expect(params).toHaveProperty('data')
    expect(params?.['level']).toBe('error')
    if (params?.['logger'] !== undefined) expect(params['logger']).toEqual(expect.any(String))
  }
}

const requestOf = ({ name, method, params }: Case): { id: string; [member: string]: unknown } =>
  request(method, { ...params, _meta: { progressToken: name } }, name)

it('covers 22 mistakes in 4 kinds of handlers', () => {
  expect([MISBEHAVING.length, CASES.length]).toEqual([22, 88])
})

describe.each(HTTP_TRANSPORTS)('over %s', (transport) => {
  let server: Listening
  let client: RawClient

  beforeAll(async () => {
    server = await listen(transport, '--misbehaving')
    client = new RawClient(server.url)
    await client.initialize()
  })
  afterAll(async () => {
    client?.close()
    await server?.stop()
  })

  it.concurrent.each(CASES)('$name produces exactly one well-formed response', async (one) => {
    const { status, messages } = await client.post(requestOf(one))
    expect(status).toBe(200)
    for (const message of messages.slice(0, -1)) expectNotice(message, one.name)
    const answer = messages.at(-1) ?? {}
    expect(answer.id).toBe(one.name)
    expectWellFormed(one, answer)
  })

  it('does not repeat responses on the GET stream', async () => {
    const stream = await client.listen()
    for (const one of CASES) await client.post(requestOf(one))
    expect(await stream.end()).toEqual([])
  })

  it('still responds to other clients', async () => {
    const call = callTool('echo', { text: 'hello' })
    const { messages } = await client.post(call)
    expect(messages).toMatchObject([{ id: 1, result: { content: [{ text: 'hello' }] } }])
  })
})

describe('over stdio', () => {
  const answers = new Map<string, Message>()
  let server: RawStdio
  let code: number | null

  beforeAll(async () => {
    server = new RawStdio('--misbehaving')
    await server.initialize()
    const asked = CASES.map(async (one) => {
      answers.set(one.name, await server.ask(requestOf(one)))
    })
    await Promise.all(asked)
    code = await server.end()
  })
  afterAll(() => server?.kill())

  it.each(CASES)('$name produces exactly one well-formed response', (one) => {
    const messages = server.lines.map((line) => JSON.parse(line) as Message)
    expect(messages.filter(({ id }) => id === one.name)).toHaveLength(1)
    expectWellFormed(one, answers.get(one.name) ?? {})
  })

  it('sends only well-formed messages', () => {
    const messages = server.lines.map((line) => JSON.parse(line) as Message)
    for (const message of messages.filter(({ id }) => id === undefined)) {
      expectNotice(message, String(message.params?.['progressToken']))
    }
  })

  it('writes only protocol messages to stdout, and all other output to stderr', () => {
    for (const line of server.lines) expect(JSON.parse(line)).toMatchObject({ jsonrpc: '2.0' })
    expect(server.stderr).toContain('a stray line')
    expect(server.stderr).toContain('and a stray piece without an end')
  })

  it('exits with code 0 when its input ends', () => expect(code).toBe(0))
})
