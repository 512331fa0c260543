import { McpServer } from '@jetway/core'
import { expect } from 'vitest'
import { type AdapterClient, callFrame, INITIALIZE, textOf, type WholeReply } from './client.ts'
import { statusFor } from './requests.ts'
import { holding } from './servers.ts'
import type { AdapterCase, CaseContext, Serving } from './types.ts'

const FRAME_BYTES = 64 * 1024
const FRAMES = 1024
/**
 * More bytes than all socket, kernel and stream buffers hold. On loopback, buffers grow to several MB on each
 * side.
 */
const HELD_FRAMES = FRAMES / 2

interface Flood extends Serving {
  /** Returns the number of frames that the endpoint has written so far. */
  readonly written: () => number
  readonly reply: Awaited<ReturnType<Serving['client']['open']>>
}

/** Writes 64 MiB, with backpressure, to a peer that has stopped reading. Resolves when writing has stalled. */
async function flood({ serve }: CaseContext): Promise<Flood> {
  let written = 0
  const server = new McpServer({ name: 'contract', version: '1.0.0' })
  server.addTool({
    name: 'flood',
    async handler(_args, ctx) {
      const message = 'x'.repeat(FRAME_BYTES)
      while (written < FRAMES) await ctx.progress(++written, FRAMES, message)
      return 'flooded'
    },
  })
  const serving = await serve({ stateless: true }, {}, server)
  const { client } = serving
  const reply = await client.open({ body: callFrame('flood') })
  reply.pause()
  let last = -1
  let unchanged = 0
  const stopped = (): boolean => {
    unchanged = written === last ? unchanged + 1 : 0
    last = written
    return unchanged > 20
  }
  await client.eventually(stopped, 'the writer to stop')
  return { ...serving, written: () => written, reply }
}

const stalling: readonly AdapterCase[] = [
  {
    name: 'applies backpressure while the peer does not read, and sends everything when it reads again',
    async run(context) {
      const { written, reply } = await flood(context)
      expect(written()).toBeLessThan(HELD_FRAMES)
      reply.resume()
      const text = await reply.whole()
      expect(text.match(/notifications\/progress/g)).toHaveLength(FRAMES)
      expect(text).toContain('"text":"flooded"')
    },
  },
  {
    name: 'releases the writer when a peer that does not read disconnects',
    async run(context) {
      const { client, written, reply } = await flood(context)
      expect(written()).toBeLessThan(FRAMES)
      reply.leave()
      await client.eventually(() => written() === FRAMES, 'the writer to go on without its peer')
    },
  },
]

/** Starts two calls: one with a JSON reply, and one whose stream has begun. */
function callTwice(client: AdapterClient): Promise<WholeReply[]> {
  const answers = Promise.all([
    client.send({ body: callFrame('hold') }),
    client.send({ body: callFrame('hold', { reports: true }) }),
  ])
  // If the case fails early, nobody awaits these promises.
  answers.catch(() => {})
  return answers
}

const closing: readonly AdapterCase[] = [
  {
    name: 'answers running calls while the server closes, and new calls with 503',
    async run({ serve }) {
      const { server, release, calls } = holding()
      const { client } = await serve({ stateless: true }, {}, server)
      const answers = callTwice(client)
      await client.eventually(() => calls() === 2, 'both calls to run')
      const closed = server.close()
      const late = await client.send({ body: callFrame('hold') })
      expect([late.status, late.headers['retry-after'], late.body]).toEqual([
        503,
        '1',
        expect.stringContaining('"jsonrpc":"2.0"'),
      ])
      expect(await statusFor(client, client.post('', { 'content-length': '1000' }))).toBe('503')
      release()
      expect((await answers).map(textOf)).toEqual(['released', 'released'])
      await client.within(closed, 'the close of the server')
    },
  },
  {
    name: 'answers running calls when it is closed, as JSON and as a stream',
    async run({ serve }) {
      const { server, release, calls } = holding()
      const { client, close } = await serve({ stateless: true }, {}, server)
      const answers = callTwice(client)
      await client.eventually(() => calls() === 2, 'both calls to run')
      const closed = close()
      // The server must refuse new calls without ending the running ones.
      for (let late = 0; late < 5; late++) await client.send({ body: INITIALIZE }).catch(() => undefined)
      release()
      expect((await answers).map(textOf)).toEqual(['released', 'released'])
      await client.within(closed, 'the close')
    },
  },
  {
    name: 'ends open streams when it is closed, and accepts a second close',
    async run({ serve }) {
      const { client, close } = await serve()
      const reply = await client.listen()
      await client.within(close(), 'the close')
      await reply.whole()
      await client.within(close(), 'the second close')
    },
  },
  {
    name: 'closes even if a peer has stopped reading',
    async run(context) {
      const { client, close, server, written } = await flood(context)
      expect(written()).toBeLessThan(FRAMES)
      const cut = server.close({ deadline: 50 })
      await client.within(Promise.all([cut, close()]), 'the close')
    },
  },
  {
    name: 'does not start calls after it was closed',
    async run({ serve }) {
      const { client, close } = await serve()
      await client.within(close(), 'the close')
      const reply = await client.send({ body: INITIALIZE }).catch(() => undefined)
      expect([undefined, 503]).toContain(reply?.status)
    },
  },
]

/** The cases for peers that do not read, and for closing. */
export const END_CASES: readonly AdapterCase[] = [...stalling, ...closing]
