import { REVISIONS } from '@jetway/core/protocol'
import { describe, expect, it } from 'vitest'
import { Client } from '../../src/client/client.ts'
import type { ClientOptions } from '../../src/options/options.ts'
import { Method } from '../support/dates.ts'
import { INFO, metaOf, modern, scripted, ScriptedServer, sessions } from '../support/scripted.ts'

const LEGACY = REVISIONS.filter(({ era }) => era === 'legacy').map(({ version }) => version)
const MODERN = REVISIONS.filter(({ era }) => era === 'modern').map(({ version }) => version)

/** Resolves to the error of a client that connects to a server with this script. */
const refused = (script: ConstructorParameters<typeof ScriptedServer>[0], options: ClientOptions) =>
  new Client(INFO, options).connect(new ScriptedServer(script).transport).then(
    () => expect.fail('connected'),
    (error: unknown) => error,
  )

describe('connect without a common protocol version', () => {
  const offers = Array.from({ length: 9 }, (_, at) => `1999-01-0${at + 1}`)

  it('rejects with all versions that the server supports, but lists only eight in the message', async () => {
    expect(await refused(modern(offers), { revisions: MODERN })).toMatchObject({
      code: 'unsupported-revision',
      offered: offers,
      message: `No common protocol version: the server speaks ${offers.slice(0, 8).join(', ')}, this client ${MODERN.join(', ')}`,
    })
  })

  it.each([
    ['x'.repeat(65), ['x'.repeat(64)], 'x'.repeat(64)],
    [5, [], 'no known version'],
    [undefined, [], 'no known version'],
  ])('rejects the version %j in the response to initialize', async (protocolVersion, offered, theirs) => {
    const script = {
      ...sessions(),
      [Method.Initialize]: { protocolVersion, capabilities: {}, serverInfo: {} },
    }
    expect(await refused(script as never, { revisions: LEGACY })).toMatchObject({
      offered,
      message: `No common protocol version: the server speaks ${theirs}, this client ${LEGACY.join(', ')}`,
    })
  })

  it.each([
    [-32022, { supported: ['1999-01-01', 5] }, { code: 'unsupported-revision', offered: ['1999-01-01'] }],
    [-32022, { supported: '1999-01-01' }, { code: 'unsupported-revision', offered: [] }],
    [-32022, undefined, { code: 'unsupported-revision', offered: [] }],
    [-32600, { supported: ['1999-01-01'] }, { code: -32600, message: 'No' }],
  ])('rejects after error %i with %j', async (code, data, expected) => {
    const script = { [Method.Discover]: { error: { code, message: 'No', data } } }
    expect(await refused(script as never, { revisions: MODERN })).toMatchObject(expected)
  })

  it.each([[undefined], ['2026-07-28'], [[5]]])(
    "rejects with invalid-response if the server's versions are %j",
    async (supportedVersions) => {
      const script = { [Method.Discover]: { supportedVersions } }
      expect(await refused(script as never, { revisions: MODERN })).toMatchObject({
        code: 'invalid-response',
      })
    },
  )
})

describe('client.server.info', () => {
  const named = { name: 'named', version: '1' }

  it.each([
    [
      "read from the result's metadata",
      { _meta: { 'io.modelcontextprotocol/serverInfo': named }, serverInfo: INFO },
      named,
    ],
    [
      'read from the result',
      { _meta: { 'io.modelcontextprotocol/serverInfo': { name: 1 } }, serverInfo: named },
      named,
    ],
    ['undefined if it is incomplete', { serverInfo: { version: '1' } }, undefined],
    ['undefined if it is a string', { serverInfo: 'named' }, undefined],
  ])('is %s', async (_, more, info) => {
    const script = { [Method.Discover]: { supportedVersions: ['2026-07-28'], instructions: 5, ...more } }
    const { client } = await scripted(script)
    expect(client.server).toEqual({
      protocolVersion: '2026-07-28',
      info,
      capabilities: {},
      instructions: undefined,
    })
  })
})

describe('client capabilities', () => {
  const elicit = (): { action: 'cancel' } => ({ action: 'cancel' })
  const sample = (): never => expect.fail('asked')
  const roots = { roots: [] }
  const tools = { sampling: { tools: {} } }
  const extensions = { 'com.example/x': {} }
  const tasks = { 'io.modelcontextprotocol/tasks': {} }

  it.each<[string, ClientOptions, object]>([
    ['2025-11-25', { handlers: { elicit } }, { elicitation: { form: {} } }],
    ['2025-11-25', { handlers: { elicitUrl: elicit } }, { elicitation: { url: {} } }],
    ['2025-11-25', { handlers: { elicit, elicitUrl: elicit } }, { elicitation: { form: {}, url: {} } }],
    ['2025-06-18', { handlers: { elicit, elicitUrl: elicit } }, { elicitation: {} }],
    ['2025-06-18', { handlers: { elicitUrl: elicit } }, {}],
    ['2025-03-26', { handlers: { elicit } }, {}],
    ['2025-11-25', { handlers: { sample }, capabilities: tools }, { sampling: { tools: {} } }],
    ['2025-11-25', { handlers: { sample } }, { sampling: {} }],
    ['2025-06-18', { handlers: { sample }, capabilities: tools }, { sampling: {} }],
    ['2025-11-25', { capabilities: tools }, {}],
    ['2025-11-25', { handlers: roots }, { roots: { listChanged: true } }],
    ['2026-07-28', { handlers: roots }, { roots: {} }],
    ['2025-11-25', { capabilities: { experimental: { a: {} } } }, { experimental: { a: {} } }],
    ['2025-11-25', { capabilities: { extensions } }, { extensions }],
    ['2025-11-25', { tasks: true }, {}],
    ['2026-07-28', { tasks: true }, { extensions: tasks }],
    [
      '2026-07-28',
      { tasks: true, capabilities: { extensions } },
      { extensions: { ...tasks, ...extensions } },
    ],
    ['2026-07-28', {}, {}],
  ])('given revision %s and the options %j, are %j', async (version, options, expected) => {
    const { server } = await scripted(
      { ...sessions(version), ...modern() },
      { revisions: [version] as never, ...options },
    )
    const [first] = server.heard
    const declared =
      first?.['method'] === Method.Initialize
        ? (first['params'] as { capabilities: unknown }).capabilities
        : metaOf(first)['io.modelcontextprotocol/clientCapabilities']
    expect(declared).toEqual(expected)
  })
})
