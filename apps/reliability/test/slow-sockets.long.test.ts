import { setTimeout as delay } from 'node:timers/promises'
import { expect, it, onTestFinished } from 'vitest'
import { note } from './support/note.ts'
import { PHASES, SlowSockets } from './support/slow-sockets.ts'
import { ADAPTERS, SocketTarget } from './support/socket-target.ts'

/** How late the server may close a socket after its time limit, in ms. */
const LATE_MS = 15_000
const CONTROL_MS = 10_000
/** The time until sockets with slow heads and bodies are closed, in ms. */
const ATTACK_MS = 45_000
/** The interval between calls, in ms. */
const EVERY_MS = 5
/** The tolerated difference between two runs on a busy machine, in ms. */
const NOISE_MS = 10
const SOCKETS = PHASES.reduce((sum, { sockets }) => sum + sockets, 0)

it.for(ADAPTERS)(
  `the server closes ${SOCKETS} slow sockets on %s in time, while other calls take at most twice as long as usual`,
  { timeout: 300_000 },
  async (adapter, { task }) => {
    const target = await SocketTarget.start(adapter)
    await latency(target, CONTROL_MS)
    const control = await latency(target, CONTROL_MS)
    const slow = PHASES.map((phase) => new SlowSockets(phase, target))
    onTestFinished(() => {
      for (const sockets of slow) sockets.leave()
    })
    for (const sockets of slow) await sockets.open()
    await expect.poll(() => target.strangers()).toBe(SOCKETS)
    const ends = Promise.all(slow.map((sockets) => sockets.ended(LATE_MS)))
    // The promise is awaited later, so a rejection in the meantime must not count as unhandled.
    ends.catch(() => {})
    const attacked = await latency(target, ATTACK_MS)
    const times = await ends
    const after = await latency(target, CONTROL_MS)
    const allowed = 2 * Math.max(control, after) + NOISE_MS
    const said = slow.map(
      ({ phase }, index) => `${phase.name} after ${Math.round((times[index] ?? 0) / 1000)} s`,
    )
    note(
      task,
      `${SOCKETS} on ${adapter}, slow with ${said.join(', ')}; 99 % of other calls took ${attacked.toFixed(1)} ms, without them ${control.toFixed(1)} and ${after.toFixed(1)} ms`,
    )
    expect(attacked).toBeLessThanOrEqual(allowed)
  },
)

/** Returns the 99th percentile of the durations of calls sent at a steady rate, in ms. */
async function latency(target: SocketTarget, ms: number): Promise<number> {
  const times: number[] = []
  const call = async (): Promise<void> => {
    const from = performance.now()
    await target.callAlone('name')
    times.push(performance.now() - from)
  }
  const calls: Promise<void>[] = []
  const begun = performance.now()
  for (let sent = 0; sent * EVERY_MS < ms; sent++) {
    await delay(begun + sent * EVERY_MS - performance.now())
    calls.push(call())
  }
  await Promise.all(calls)
  times.sort((a, b) => a - b)
  return times[Math.floor(times.length * 0.99)] ?? 0
}
