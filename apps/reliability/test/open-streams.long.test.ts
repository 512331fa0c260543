import type { IncomingMessage } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import { FULL } from '@jetway-apps/test-support'
import { describe, expect, it } from 'vitest'
import { note } from './support/note.ts'
import { ADAPTERS, inParallel, SocketTarget } from './support/socket-target.ts'

/**
 * The number of streams. It is close to the default limit of 10,000 sessions, and to most machines' limit on
 * open files: each stream needs a file descriptor in the server and one in this process.
 */
const STREAMS = 9_500
const HOLD_MS = FULL ? 600_000 : 60_000
const MAX_KIB = 48
const MAX_NOTICE_MS = 1_500
const MAX_OPEN_MS = 60_000

class Listeners {
  readonly #streams: IncomingMessage[] = []
  ended = 0
  notices = 0

  add(stream: IncomingMessage): void {
    this.#streams.push(stream)
    stream.setEncoding('utf8').once('close', () => this.ended++)
    stream.on('data', (text: string) => {
      if (text.includes('notifications/tools/list_changed')) this.notices++
    })
  }

  leave(): void {
    for (const stream of this.#streams) stream.destroy()
  }
}

/** Sends a notification to all streams. Resolves to the time until all have received it, in ms. */
async function notify(target: SocketTarget, listeners: Listeners): Promise<number> {
  const expected = listeners.notices + STREAMS
  const begun = performance.now()
  await target.callAlone('notify')
  await expect.poll(() => listeners.notices, { interval: 10 }).toBe(expected)
  return performance.now() - begun
}

describe.each(ADAPTERS)('%s', (adapter) => {
  it(
    `keeps ${STREAMS} streams open for ${HOLD_MS / 60_000} min`,
    { timeout: HOLD_MS + 300_000 },
    async ({ task }) => {
      const target = await SocketTarget.start(adapter)
      const listeners = new Listeners()
      await target.open()
      const before = await target.measure()
      const begun = performance.now()
      await inParallel(STREAMS, 64, async () => listeners.add(await target.listen(await target.open())))
      const opened = performance.now() - begun
      const after = await target.measure()
      expect(after.openStreams).toBe(STREAMS)
      const kib = (after.rss - before.rss) / 1024 / STREAMS
      expect(kib).toBeLessThanOrEqual(MAX_KIB)
      expect(opened).toBeLessThanOrEqual(MAX_OPEN_MS)

      const first = await notify(target, listeners)
      await delay(HOLD_MS)
      const last = await notify(target, listeners)
      expect(Math.max(first, last)).toBeLessThanOrEqual(MAX_NOTICE_MS)
      expect(listeners.ended).toBe(0)
      expect((await target.measure()).openStreams).toBe(STREAMS)

      listeners.leave()
      await expect.poll(async () => (await target.measure()).openStreams).toBe(0)
      const [open, notice] = [opened / 1000, Math.max(first, last)]
      note(
        task,
        `${adapter}: ${STREAMS} streams open after ${open.toFixed(0)} s, ${kib.toFixed(1)} KiB each, held ${HOLD_MS / 60_000} min, none dropped, a notice to all in ${notice.toFixed(0)} ms`,
      )
    },
  )
})
