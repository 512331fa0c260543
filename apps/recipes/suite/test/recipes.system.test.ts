import { connectPeer, HttpTransport, type TestConnection } from '@jetway/testing'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { LIMIT_MS, type Running, startRecipe, TOKEN } from './support/processes.ts'
import { RECIPES } from './support/recipes.ts'

const PROGRESS = 'notifications/progress'
const MIB = 1024 * 1024

/** The newest revision of each era, with a first request. */
const FIRST_REQUESTS = {
  '2025-11-25': {
    method: 'initialize',
    params: {
      protocolVersion: '2025-11-25',
      capabilities: {},
      clientInfo: { name: 'test', version: '1.0.0' },
    },
  },
  '2026-07-28': {
    method: 'tools/list',
    params: {
      _meta: {
        'io.modelcontextprotocol/protocolVersion': '2026-07-28',
        'io.modelcontextprotocol/clientCapabilities': {},
      },
    },
  },
} as const

const [SESSIONS, NO_SESSIONS] = ['2025-11-25', '2026-07-28'] as const

interface Connected {
  readonly peer: TestConnection
  readonly transport: HttpTransport
  /** The media type of the last response. */
  readonly mediaType: () => string | undefined
}

async function connect(url: string, revision: string, { listen = false } = {}): Promise<Connected> {
  let mediaType: string | undefined
  const fetched = async (request: Request): Promise<Response> => {
    const response = await fetch(request)
    mediaType = response.headers.get('content-type')?.split(';')[0]
    return response
  }
  const headers = { authorization: `Bearer ${TOKEN}` }
  const transport = new HttpTransport({ url, headers, fetch: fetched, listen })
  const peer = await connectPeer(transport, { revision })
  return { peer, transport, mediaType: () => mediaType }
}

const call = (peer: TestConnection, name: string, args: object = {}, meta: object = {}): Promise<object> =>
  peer.request('tools/call', { name, arguments: { ...args }, _meta: { ...meta } })

/** Starts a call that outlasts the test. Resolves after its progress notification. */
async function startEndlessCall(peer: TestConnection): Promise<void> {
  const endless = call(peer, 'count', { to: 100, everyMs: 1_000 }, { progressToken: 'endless' })
  endless.catch(() => 'ended with the connection')
  await peer.notification(PROGRESS)
}

async function abandoned(peer: TestConnection): Promise<number> {
  const { result } = (await call(peer, 'abandoned')) as { result: { structuredContent: { count: number } } }
  return result.structuredContent.count
}

describe.each(RECIPES)('$name', (recipe) => {
  let running: Running
  beforeAll(async () => {
    running = await startRecipe(recipe)
  }, 2 * LIMIT_MS)
  afterAll(() => running?.stop())

  describe.each([SESSIONS, NO_SESSIONS])('at %s', (revision) => {
    it('responds to a call with JSON', async () => {
      const { peer, transport, mediaType } = await connect(running.url, revision)
      expect(await call(peer, 'measure', { text: 'four' })).toMatchObject({
        result: { structuredContent: { characters: 4, principal: 'ada' } },
      })
      expect(mediaType()).toBe('application/json')
      expect(transport.sessionId !== undefined).toBe(recipe.sessions && revision === SESSIONS)
      await peer.close()
    })

    it(
      recipe.streams ? 'sends progress during a call' : 'leaves progress out of its JSON response',
      async () => {
        const { peer, mediaType } = await connect(running.url, revision)
        if (recipe.streams) await startEndlessCall(peer)
        const counted = await call(peer, 'count', { to: 3, everyMs: 1 }, { progressToken: 'short' })
        expect(counted).toMatchObject({ result: { structuredContent: { counted: 3 } } })
        expect(mediaType()).toBe(recipe.streams ? 'text/event-stream' : 'application/json')
        const reported = peer.notifications.filter(({ params }) => params?.['progressToken'] === 'short')
        expect(reported.map(({ params }) => params?.['progress'])).toEqual(recipe.streams ? [1, 2, 3] : [])
        await peer.close()
      },
    )

    it('refuses a request without a token, and points to the metadata', async () => {
      const { method, params } = FIRST_REQUESTS[revision]
      const response = await fetch(running.url, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
          ...(revision === NO_SESSIONS && { 'mcp-protocol-version': revision, 'mcp-method': method }),
        },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
      })
      expect([response.status, response.headers.get('www-authenticate')]).toEqual([
        401,
        expect.stringMatching(/^Bearer/),
      ])
      await response.body?.cancel()
    })

    it('accepts a 3 MiB body, and refuses a 5 MiB body', async () => {
      const { peer } = await connect(running.url, revision)
      const measured = await call(peer, 'measure', { text: 'x'.repeat(3 * MIB) })
      expect(measured).toMatchObject({ result: { structuredContent: { characters: 3 * MIB } } })
      await expect(call(peer, 'measure', { text: 'x'.repeat(5 * MIB) })).rejects.toMatchObject({
        status: 413,
      })
      await peer.close()
    })
  })

  if (recipe.aborts)
    it('aborts the handler if a client without a session disconnects', async () => {
      const { peer: watching } = await connect(running.url, NO_SESSIONS)
      const before = await abandoned(watching)
      const { peer: leaving } = await connect(running.url, NO_SESSIONS)
      await startEndlessCall(leaving)
      await leaving.close()
      await vi.waitUntil(async () => (await abandoned(watching)) > before, { timeout: 30_000, interval: 20 })
      await watching.close()
    })
  if (recipe.closes)
    it('closes its streams and exits on SIGTERM', async () => {
      const { peer, mediaType } = await connect(running.url, SESSIONS, { listen: true })
      expect(mediaType()).toBe('text/event-stream')
      running.terminate()
      await running.exit
      await peer.close()
    })
})
