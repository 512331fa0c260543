import { createMemoryTransportPair, type Transport, type TransportClose } from '@jetway/core/transport'
import { describe, expect, it } from 'vitest'
import { HttpStatusError } from '../src/http-transport.ts'
import { connectPeer, type PeerOptions, type TestConnection } from '../src/peer.ts'

const LEGACY = '2025-11-25'
const MODERN = '2026-07-28'
const CLIENT = { name: 'jetway-testing', version: '0.0.0' }

type Message = { readonly id?: unknown; readonly method?: string; readonly [member: string]: unknown }

interface Site {
  readonly peer: TestConnection
  /** The messages that the server has received. */
  readonly sent: readonly Message[]
  readonly say: (message: unknown) => Promise<void>
  readonly end: Transport
}

/** Opens a peer for which the test plays the server. Only the first request is answered automatically. */
async function open(options: Partial<PeerOptions> = {}, first: object = {}): Promise<Site> {
  const [near, end] = createMemoryTransportPair()
  const sent: Message[] = []
  const say = async (message: unknown): Promise<void> => end.send(JSON.stringify(message))
  await end.start({
    message: async (text) => {
      const message = JSON.parse(text) as Message
      sent.push(message)
      if (sent.length === 1)
        await say({ jsonrpc: '2.0', id: message.id, result: { protocolVersion: LEGACY }, ...first })
    },
    malformed: () => {},
    close: () => {},
  })
  return { peer: await connectPeer(near, { revision: LEGACY, ...options }), sent, say, end }
}

describe('a test connection', () => {
  it('opens a session', async () => {
    const { peer, sent } = await open({ capabilities: { roots: {} } })
    expect(peer.initialized).toEqual({ protocolVersion: LEGACY })
    expect(sent).toEqual([
      {
        jsonrpc: '2.0',
        id: 1,
        method: 'initialize',
        params: { protocolVersion: LEGACY, capabilities: { roots: {} }, clientInfo: CLIENT },
      },
      { jsonrpc: '2.0', method: 'notifications/initialized' },
    ])
  })

  it('has no session in a revision without sessions, and identifies itself in each request', async () => {
    const { peer, sent } = await open({ revision: MODERN })
    void peer.request('tools/call', { name: 'a', _meta: { mine: 1 } }).catch(() => {})
    void peer.request('tools/list').catch(() => {})
    await peer.notify('notifications/x')
    const _meta = {
      'io.modelcontextprotocol/protocolVersion': MODERN,
      'io.modelcontextprotocol/clientCapabilities': {},
      'io.modelcontextprotocol/clientInfo': CLIENT,
    }
    await expect.poll(() => sent.length).toBe(4)
    expect(sent).toEqual([
      { jsonrpc: '2.0', id: 1, method: 'server/discover', params: { _meta } },
      { jsonrpc: '2.0', id: 2, method: 'tools/call', params: { name: 'a', _meta: { ..._meta, mine: 1 } } },
      { jsonrpc: '2.0', id: 3, method: 'tools/list', params: { _meta } },
      { jsonrpc: '2.0', method: 'notifications/x' },
    ])
    await peer.close()
  })

  it.each([
    [LEGACY, 'initialize was refused: {"code":-1,"message":"no"}'],
    [MODERN, 'server/discover was refused: {"code":-1,"message":"no"}'],
  ])('does not open if the server rejects the first request: %s', async (revision, text) => {
    const error = { code: -1, message: 'no' }
    await expect(open({ revision }, { result: undefined, error })).rejects.toThrow(text)
  })

  it('keeps unexpected messages', async () => {
    const { peer, sent, say } = await open()
    const answer = peer.request('ping', undefined, { id: 'mine' })
    await expect.poll(() => sent.length).toBe(3)
    expect(sent[2]).toEqual({ jsonrpc: '2.0', id: 'mine', method: 'ping' })
    await say({ id: 'mine', result: { first: true } })
    await say({ id: 'mine', result: { second: true } })
    await say([{ id: 9, result: {} }, 5])
    await say({ method: 'notifications/a', params: { n: 1 } })
    await say(null)
    expect(await answer).toEqual({ id: 'mine', result: { first: true } })
    expect(await peer.notification('notifications/a', ({ n }) => n === 1)).toMatchObject({ params: { n: 1 } })
    await expect.poll(() => peer.strays.length).toBe(4)
    expect(peer.strays).toEqual([{ id: 'mine', result: { second: true } }, { id: 9, result: {} }, 5, null])
    expect(peer.notifications).toHaveLength(1)
  })

  it('responds to requests from the server', async () => {
    const { sent, say } = await open({
      onRequest: (method, params) => (method === 'roots/list' ? { roots: [], params } : undefined),
    })
    await say({ id: 1, method: 'ping' })
    await say({ id: 'two', method: 'roots/list', params: { a: 1 } })
    await say({ id: 3, method: 'other' })
    await expect.poll(() => sent.length).toBe(5)
    expect(sent.slice(2)).toEqual([
      { jsonrpc: '2.0', id: 1, result: {} },
      { jsonrpc: '2.0', id: 'two', result: { roots: [], params: { a: 1 } } },
      { jsonrpc: '2.0', id: 3, error: { code: -32601, message: 'Method not found' } },
    ])
  })

  it('rejects pending requests when the server ends', async () => {
    const { peer, end } = await open()
    const waiting = expect(peer.request('ping')).rejects.toThrow('ended before the response arrived')
    await end.close()
    await waiting
    expect(await peer.closed).toEqual({ kind: 'end' } satisfies TransportClose)
  })
})

describe('a test connection whose transport fails with an HTTP status', () => {
  const refusing = async (
    revision: string,
    body: string,
  ): Promise<{ peer: TestConnection; headers: unknown[]; refuse: () => void }> => {
    const headers: unknown[] = []
    let refuses = false
    let answer: ((text: string) => unknown) | undefined
    let malformed: ((reason: string) => unknown) | undefined
    const transport: Transport = {
      start: (handlers) => {
        answer = (text) => handlers.message(text)
        malformed = (reason) => handlers.malformed(reason)
      },
      async send(text, options = {}) {
        headers.push(options.headers)
        if (refuses) throw new HttpStatusError(400, body)
        const { id } = JSON.parse(text) as Message
        if (id === 1) await answer?.(JSON.stringify({ id, result: { protocolVersion: revision } }))
        else malformed?.('bad')
      },
      close: async () => {},
    }
    const peer = await connectPeer(transport, { revision })
    return { peer, headers, refuse: () => void (refuses = true) }
  }

  it.each([LEGACY, MODERN])(
    'keeps the reply as an unexpected message, and sends the revision %s in a header',
    async (revision) => {
      const { peer, headers, refuse } = await refusing(revision, '{"error":1}')
      refuse()
      await peer.raw('{')
      expect(peer.strays.at(-1)).toEqual({ error: 1 })
      expect(headers.at(-1)).toEqual({ 'mcp-protocol-version': revision })
      expect(headers[0]).toEqual(
        revision === LEGACY
          ? undefined
          : { 'mcp-protocol-version': revision, 'mcp-method': 'server/discover' },
      )
    },
  )

  it('rejects if the reply is not JSON or the message is a request', async () => {
    const { peer, refuse } = await refusing(LEGACY, 'no')
    expect(peer.strays).toEqual([{ malformed: 'bad' }])
    refuse()
    await expect(peer.raw('{')).rejects.toThrow('HTTP status 400: no')
    await expect(peer.request('ping')).rejects.toThrow(HttpStatusError)
    await expect(peer.notify('notifications/x', { a: 1 })).rejects.toThrow(HttpStatusError)
  })

  it("sends an Mcp-Name header with the name of a request's tool, resource or task", async () => {
    const { peer, headers } = await refusing(MODERN, '')
    const names = async (params: Record<string, unknown>): Promise<unknown> => {
      await peer.notify('x', params)
      return (headers.at(-1) as Record<string, string>)['mcp-name']
    }
    expect(await names({ name: 'a b' })).toBe('a b')
    expect(await names({ uri: 'ä' })).toBe('=?base64?w6Q=?=')
    expect(await names({ taskId: 't ' })).toBe('=?base64?dCA=?=')
    expect(await names({ name: 5, uri: '=?base64?' })).toBe(`=?base64?${btoa('=?base64?')}?=`)
    expect(await names({ name: '~' })).toBe('~')
    expect(await names({ other: 'x' })).toBeUndefined()
  })
})
