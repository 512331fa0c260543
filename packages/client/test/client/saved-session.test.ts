import { toFetch } from '@jetway/core/http'
import { afterEach, expect, it, vi } from 'vitest'
import { Client } from '../../src/client/client.ts'
import { UnsupportedRevisionError } from '../../src/errors.ts'
import { http } from '../../src/http/http.ts'
import type { Fetch } from '../../src/http/options.ts'
import type { ClientOptions } from '../../src/client/options.ts'
import type { SavedSession } from '../../src/client/saved-session.ts'
import type { TransportFactory } from '../../src/transport/client-transport.ts'
import { INFO, scripted, sessions } from '../support/scripted.ts'
import { everything } from '../support/servers.ts'

const open: { close(): Promise<unknown> }[] = []
afterEach(async () => {
  for (const each of open.splice(0).toReversed()) await each.close()
})

/** A server with sessions, and a log of its requests: `POST initialize`, `DELETE`. */
function mount() {
  const handler = toFetch(everything(), { revisions: ['2025-11-25'] })
  open.push({ close: () => handler.close({ deadline: 0 }) })
  const seen: string[] = []
  const ids: unknown[] = []
  const fetch: Fetch = async (url, init) => {
    const message = JSON.parse(typeof init.body === 'string' ? init.body : '{}') as {
      readonly id?: unknown
      readonly method?: string
    }
    seen.push([init.method, message.method].filter(Boolean).join(' '))
    if (message.id !== undefined) ids.push(message.id)
    return handler(new Request(url, { ...init, ...(init.body && { duplex: 'half' }) }))
  }
  return { target: http('http://127.0.0.1/mcp', { fetch, endSession: false }), seen, ids }
}

function client(options: ClientOptions = {}): Client {
  const made = new Client(INFO, { eras: false, revisions: ['2025-11-25'], ...options })
  open.push(made)
  return made
}

async function saved(target: TransportFactory): Promise<SavedSession> {
  const first = await client().connect(target)
  await first.callTool('hello')
  const { session } = first
  await first.close()
  // Any storage of JSON can keep it.
  return JSON.parse(JSON.stringify(session)) as SavedSession
}

it('another client resumes a session without a request, and request ids do not repeat', async () => {
  const { target, seen, ids } = mount()
  const session = await saved(target)
  expect(seen).not.toContain('DELETE')
  seen.length = 0
  const second = client()
  const changed = vi.fn<() => void>()
  second.on('changesMissed', changed)
  await second.connect(target, { session })
  expect(second.server).toMatchObject({
    protocolVersion: '2025-11-25',
    info: { name: 'all' },
    instructions: 'Ask away',
  })
  expect((await second.listTools()).length).toBeGreaterThan(2)
  expect((await second.callTool('hello')).content).toEqual([{ type: 'text', text: 'Hello' }])
  expect(second.session?.id).toBe(session.id)
  expect(seen).not.toContain('POST initialize')
  expect(seen).toContain('GET')
  expect(new Set(ids).size).toBe(ids.length)
  expect(changed).not.toHaveBeenCalled()
})

it('a lost session is opened again, with the event changesMissed', async () => {
  const { target, seen } = mount()
  const session = { ...(await saved(mount().target)) }
  const second = client()
  const gap = vi.fn<() => void>()
  second.on('changesMissed', gap)
  await second.connect(target, { session })
  expect((await second.callTool('hello')).content).toEqual([{ type: 'text', text: 'Hello' }])
  expect(seen).toContain('POST initialize')
  expect(second.session?.id).not.toBe(session.id)
  expect(gap).toHaveBeenCalledTimes(1)
})

it('a session of another revision, and a transport without sessions, are refused', async () => {
  const { target } = mount()
  const session = await saved(target)
  await expect(client({ revisions: ['2025-06-18'] }).connect(target, { session })).rejects.toThrow(
    UnsupportedRevisionError,
  )
  const { client: plain, server } = await scripted(sessions())
  expect(plain.session).toBeUndefined()
  await plain.close()
  const other = new Client(INFO)
  await expect(other.connect(server.transport, { session })).rejects.toThrow(TypeError)
  await other.close()
})

it('there is no session before connecting, and none in revisions without sessions', async () => {
  expect(client().session).toBeUndefined()
  const handler = toFetch(everything(), {})
  open.push({ close: () => handler.close({ deadline: 0 }) })
  const fetch: Fetch = (url, init) =>
    handler(new Request(url, { ...init, ...(init.body && { duplex: 'half' }) }))
  const modern = new Client(INFO, { eras: false })
  open.push(modern)
  await modern.connect(http('http://127.0.0.1/mcp', { fetch }))
  expect(modern.session).toBeUndefined()
})
