import { callTool, initialize, INITIALIZED } from '@jetway-apps/test-support'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sseEvents } from '@jetway/testing'
import { expect, it, onTestFinished } from 'vitest'
import { postCall } from './support/post.ts'
import type { Listening } from './support/processes.ts'
import { listenInWorker } from './support/worker.ts'

const JSON_HEADERS = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }

async function startWorker(storage?: string): Promise<Listening> {
  const server = await listenInWorker(new URL('../src/session-objects.ts', import.meta.url), {
    durableObject: 'SessionObject',
    ...(storage !== undefined && { storage }),
  })
  onTestFinished(() => server.stop())
  return server
}

const post = (url: string, message: object, session?: string): Promise<Response> =>
  fetch(url, {
    method: 'POST',
    headers: { ...JSON_HEADERS, ...(session !== undefined && { 'mcp-session-id': session }) },
    body: JSON.stringify(message),
  })

const get = (url: string, session: string, headers: object = {}): Promise<Response> =>
  fetch(url, { headers: { accept: 'text/event-stream', 'mcp-session-id': session, ...headers } })

async function openSession(url: string): Promise<string> {
  const opened = await post(url, initialize())
  expect(opened.status).toBe(200)
  const session = opened.headers.get('mcp-session-id') ?? ''
  expect((await post(url, INITIALIZED, session)).status).toBe(202)
  return session
}

async function calls(url: string, session: string): Promise<string> {
  return (await post(url, callTool('calls'), session)).text()
}

it('each session has its own Durable Object, identified by the prefix of the session id', async () => {
  const { url } = await startWorker()
  const [first, second] = [await openSession(url), await openSession(url)]
  expect(first).toMatch(/^[0-9a-f]{64}\.[\w-]{40,}$/)
  expect(first.split('.')[0]).not.toBe(second.split('.')[0])
  expect(await calls(url, first)).toContain('Call 1 ')
  expect(await calls(url, first)).toContain('Call 2 ')
  expect(await calls(url, second)).toContain('Call 1 ')
  expect(await (await postCall(url, 'calls')).text()).toContain('Call 1 ')
})

it('a stream of a session can be resumed, and DELETE ends the session', async () => {
  const { url } = await startWorker()
  const session = await openSession(url)
  const own = await get(url, session)
  expect([own.status, own.headers.get('content-type')]).toEqual([200, 'text/event-stream'])

  const counted = await post(
    url,
    callTool('count', { to: 20 }, { meta: { progressToken: 'count' } }),
    session,
  )
  const events = sseEvents(counted.body!)
  let id: string | undefined
  for (let seen = 0; seen < 3; seen++) id = (await events.next()).value?.id ?? id
  await events.return(undefined)
  const resumed = await get(url, session, { 'last-event-id': id })
  const progress = [...(await resumed.text()).matchAll(/"progress":(\d+)/g)].map(([, n]) => Number(n))
  expect(progress.at(-1)).toBe(20)
  expect(progress).toEqual(progress.map((_, at) => (progress[0] ?? 0) + at))

  const ended = await fetch(url, { method: 'DELETE', headers: { 'mcp-session-id': session } })
  expect(ended.status).toBe(204)
  expect((await post(url, callTool('calls'), session)).status).toBe(404)
})

it('a valid prefix alone does not give access to a session', async () => {
  const { url } = await startWorker()
  const [victim, own] = [await openSession(url), await openSession(url)]
  const [prefix = '', secret = ''] = victim.split('.')
  const [ownPrefix = '', ownSecret = ''] = own.split('.')
  for (const id of [
    `${prefix}.${ownSecret}`,
    `${ownPrefix}.${secret}`,
    `${prefix}.${'a'.repeat(secret.length)}`,
    prefix,
    secret,
    `${'0'.repeat(64)}.${secret}`,
    `..${victim}`,
  ])
    expect([id, (await post(url, callTool('calls'), id)).status]).toEqual([id, 404])
  expect(await calls(url, victim)).toContain('Call 1 ')
})

it('a session survives the eviction of its Durable Object from memory', async () => {
  const storage = mkdtempSync(join(tmpdir(), 'jetway-objects-'))
  onTestFinished(() => rmSync(storage, { recursive: true }))
  const before = await startWorker(storage)
  const [session, ended] = [await openSession(before.url), await openSession(before.url)]
  expect(await calls(before.url, session)).toContain('Call 1 ')
  await fetch(before.url, { method: 'DELETE', headers: { 'mcp-session-id': ended } })
  await before.stop()
  const { url } = await startWorker(storage)
  expect(await calls(url, session)).toContain('Call 1 ')
  expect((await post(url, callTool('calls'), ended)).status).toBe(404)
})
