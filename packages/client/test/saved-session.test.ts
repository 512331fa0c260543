import { toFetch } from '@jetway/core/http'
import { afterEach, expect, it, vi } from 'vitest'
import { Client } from '../src/client.ts'
import { UnsupportedRevisionError } from '../src/errors.ts'
import { http } from '../src/http/http.ts'
import type { Fetch } from '../src/http/options.ts'
import type { ClientOptions } from '../src/options.ts'
import type { SavedSession } from '../src/saved-session.ts'
import type { Dial } from '../src/transport/client-transport.ts'
import { INFO, scripted, sessions } from './support/scripted.ts'
import { everything } from './support/servers.ts'

const open: { close(): Promise<unknown> }[] = []
afterEach(async () => {
  for (const each of open.splice(0).toReversed()) await each.close()
})

/** A server with sessions, and what it was asked: `POST initialize`, `DELETE`. */
function mount(): { readonly dial: Dial; readonly seen: string[]; readonly ids: unknown[] } {
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
  return { dial: http('http://127.0.0.1/mcp', { fetch, endSession: false }), seen, ids }
}

function client(options: ClientOptions = {}): Client {
  const made = new Client(INFO, { eras: false, revisions: ['2025-11-25'], ...options })
  open.push(made)
  return made
}

async function saved(dial: Dial): Promise<SavedSession> {
  const first = await client().connect(dial)
  await first.callTool('hello')
  const { session } = first
  await first.close()
  // It may be kept anywhere.
  return JSON.parse(JSON.stringify(session)) as SavedSession
}

it('a session goes on with another client: nothing is sent for it, and no id of a request comes twice', async () => {
  const { dial, seen, ids } = mount()
  const session = await saved(dial)
  expect(seen).not.toContain('DELETE')
  seen.length = 0
  const second = client()
  const changed = vi.fn<() => void>()
  second.on('gap', changed)
  await second.connect(dial, { session })
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

it('where the server no longer knows it, another one is opened, and the host hears of the gap', async () => {
  const { dial, seen } = mount()
  const session = { ...(await saved(mount().dial)) }
  const second = client()
  const gap = vi.fn<() => void>()
  second.on('gap', gap)
  await second.connect(dial, { session })
  expect((await second.callTool('hello')).content).toEqual([{ type: 'text', text: 'Hello' }])
  expect(seen).toContain('POST initialize')
  expect(second.session?.id).not.toBe(session.id)
  expect(gap).toHaveBeenCalledTimes(1)
})

it('a session of a revision that is not to be spoken, and a transport without sessions, are refused by name', async () => {
  const { dial } = mount()
  const session = await saved(dial)
  await expect(client({ revisions: ['2025-06-18'] }).connect(dial, { session })).rejects.toThrow(
    UnsupportedRevisionError,
  )
  const { client: plain, server } = await scripted(sessions())
  expect(plain.session).toBeUndefined()
  await plain.close()
  const other = new Client(INFO)
  await expect(other.connect(server.transport, { session })).rejects.toThrow(TypeError)
  await other.close()
})

it('there is none to keep before a client is connected, and without sessions', async () => {
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
