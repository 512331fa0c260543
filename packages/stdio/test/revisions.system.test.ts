import { initialize, MODERN, requestMeta } from '@jetway-apps/test-support'
import { PassThrough } from 'node:stream'
import { McpServer } from '@jetway/core'
import type { RevisionDate } from '@jetway/core/protocol'
import { Client, type ClientOptions, type JSONRPCMessage, type Transport } from '@modelcontextprotocol/client'
import { describe, expect, it, onTestFinished } from 'vitest'
import { serveStdio } from '../src/index.ts'
import { Child } from './support/child.ts'

const META = requestMeta({}, MODERN)
const HELLO = initialize().params ?? {}

type Mode = NonNullable<NonNullable<ClientOptions['versionNegotiation']>['mode']>

/** Returns the client's end of a pair of line streams. */
class Lines implements Transport {
  onmessage?: Transport['onmessage']
  onclose?: () => void
  readonly #input: PassThrough
  readonly #output: PassThrough

  constructor(input: PassThrough, output: PassThrough) {
    this.#input = input
    this.#output = output
  }

  async start(): Promise<void> {
    let rest = ''
    this.#input.setEncoding('utf8').on('data', (text: string) => {
      const lines = (rest + text).split('\n')
      rest = lines.pop() ?? ''
      for (const line of lines) this.onmessage?.(JSON.parse(line) as JSONRPCMessage)
    })
  }

  async send(message: JSONRPCMessage): Promise<void> {
    this.#output.write(`${JSON.stringify(message)}\n`)
  }

  async close(): Promise<void> {
    this.#output.end()
    this.onclose?.()
  }
}

/** Connects the official client. Returns the revision and a tool's text, or the error. */
async function visit(mode: Mode, revisions: readonly RevisionDate[]): Promise<unknown> {
  const server = new McpServer({ name: 'fixture', version: '1.0.0' })
  server.addTool({ name: 'echo', handler: () => 'hello' })
  const [input, output] = [new PassThrough(), new PassThrough()]
  await serveStdio(server, { input, output, revisions, drainMs: 50 })
  onTestFinished(() => server.close({ deadline: 0 }))
  const client = new Client({ name: 'visitor', version: '1' }, { versionNegotiation: { mode } })
  onTestFinished(() => client.close())
  try {
    await client.connect(new Lines(output, input))
  } catch {
    return 'gives up'
  }
  const { content } = await client.callTool({ name: 'echo', arguments: {} })
  return [client.getNegotiatedProtocolVersion(), content]
}

const served = (revision: string): unknown => [revision, [{ type: 'text', text: 'hello' }]]

type Step = readonly [method: string, params: object | undefined, expected: object]

/** Sends requests to a single process in order, and compares each response with the expected one. */
async function converse(revisions: readonly RevisionDate[], steps: readonly Step[]): Promise<void> {
  const child = new Child({ revisions })
  for (const [id, [method, params, expected]] of steps.entries()) {
    child.write({ id, method, ...(params && { params }) })
    await child.until(() => child.lines.length > id)
    expect([method, child.messages[id]]).toMatchObject([method, { id, ...expected }])
  }
  child.process.stdin.end()
  expect((await child.exited).code).toBe(0)
  expect(child.lines).toHaveLength(steps.length)
}

const result = (more: object): object => ({ result: more })
const error = (code: number, data?: object): object => ({ error: { code, ...(data && { data }) } })
const call = { name: 'echo', arguments: { text: 'hello' } }
const hello = { content: [{ text: 'hello' }] }

// https://modelcontextprotocol.io/specification/2026-07-28/basic/versioning
describe('serveStdio with only revision 2026-07-28', () => {
  const revisions = [MODERN] as const

  it('serves official clients that probe for or require the revision, but not those that send initialize', async () => {
    expect(
      await Promise.all([
        visit('auto', revisions),
        visit({ pin: MODERN }, revisions),
        visit('legacy', revisions),
      ]),
    ).toEqual([served(MODERN), served(MODERN), 'gives up'])
  })

  it('responds to initialize with an error that lists its revisions, and then serves requests with metadata', async () => {
    const unsupported = error(-32022, { supported: [MODERN], requested: '2025-11-25' })
    await converse(revisions, [
      ['server/discover', { _meta: META }, result({ supportedVersions: [MODERN] })],
      ['initialize', HELLO, unsupported],
      ['initialize', { ...HELLO, protocolVersion: MODERN }, error(-32022, { supported: [MODERN] })],
      ['initialize', { ...HELLO, _meta: META }, error(-32601)],
      ['ping', undefined, error(-32602)],
      ['ping', { _meta: META }, error(-32601)],
      ['tools/call', call, error(-32602)],
      ['tools/call', { ...call, _meta: META }, result({ resultType: 'complete', ...hello })],
    ])
  })
})

describe('serveStdio with only revisions that use sessions', () => {
  const revisions = ['2025-11-25', '2025-06-18'] as const

  it('serves only official clients that send initialize, whether or not they probe first', async () => {
    expect(
      await Promise.all([
        visit('legacy', revisions),
        visit('auto', revisions),
        visit({ pin: MODERN }, revisions),
      ]),
    ).toEqual([served('2025-11-25'), served('2025-11-25'), 'gives up'])
  })

  it('responds to a probe with an error, and can then open a session', async () => {
    await converse(revisions, [
      ['server/discover', { _meta: META }, error(-32600)],
      ['tools/call', { ...call, _meta: META }, error(-32600)],
      ['initialize', { ...HELLO, protocolVersion: MODERN }, result({ protocolVersion: '2025-11-25' })],
      ['tools/call', call, result(hello)],
      ['server/discover', { _meta: META }, error(-32601)],
      ['ping', undefined, result({})],
    ])
  })
})
