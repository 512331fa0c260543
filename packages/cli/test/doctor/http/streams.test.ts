import type { RequestListener, ServerResponse } from 'node:http'
import { describe, expect, it } from 'vitest'
import type { Opened } from '../../../src/doctor/http/sessions.ts'
import type { Site } from '../../../src/doctor/http/site.ts'
import { checkStream } from '../../../src/doctor/http/streams.ts'
import { serve } from '../support/remote.ts'
import { siteAt } from '../support/site.ts'

const EVENTS = { 'content-type': 'text/event-stream', 'cache-control': 'no-cache, no-transform' }
const OPENED: Opened = {
  reply: { status: 200, headers: {}, text: '', response: {} },
  replyMs: 0,
  session: { 'mcp-session-id': 'a' },
  sessionId: 'a',
  isModern: false,
}
const MODERN: Opened = { ...OPENED, isModern: true, session: undefined, sessionId: undefined }

async function findings(listener: RequestListener, opened: Opened = OPENED, limits: Partial<Site> = {}) {
  const site = siteAt(`${await serve(listener)}/mcp`, { 'x-a': 'b' }, limits)
  return checkStream(site, opened)
}

/** Replies with a stream. */
const streaming =
  (write: (response: ServerResponse) => void, headers: object = {}): RequestListener =>
  (_, response) => {
    response.writeHead(200, { ...EVENTS, ...headers }).flushHeaders()
    write(response)
  }

const lively = (response: ServerResponse): void => {
  const timer = setInterval(() => response.write(': \n\n'), 5)
  response.on('close', () => clearInterval(timer))
}

const HEALTHY = [
  { check: 'stream-encoding', verdict: 'ok', evidence: 'streams are not compressed' },
  { check: 'stream-cache', verdict: 'ok', evidence: 'Cache-Control: no-cache, no-transform' },
  { check: 'keep-alive', verdict: 'ok', evidence: expect.stringMatching(/^something came after \d\.\d s$/) },
]

describe('checkStream', () => {
  it.each([
    ['GET', OPENED],
    ['subscriptions/listen', MODERN],
    ['subscriptions/listen', { ...MODERN, session: {} }],
  ])('finds no faults in a healthy %s stream', async (name, opened) => {
    expect(await findings(streaming(lively), opened)).toEqual([
      { check: 'stream', verdict: 'ok', evidence: `${name} was answered at once` },
      ...HEALTHY,
    ])
  })

  it("sends the user's and the session's headers", async () => {
    const seen: object[] = []
    await findings(
      (request, response) => {
        const { accept, 'x-a': own, 'mcp-session-id': session, 'mcp-method': method } = request.headers
        seen.push({
          verb: request.method,
          accept,
          own,
          session,
          method,
          encoding: request.headers['accept-encoding'],
        })
        response.writeHead(405).end()
      },
      { ...OPENED, isModern: true },
    )
    const encoding = 'gzip, deflate, br'
    expect(seen).toEqual([
      {
        verb: 'POST',
        accept: 'application/json, text/event-stream',
        own: 'b',
        method: 'subscriptions/listen',
        encoding,
      },
      { verb: 'GET', accept: 'text/event-stream', own: 'b', session: 'a', encoding },
    ])
  })

  it.each<readonly [string, RequestListener]>([
    ['another status', (_, response) => response.writeHead(202, EVENTS).end()],
    [
      'another media type',
      (_, response) => response.writeHead(200, { 'content-type': 'application/json' }).end(),
    ],
  ])('skips a reply with %s', async (_, listener) => {
    const skipped = {
      check: 'stream',
      verdict: 'skipped',
      evidence: 'the server has no stream for notifications',
    }
    expect(await findings(listener)).toEqual([skipped])
    const reply = {
      ...OPENED.reply,
      headers: { 'content-type': 'text/event-stream', 'content-encoding': 'gzip' },
    }
    expect(await findings(listener, { ...OPENED, reply })).toMatchObject([
      { check: 'stream-encoding', verdict: 'fault', evidence: 'Content-Encoding: gzip' },
      { check: 'stream-cache', verdict: 'warning', evidence: 'Cache-Control: missing' },
    ])
  })

  it('accepts Content-Encoding: identity', async () => {
    const [, encoding] = await findings(streaming(lively, { 'content-encoding': 'identity' }))
    expect(encoding).toEqual(HEALTHY[0])
  })

  it.each<readonly [string, Opened, RequestListener, string, number]>([
    ['GET', OPENED, () => {}, 'the reply to GET', 60],
    ['subscriptions/listen', MODERN, () => {}, 'the reply to subscriptions/listen', 60],
    // The time limit is long enough for the head of the reply to arrive on a busy machine.
    ['an event', MODERN, streaming(() => {}), 'the first event of subscriptions/listen', 1_000],
  ])('reports a delayed reply or event: %s', async (_, opened, listener, what, firstBytesMs) => {
    expect(await findings(listener, { ...opened, replyMs: 0.5 }, { firstBytesMs })).toEqual([
      {
        check: 'stream',
        verdict: 'fault',
        evidence: `${what} has not come within ${firstBytesMs + 1} ms: a proxy keeps it back, or the server does`,
        advice: expect.stringContaining('proxy_buffering off'),
      },
    ])
  })

  it('warns about a stream that lacks keep-alives', async () => {
    expect(
      (
        await findings(
          streaming(() => {}),
          OPENED,
          { keepAliveMs: 60 },
        )
      ).at(-1),
    ).toMatchObject({
      check: 'keep-alive',
      verdict: 'warning',
      evidence: expect.stringMatching(/^nothing came for \d\.\d s$/),
    })
  })

  it('warns about a stream that stays silent after its first event', async () => {
    const found = await findings(
      streaming((response) => response.write(': \n\n')),
      MODERN,
      { keepAliveMs: 60 },
    )
    expect(found.at(-1)).toMatchObject({ check: 'keep-alive', verdict: 'warning' })
  })

  it('warns about a stream that ends', async () => {
    expect((await findings(streaming((response) => response.end()))).at(-1)).toMatchObject({
      check: 'keep-alive',
      verdict: 'warning',
      evidence: expect.stringMatching(/^the stream of GET has ended after \d\.\d s$/),
    })
  })

  it('rejects if the connection breaks before the head of the reply arrives', async () => {
    await expect(findings((request) => request.socket.destroy())).rejects.toMatchObject({
      code: 'ECONNRESET',
    })
  })
})
