/**
 * Runs the official clients in Chromium, on a page whose origin differs from that of the guides' apps. Needs
 * Chromium.
 */
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { bundleClients, inPage, launch } from './support/browser.ts'
import type { OfficialClient } from './support/clients-in-page.ts'
import { withProcess } from './support.ts'

const APPS = [
  {
    guide: 'Fastify',
    example: 'http/fastify-app',
    path: '/api/mcp',
    headers: { authorization: 'Bearer secret' },
    tool: 'whoami',
    text: /^ada in request req-/,
  },
  {
    guide: 'Hono',
    example: 'http/hono-app',
    path: '/mcp',
    headers: { 'x-tenant': 'acme' },
    tool: 'tenant',
    text: /^acme$/,
  },
]

const CLIENTS: readonly OfficialClient[] = ['v1', 'v2', 'v2, pinned to 2026-07-28']

let browser: Browser
let script: string

beforeAll(async () => {
  ;[browser, script] = await Promise.all([launch(), bundleClients()])
})

afterAll(() => browser?.close())

const serve = <T>(example: string, use: (origin: string) => Promise<T>): Promise<T> =>
  withProcess(example, { TOKEN: 'secret' }, use)

describe.each(APPS)('a web page whose origin is allowed by the app in the $guide guide', (app) => {
  const { example, path, headers, tool } = app
  const content = [{ type: 'text', text: expect.stringMatching(app.text) }]

  it.each(['v1', 'v2'] as const)(
    'opens a session with the official client %s, calls a tool, reads the stream, and ends the session',
    async (client) => {
      await serve(example, async (origin) => {
        const url = `${origin}${path}`
        const seen = await inPage(browser, script, 'visitInSession', { client, url, tool, headers })
        expect(seen).toMatchObject({ revision: '2025-11-25', tools: [tool], content, errors: [] })
        expect(seen.sessionId).toMatch(/^\S+$/)
        expect(seen.responses[0]).toMatchObject({ method: 'POST', status: 200, sessionId: seen.sessionId })
        const stream = { method: 'GET', status: 200, type: 'text/event-stream' }
        expect(seen.responses).toContainEqual(expect.objectContaining(stream))
        expect(seen.resumed).toBe(400)
        expect(seen.responses.at(-1)).toMatchObject({ method: 'DELETE', status: 204 })
        expect(seen.afterDelete).toBe(404)
      })
    },
  )

  it('calls a tool and subscribes with the official client v2 in revision 2026-07-28', async () => {
    await serve(example, async (origin) => {
      const visit = { client: 'v2, pinned to 2026-07-28', url: `${origin}${path}`, tool, headers } as const
      const seen = await inPage(browser, script, 'visitAndListen', visit)
      const honoredFilter = { toolsListChanged: true }
      expect(seen).toMatchObject({ revision: '2026-07-28', tools: [tool], content, honoredFilter })
    })
  })
})

it.each(CLIENTS)(
  'a web page without a token can read the challenge from Fastify (official client %s)',
  async (client) => {
    await serve('http/fastify-app', async (origin) => {
      const visit = { client, url: `${origin}/api/mcp`, tool: 'whoami', headers: {} }
      expect(await inPage(browser, script, 'visitRefused', visit)).toMatchObject({
        status: 401,
        challenge: expect.stringMatching(/^Bearer/),
      })
    })
  },
)
