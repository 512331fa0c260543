import { silent } from '@jetway-apps/test-support'
import { asks, elicit, elicitUrl, McpServer, UrlElicitationRequired } from '@jetway/core'
import type { JsonObject } from '@jetway/core/protocol'
import { describe, expect, it } from 'vitest'
import { memoryTransport } from '../src/matrix-transports.ts'
import { describeMatrix, SESSION_REVISIONS } from '../src/matrix.ts'
import type { RawResponse } from '../src/peer.ts'
import { HOST_TRANSPORTS } from './support/host-transports.ts'
import { requestInRounds } from './support/rounds.ts'
import { validateWire } from './support/wire.ts'

const capabilities = { elicitation: { form: {}, url: {} } }
const signIn = (): never => {
  throw new UrlElicitationRequired(
    elicitUrl('Sign in', (id) => `https://example.com/in?e=${id}`),
    elicitUrl('Agree to the terms', 'https://example.com/terms'),
  )
}

function createServer(): McpServer {
  const server = new McpServer({ name: 'test', version: '1' }, { logger: silent })
  server.addTool({ name: 'read_mail', handler: signIn })
  server.addTool({ name: 'guarded', handler: () => 'never' })
  server.addPrompt({ name: 'mail', handler: signIn })
  server.addResource({ uri: 'mail://inbox', name: 'inbox', handler: signIn })
  server.use('tools/call', (ctx, next) => (ctx.message.params?.['name'] === 'guarded' ? signIn() : next()))
  server.addTool({
    name: 'connect',
    asks: asks().ask('opened', () => elicitUrl('Sign in', (id) => `https://example.com/in?e=${id}`)),
    handler: () => 'sent there',
  })
  server.addTool({
    name: 'connect_now',
    handler: async (_args, ctx) =>
      JSON.stringify(await ctx.elicitUrl('Go', 'https://example.com', { declined: 'see' })),
  })
  return server
}

const ASKING: readonly (readonly [string, JsonObject])[] = [
  ['tools/call', { name: 'read_mail' }],
  ['tools/call', { name: 'guarded' }],
  ['prompts/get', { name: 'mail' }],
  ['resources/read', { uri: 'mail://inbox' }],
]

interface Asked {
  readonly mode: string
  readonly url: string
  readonly message: string
  readonly elicitationId: string
}

const elicitationsOf = ({ error }: RawResponse): readonly Asked[] =>
  (error?.data as { readonly elicitations: readonly Asked[] } | undefined)?.elicitations ?? []

const textOf = ({ result }: RawResponse): string =>
  (result?.['content'] as readonly { readonly text: string }[] | undefined)?.[0]?.text ?? ''

describeMatrix(
  'a URL that must be opened first',
  { transports: HOST_TRANSPORTS, revisions: ['2025-11-25'] },
  (cell) => {
    it.each(ASKING)('makes %s %j fail with an error that contains the URL', async (method, params) => {
      const connection = await cell.connect(createServer(), { capabilities })
      const response = await connection.request(method, params)
      const [first, second] = elicitationsOf(response)
      expect(response.error).toEqual({
        code: -32042,
        message: expect.stringMatching(/^[^\n]+$/) as string,
        data: {
          elicitations: [
            {
              mode: 'url',
              message: 'Sign in',
              url: `https://example.com/in?e=${first?.elicitationId}`,
              elicitationId: first?.elicitationId,
            },
            {
              mode: 'url',
              message: 'Agree to the terms',
              url: 'https://example.com/terms',
              elicitationId: second?.elicitationId,
            },
          ],
        },
      })
      expect(first?.elicitationId).toMatch(/^[\w-]{22}$/)
      expect(second?.elicitationId).not.toBe(first?.elicitationId)
      expect(validateWire('2025-11-25', response, { direction: 'server', method })).toEqual([])
    })

    it('is reported as complete once, and only to its session', async () => {
      const server = createServer()
      const connection = await cell.connect(server, { capabilities })
      const other = cell.transport === 'stdio' ? undefined : await cell.connect(server, { capabilities })
      await other?.request('tools/call', { name: 'read_mail' })
      const [first, second] = elicitationsOf(await connection.request('tools/call', { name: 'read_mail' }))
      for (const id of ['unknown', first?.elicitationId, first?.elicitationId, second?.elicitationId])
        server.completeElicitation(String(id))
      const last = await connection.notification(
        'notifications/elicitation/complete',
        ({ elicitationId }) => elicitationId === second?.elicitationId,
      )
      expect(validateWire('2025-11-25', last, { direction: 'server' })).toEqual([])
      const heard = connection.notifications.filter(({ method }) => method.includes('elicitation'))
      expect(heard.map(({ params }) => params)).toEqual([
        { elicitationId: first?.elicitationId },
        { elicitationId: second?.elicitationId },
      ])
      server.addTool({ name: 'last', handler: () => '' })
      await other?.notification('notifications/tools/list_changed')
      expect(other?.notifications.filter(({ method }) => method.includes('elicitation')) ?? []).toEqual([])
    })

    it('is reported as complete if it was sent as a question during a call', async () => {
      const server = createServer()
      const asked: JsonObject[] = []
      const connection = await cell.connect(server, {
        capabilities,
        onRequest: (_method, params = {}) => {
          asked.push(params)
          return { action: 'accept' }
        },
      })
      expect(textOf(await connection.request('tools/call', { name: 'connect' }))).toBe('sent there')
      const id = String(asked[0]?.['elicitationId'])
      expect(asked).toEqual([
        { mode: 'url', message: 'Sign in', url: `https://example.com/in?e=${id}`, elicitationId: id },
      ])
      server.completeElicitation(id)
      expect(await connection.notification('notifications/elicitation/complete')).toMatchObject({
        params: { elicitationId: id },
      })
    })
  },
)

describeMatrix(
  'a URL for a client without URL elicitation',
  { transports: HOST_TRANSPORTS, revisions: SESSION_REVISIONS },
  ({ revision, connect }) => {
    const plain = revision === '2025-11-25' ? { elicitation: {} } : capabilities

    it('is sent as text for the model, and is not reported as complete', async () => {
      const server = createServer()
      const connection = await connect(server, { capabilities: plain })
      for (const name of ['read_mail', 'guarded']) {
        const response = await connection.request('tools/call', { name })
        expect(response.result).toMatchObject({ isError: true })
        expect(textOf(response)).toMatch(
          /open a URL first[^]*Sign in: https:\/\/example\.com\/in\?e=[\w-]{22}\n/,
        )
        expect(validateWire(revision, response, { direction: 'server', method: 'tools/call' })).toEqual([])
      }
      const error = { code: -32600, message: expect.stringContaining('https://example.com/terms') as string }
      expect(await connection.request('prompts/get', { name: 'mail' })).toMatchObject({ error })
      expect(await connection.request('resources/read', { uri: 'mail://inbox' })).toMatchObject({ error })
      server.completeElicitation('id')
      server.addTool({ name: 'last', handler: () => '' })
      await connection.notification('notifications/tools/list_changed')
      expect(connection.notifications).toHaveLength(1)
    })
  },
)

/**
 * Plays the server behind the URL for every client: signs in the visitor, and reports that the elicitation is
 * complete.
 */
function createMailbox(): { readonly server: McpServer; readonly visit: (url: string) => void } {
  const server = new McpServer({ name: 'test', version: '1' }, { logger: silent })
  let open = false
  const mail = (): string => {
    if (open) return 'three mails'
    throw new UrlElicitationRequired(elicitUrl('Sign in', (id) => `https://example.com/in?e=${id}`))
  }
  server.addTool({ name: 'mail', handler: mail })
  server.addPrompt({ name: 'mail', handler: mail })
  server.addResource({ uri: 'mail://inbox', name: 'inbox', handler: mail })
  return {
    server,
    visit: (url) => {
      open = true
      server.completeElicitation(new URL(url).searchParams.get('e') ?? '')
    },
  }
}

const MAIL: readonly (readonly [string, JsonObject])[] = [
  ['tools/call', { name: 'mail' }],
  ['prompts/get', { name: 'mail' }],
  ['resources/read', { uri: 'mail://inbox' }],
]

const said = (response: RawResponse): string => JSON.stringify(response.result)

describeMatrix(
  'a URL that must be opened first, without a session',
  { transports: [memoryTransport, ...HOST_TRANSPORTS], revisions: ['2026-07-28'] },
  (cell) => {
    it.each(ASKING)(
      'is returned as an input request by %s %j (https://modelcontextprotocol.io/specification/2026-07-28/client/elicitation)',
      async (method, params) => {
        const connection = await cell.connect(createServer(), { capabilities })
        const response = await connection.request(method, params)
        expect(Object.values(response.result?.['inputRequests'] as object)).toEqual([
          {
            method: 'elicitation/create',
            params: {
              mode: 'url',
              message: 'Sign in',
              url: expect.stringMatching(/^https:\/\/example\.com\/in\?e=[\w-]{22}$/) as string,
            },
          },
          {
            method: 'elicitation/create',
            params: { mode: 'url', message: 'Agree to the terms', url: 'https://example.com/terms' },
          },
        ])
        expect(validateWire(cell.revision, response, { direction: 'server', method })).toEqual([])
      },
    )

    it.each(MAIL)('lets %s %j continue when the user has finished', async (method, params) => {
      const { server, visit } = createMailbox()
      const connection = await cell.connect(server, { capabilities })
      const response = await requestInRounds(connection, method, params, (_method, { url } = {}) => {
        // The user opens the URL while the client's answer is still on its way.
        setImmediate(() => visit(String(url)))
        return { action: 'accept' }
      })
      expect(said(response)).toContain('three mails')
      expect(validateWire(cell.revision, response, { direction: 'server', method })).toEqual([])
    })
  },
)

describeMatrix(
  'a URL that must be opened first, in a session',
  { transports: [memoryTransport, ...HOST_TRANSPORTS], revisions: ['2025-11-25'] },
  (cell) => {
    it.each(MAIL)('makes %s %j fail, and succeed when the client retries', async (method, params) => {
      const { server, visit } = createMailbox()
      const connection = await cell.connect(server, { capabilities })
      const [address] = elicitationsOf(await connection.request(method, params))
      visit(String(address?.url))
      await connection.notification('notifications/elicitation/complete')
      expect(said(await connection.request(method, params))).toContain('three mails')
    })
  },
)

describe('UrlElicitationRequired', () => {
  it('accepts one to sixteen URLs', () => {
    const url = elicitUrl('Go', 'https://example.com')
    expect(() => new UrlElicitationRequired()).toThrow(/ERR_MCP_INVALID_DEFINITION/)
    expect(() => new UrlElicitationRequired(url, elicit('?', { type: 'object', properties: {} }))).toThrow(
      /ERR_MCP_INVALID_DEFINITION/,
    )
    expect(() => new UrlElicitationRequired(...Array.from({ length: 17 }, () => url))).toThrow(/1 to 16/)
    expect(new UrlElicitationRequired(url)).toBeInstanceOf(Error)
  })
})
