import { asks, elicit, elicitUrl, McpServer, UrlElicitationRequired } from '@jetway/core'
import type { JsonObject } from '@jetway/core/protocol'
import { describe, expect, it } from 'vitest'
import { describeMatrix, SESSION_REVISIONS } from '../src/matrix.ts'
import type { RawResponse } from '../src/peer.ts'
import { HOST_DOORS } from './support/host-doors.ts'
import { validateWire } from './support/wire.ts'

const silent = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} }
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
  'an address that has to be opened first',
  { doors: HOST_DOORS, revisions: ['2025-11-25'] },
  (cell) => {
    it.each(ASKING)('ends %s %j with the error that names it', async (method, params) => {
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

    it('is told to be done to the session that was asked, once, and to no other', async () => {
      const server = createServer()
      const connection = await cell.connect(server, { capabilities })
      const other = cell.door === 'stdio' ? undefined : await cell.connect(server, { capabilities })
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

    it('is told to be done after a question in the middle of a call as well', async () => {
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

    it('can be asked in the middle of a handler, and a decline be seen', async () => {
      const connection = await cell.connect(createServer(), {
        capabilities,
        onRequest: () => ({ action: 'decline' }),
      })
      expect(textOf(await connection.request('tools/call', { name: 'connect_now' }))).toBe(
        '{"action":"decline"}',
      )
    })
  },
)

describeMatrix(
  'an address, to a client that opens none,',
  { doors: HOST_DOORS, revisions: SESSION_REVISIONS },
  ({ revision, connect }) => {
    const plain = revision === '2025-11-25' ? { elicitation: {} } : capabilities

    it('is a text that the model reads, and nobody is told of its end', async () => {
      const server = createServer()
      const connection = await connect(server, { capabilities: plain })
      for (const name of ['read_mail', 'guarded']) {
        const response = await connection.request('tools/call', { name })
        expect(response.result).toMatchObject({ isError: true })
        expect(textOf(response)).toMatch(
          /open an address first[^]*Sign in: https:\/\/example\.com\/in\?e=[\w-]{22}\n/,
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

describe('what must be opened first', () => {
  it('is nothing but addresses, one to sixteen', () => {
    const url = elicitUrl('Go', 'https://example.com')
    expect(() => new UrlElicitationRequired()).toThrow(/ERR_MCP_INVALID_DEFINITION/)
    expect(() => new UrlElicitationRequired(url, elicit('?', { type: 'object', properties: {} }))).toThrow(
      /ERR_MCP_INVALID_DEFINITION/,
    )
    expect(() => new UrlElicitationRequired(...Array.from({ length: 17 }, () => url))).toThrow(/1 to 16/)
    expect(new UrlElicitationRequired(url)).toBeInstanceOf(Error)
  })
})
