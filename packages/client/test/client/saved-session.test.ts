import { expect, it, onTestFinished, vi } from 'vitest'
import { Client } from '../../src/client/client.ts'
import { UnsupportedRevisionError } from '../../src/errors.ts'
import { http } from '../../src/http/http.ts'
import type { Fetch } from '../../src/http/options.ts'
import type { ClientOptions } from '../../src/options/options.ts'
import type { SavedSession } from '../../src/client/saved-session.ts'
import type { TransportFactory } from '../../src/transport/client-transport.ts'
import { mount, ORIGIN } from '../support/mounted.ts'
import { INFO, scripted, sessions } from '../support/scripted.ts'
import { everything } from '../support/servers.ts'

/** Creates a server with sessions that logs its requests, such as `POST initialize` or `DELETE`. */
function server() {
  const { fetch } = mount(everything(), { revisions: ['2025-11-25'] })
  const seen: string[] = []
  const ids: unknown[] = []
  const logged: Fetch = (url, init) => {
    const message = JSON.parse(typeof init.body === 'string' ? init.body : '{}') as {
      readonly id?: unknown
      readonly method?: string
    }
    seen.push([init.method, message.method].filter(Boolean).join(' '))
    if (message.id !== undefined) ids.push(message.id)
    return fetch(url, init)
  }
  return { target: http(`${ORIGIN}/mcp`, { fetch: logged, endSession: false }), seen, ids }
}

function client(options: ClientOptions = {}): Client {
  const made = new Client(INFO, { eras: false, revisions: ['2025-11-25'], ...options })
  onTestFinished(() => made.close())
  return made
}

async function saved(target: TransportFactory): Promise<SavedSession> {
  const first = await client().connect(target)
  await first.callTool('hello')
  const { session } = first
  await first.close()
  // The session can be stored as JSON.
  return JSON.parse(JSON.stringify(session)) as SavedSession
}

it('connect() resumes a saved session without a request, and continues with new request ids', async () => {
  const { target, seen, ids } = server()
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

it('connect() opens a new session if the server has lost the saved one, and emits changesMissed', async () => {
  const { target, seen } = server()
  const session = { ...(await saved(server().target)) }
  const second = client()
  const gap = vi.fn<() => void>()
  second.on('changesMissed', gap)
  await second.connect(target, { session })
  expect((await second.callTool('hello')).content).toEqual([{ type: 'text', text: 'Hello' }])
  expect(seen).toContain('POST initialize')
  expect(second.session?.id).not.toBe(session.id)
  expect(gap).toHaveBeenCalledTimes(1)
})

it('connect() throws for a session of another revision, and for a transport without sessions', async () => {
  const { target } = server()
  const session = await saved(target)
  await expect(client({ revisions: ['2025-06-18'] }).connect(target, { session })).rejects.toThrow(
    UnsupportedRevisionError,
  )
  const { client: plain, server: other } = await scripted(sessions())
  expect(plain.session).toBeUndefined()
  await plain.close()
  await expect(client().connect(other.transport, { session })).rejects.toThrow(TypeError)
})

it('client.session is undefined before connecting and in revisions without sessions', async () => {
  expect(client().session).toBeUndefined()
  expect((await mount(everything()).connect()).session).toBeUndefined()
})
