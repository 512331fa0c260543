import type { IncomingMessage } from 'node:http'
import { expect, it } from 'vitest'
import { note } from './note.ts'
import { ADAPTERS, inParallel, SocketTarget } from './socket-target.ts'

export interface DrainedCalls {
  readonly calls: number
  /** The time from the signal until the last call ends, in ms. All other calls end earlier. */
  readonly lastMs: number
  /** How long the process may take to exit, in ms. */
  readonly limitMs: number
}

/** A session runs 64 calls at the same time. */
const CALLS_OF_SESSION = 50

/** Sends SIGTERM to a server process while calls are running. */
export function describeDrainedCalls({ calls, lastMs, limitMs }: DrainedCalls): void {
  it.for(ADAPTERS)(
    `completes ${calls} calls in flight on %s after SIGTERM, and exits with code 0 in time`,
    async (adapter, { task }) => {
      const target = await SocketTarget.start(adapter)
      const answers: Promise<string>[] = []
      for (let at = 0; at < calls; at += CALLS_OF_SESSION) {
        const session = await target.open()
        for (let id = at; id < Math.min(at + CALLS_OF_SESSION, calls); id++)
          answers.push(target.call(session, 'outlast', { ms: Math.round((id * lastMs) / calls) }, id))
      }
      await expect.poll(async () => (await target.measure()).callsInFlight).toBe(calls)
      const begun = performance.now()
      const exited = target.server.stop('SIGTERM')
      for (const [id, answer] of (await Promise.all(answers)).entries())
        expect(answer).toMatch(new RegExp(`"id":${id},"result".*"outlasted \\d+"`))
      expect(await exited).toBe(0)
      const took = performance.now() - begun
      expect(took).toBeLessThanOrEqual(limitMs)
      note(task, `${adapter}: ${calls} calls answered, ended after ${seconds(took)}`)
    },
  )
}

/** Sends SIGTERM to a server process while streams are open and no calls are running. */
export function describeDrainedStreams(streams: number, limitMs: number): void {
  it.for(ADAPTERS)(
    `closes ${streams} idle streams on %s properly after SIGTERM, and exits with code 0 in time`,
    async (adapter, { task }) => {
      const target = await SocketTarget.start(adapter)
      const open: IncomingMessage[] = []
      await inParallel(streams, 32, async () => {
        open.push((await target.listen(await target.open())).resume())
      })
      const closed = open.map((stream) => new Promise((resolve) => void stream.once('close', resolve)))
      const begun = performance.now()
      expect(await target.server.stop('SIGTERM')).toBe(0)
      const took = performance.now() - begun
      await Promise.all(closed)
      expect(open.filter(({ complete }) => !complete)).toEqual([])
      expect(took).toBeLessThanOrEqual(limitMs)
      note(task, `${adapter}: ${streams} streams ended, and the process after ${seconds(took)}`)
    },
  )
}

const seconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`
