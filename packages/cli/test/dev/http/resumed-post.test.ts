/** Replies to POST requests that the client resumes with `Last-Event-ID`. */
import { expect, it, vi } from 'vitest'
import { callOf, openSession, post } from '../support/raw-http.ts'
import {
  type Front,
  json,
  listenOn,
  openStream,
  readStream,
  relayHttp,
  type Reply,
  writeEvent,
} from '../support/relay-http.ts'

const answer = (id: number) => ({ jsonrpc: '2.0', id, result: { from: 'process' } })
const lost = (id: number) => ({ id, result: { isError: true } })

/** Starts a stream with one event and no response. */
const begins: Reply = (_, response) => {
  openStream(response)
  writeEvent(response, { jsonrpc: '2.0', method: 'notifications/begun' }, 'a.1')
}

interface Cut {
  readonly session: Readonly<Record<string, string>>
  readonly id: string
}

/** Sends a call, and disconnects after the first event. */
async function cut(front: Front): Promise<Cut> {
  const session = await openSession(front.url)
  const abort = new AbortController()
  const stream = readStream(await post(front.url, callOf(1, 'a'), session, abort.signal), abort)
  const { id = '' } = (await stream.next()) ?? {}
  abort.abort()
  return { session, id }
}

const resume = ({ url }: Front, { session, id }: Cut, path = '') =>
  listenOn(`${url}${path}`, { ...session, 'last-event-id': id })

/** Waits until the relay has noticed that the client disconnected. */
async function whenKept(left: () => void): Promise<void> {
  await vi.waitFor(() => expect(left).toHaveBeenCalled())
  for (let turn = 0; turn < 3; turn++) await new Promise((resolve) => setImmediate(resolve))
}

function leaving(): { readonly reply: Reply; readonly left: () => void } {
  const left = vi.fn()
  return {
    left,
    reply(got, response) {
      response.once('close', left)
      begins(got, response)
    },
  }
}

it('HttpRelay continues a resumed reply in the process that is running the call', async () => {
  const front = await relayHttp()
  const { reply, left } = leaving()
  const process = await front.start({
    'tools/call': reply,
    GET(_, response) {
      openStream(response)
      response.write('id: 0\ndata: \n\n')
      writeEvent(response, { jsonrpc: '2.0', id: 7, method: 'elicitation/create' }, 'a.2')
      writeEvent(response, answer(1))
      response.end()
    },
  })
  const call = await cut(front)
  expect(call.id).toBe('1.post.a.1')
  await whenKept(left)
  const stream = await resume(front, call, '?q=1')
  expect(stream.reply.headers.get('content-type')).toBe('text/event-stream')
  expect(stream.reply.headers.get('cache-control')).toBe('no-cache')
  expect(await stream.next()).toEqual({
    id: '1.post.a.2',
    message: { jsonrpc: '2.0', id: '1:7', method: 'elicitation/create' },
  })
  expect(await stream.rest()).toEqual([answer(1)])
  expect(process.got.at(-1)).toMatchObject({
    path: '/mcp?q=1',
    headers: { 'last-event-id': 'a.1', 'mcp-session-id': 'session-1' },
  })
  await front.start()
  process.end()
  expect(await (await resume(front, call)).rest()).toEqual([])
})

it('HttpRelay responds to a resumed request exactly once if its process has ended', async () => {
  const front = await relayHttp()
  const { reply, left } = leaving()
  const first = await front.start({ 'tools/call': reply })
  const call = await cut(front)
  await whenKept(left)
  const next = await front.start()
  first.end()
  expect(await (await resume(front, call)).rest()).toMatchObject([lost(1)])
  expect(await (await resume(front, call)).rest()).toEqual([])
  expect(next.asked()).not.toContain('GET')
})

it('HttpRelay responds to a resumed request if its process ends during the resumption', async () => {
  const front = await relayHttp()
  const { reply, left } = leaving()
  const first = await front.start({ 'tools/call': reply, GET: begins })
  const call = await cut(front)
  await whenKept(left)
  const stream = await resume(front, call)
  expect((await stream.next())?.message).toMatchObject({ method: 'notifications/begun' })
  first.end()
  expect(await stream.rest()).toMatchObject([lost(1)])
})

it('HttpRelay allows a reply to be resumed again if the process closed the stream early', async () => {
  const front = await relayHttp()
  const { reply, left } = leaving()
  let replies = 0
  await front.start({
    'tools/call': reply,
    GET(_, response) {
      openStream(response)
      if (++replies === 2) writeEvent(response, answer(1))
      response.end()
    },
  })
  const call = await cut(front)
  await whenKept(left)
  expect(await (await resume(front, call)).rest()).toEqual([])
  expect(await (await resume(front, call)).rest()).toEqual([answer(1)])
})

it("HttpRelay forwards the current process's refusal to resume a reply", async () => {
  const front = await relayHttp()
  const { reply, left } = leaving()
  await front.start({
    'tools/call': reply,
    GET: (_, response) => json(response, 503, 'busy', { 'x-reply': 'r' }),
  })
  const call = await cut(front)
  await whenKept(left)
  const { reply: refused } = await resume(front, call)
  expect([refused.status, refused.headers.get('x-reply'), await refused.text()]).toEqual([503, 'r', 'busy'])
})

it.each([
  [503, [lost(1)]],
  [400, undefined],
])(
  "HttpRelay turns an older process's 503 into a response to the resumed request, and forwards a 400: %i",
  async (status, expected) => {
    const front = await relayHttp()
    const { reply, left } = leaving()
    await front.start({ 'tools/call': reply, GET: (_, response) => json(response, status, 'no') })
    const call = await cut(front)
    await whenKept(left)
    await front.start()
    const stream = await resume(front, call)
    expect(stream.reply.status).toBe(expected === undefined ? status : 200)
    if (expected !== undefined) expect(await stream.rest()).toMatchObject(expected)
  },
)

it("HttpRelay discards a process's requests once a later process has ended", async () => {
  const front = await relayHttp()
  const { reply, left } = leaving()
  const first = await front.start({ 'tools/call': reply })
  const call = await cut(front)
  await whenKept(left)
  const second = await front.start()
  first.end()
  await post(front.url, callOf(2, 'a'), call.session)
  await front.start()
  second.end()
  expect(await (await resume(front, call)).rest()).toEqual([])
})
