import { FakeClock, type Sample, settled, silent } from '@jetway-apps/test-support'
import process from 'node:process'
import { MemoryEventStore } from '../../../src/stores/memory-event-store.ts'
import type { ChurnReport } from './churn.ts'
import { createHarness, initializeMessage } from './harness.ts'

// Opens sessions, deletes half of them, abandons the others until their TTL has passed, and prints what is left.

const [sessions = 0, every = 0] = process.argv.slice(2).map(Number)
/** One session in this many uses every feature of a session. */
const BUSY = 20
const clock = new FakeClock()
const eventStore = new MemoryEventStore({ clock })
const { server, endpoint, post, send } = createHarness({
  endpoint: { streams: { eventStore } },
  server: { clock, logger: silent },
  setUp: (made) =>
    void made.addTool({
      name: 'talk',
      async handler(_args, ctx) {
        await ctx.progress(1)
        return 'x'.repeat(1_000)
      },
    }),
})

let opened = 0
let closed = 0
let expired = 0
server.on('session:open', () => void opened++)
server.on('session:close', () => void closed++)

async function open(): Promise<Record<string, string>> {
  const { headers } = await post(initializeMessage())
  return { 'mcp-session-id': headers['mcp-session-id'] as string }
}

/** Makes a call with a stream, and opens the GET stream, from which the client then disconnects. */
async function use(headers: Record<string, string>): Promise<void> {
  await post({ jsonrpc: '2.0', method: 'notifications/initialized' }, headers)
  const params = { name: 'talk', _meta: { progressToken: 1 } }
  const answer = await post({ jsonrpc: '2.0', id: 2, method: 'tools/call', params }, headers)
  await answer.sink.ended()
  const listener = await send({ method: 'GET', headers })
  listener.request.leave()
}

/** Opens a session, and deletes it if `place` is even. Otherwise, abandons it. */
async function live(place: number): Promise<void> {
  const headers = await open()
  if (Math.floor(place / 2) % BUSY === 0) await use(headers)
  if (place % 2 === 0) await send({ method: 'DELETE', headers })
}

async function heap(): Promise<number> {
  for (let i = 0; i < 4; i++) {
    await settled()
    globalThis.gc?.()
  }
  return process.memoryUsage().heapUsed
}

const samples: Sample[] = []
const began = performance.now()
for (let i = 0; i < sessions; i++) {
  await live(i)
  if ((i + 1) % every !== 0) continue
  expired += opened - closed
  await clock.advance(40 * 60_000)
  samples.push([i + 1, await heap()])
}
const seconds = (performance.now() - began) / 1_000
const { sessions: left, openStreams: streams } = endpoint.stats()

const IDLE = 2_000
const quiet = createHarness()
const fill = async (): Promise<void> => {
  for (let i = 0; i < IDLE; i++) await quiet.open()
}
await fill()
const empty = await heap()
await fill()
const idleBytes = ((await heap()) - empty) / IDLE

const report: ChurnReport = {
  opened,
  closed,
  expired,
  left: {
    sessions: left,
    streams,
    events: eventStore.size,
    timers: clock.pending,
  },
  samples,
  seconds,
  idleBytes,
}
console.log(JSON.stringify(report))
