import { describe, expect, it } from 'vitest'
import { ofEra, REVISIONS } from '../../src/protocol/revisions/index.ts'
import {
  answerInitialize,
  type InitializeInput,
  type InitializeResult,
} from '../../src/session/initialize.ts'
import { createTestRuntime } from '../support/runtime.ts'

const VERSION = { protocolVersion: '2025-11-25' }
const CAPABILITIES = {
  tools: { listChanged: true },
  prompts: {},
  resources: { listChanged: true },
  tasks: {},
}

function answer(
  params: object | undefined,
  change: Partial<InitializeInput> = {},
): Promise<InitializeResult> {
  const runtime = createTestRuntime({}, { capabilities: () => CAPABILITIES })
  return answerInitialize(runtime, {
    served: ofEra('legacy', REVISIONS),
    message: { jsonrpc: '2.0', id: 1, method: 'initialize', ...(params && { params: params as never }) },
    principal: '',
    id: 'id',
    ...change,
  })
}

const resultOf = ({ frame }: InitializeResult): object => (JSON.parse(frame) as { result: object }).result

describe('initialize', () => {
  it.each([
    ['missing parameters', undefined, 'initialize needs params.protocolVersion, a string'],
    ['a numeric version', { protocolVersion: 1 }, 'initialize needs params.protocolVersion, a string'],
    [
      'capabilities that are an array',
      { ...VERSION, capabilities: [] },
      'params.capabilities must be an object',
    ],
    ['client info that is a string', { ...VERSION, clientInfo: 'c' }, 'params.clientInfo must be an object'],
  ])('rejects %s', async (_what, params, message) => {
    const { error, frame, record } = await answer(params)
    expect([error?.message, record]).toEqual([message, undefined])
    expect(JSON.parse(frame)).toMatchObject({ id: 1, error: { code: -32602, message } })
  })

  it('records the client, and the lists whose changes the client is notified about', async () => {
    const clientInfo = { name: 'c', version: '1', icons: [{ src: 'data:,' }] }
    const result = await answer({ ...VERSION, capabilities: { roots: {} }, clientInfo })
    expect(result.record).toEqual({
      id: 'id',
      principal: '',
      revision: '2025-11-25',
      client: { capabilities: { roots: {} }, info: clientInfo },
      initialized: false,
      createdAt: 1_000_000,
      listChanged: ['tools', 'resources'],
      subscriptions: [],
    })
    expect(result).toMatchObject({ revision: { version: '2025-11-25' } })
    expect((await answer(VERSION)).record?.client).toEqual({ capabilities: {} })
  })

  it.each([
    ['of the maximum size', true, 0, 0],
    ['one character over the maximum', false, 1, 0],
    ['of the maximum size without its icons', true, 0, 9],
    ['over the maximum without its icons', false, 1, 9],
  ])(
    'stores client info up to the maximum size, and otherwise returns an error: %s (stored: %s)',
    async (_what, kept, more, icons) => {
      const info = { name: '', version: '' }
      const size = JSON.stringify({ capabilities: {}, info }).length
      info.name = 'x'.repeat(16_384 - size + more)
      const clientInfo = icons === 0 ? info : { ...info, icons: [{ src: 'y'.repeat(icons) }] }
      const { record, error } = await answer({ ...VERSION, clientInfo })
      expect(record?.client.info).toEqual(kept ? info : undefined)
      expect(error?.message).toBe(
        kept ? undefined : 'params.capabilities and params.clientInfo are too large',
      )
    },
  )

  it.each([
    ['an anonymous client', true, {}],
    ['a principal without a session', true, { id: '', principal: 'ann' }],
    ['an anonymous client without a session', false, { id: '' }],
  ])(
    'offers tasks only to clients that can be identified: %s (offered: %s)',
    async (_what, offered, change) => {
      const result = resultOf(await answer(VERSION, change)) as { readonly capabilities: object }
      expect('tasks' in result.capabilities).toBe(offered)
    },
  )

  it('can create a session id that depends on the negotiated revision', async () => {
    const { record } = await answer(VERSION, { id: async ({ revision }) => `of ${revision}` })
    expect(record?.id).toBe('of 2025-11-25')
  })

  it('returns an error with the supported versions if the server has no sessions', async () => {
    const { error } = await answer(VERSION, { served: [] })
    expect(error).toMatchObject({ code: -32022, data: { requested: '2025-11-25' } })
  })
})
