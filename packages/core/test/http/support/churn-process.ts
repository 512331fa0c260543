import { FakeClock, settled } from '@jetway-apps/test-support'
import process from 'node:process'
import { MemoryEventStore } from '../../../src/stores/memory-event-store.ts'
import { MemorySessionStore } from '../../../src/stores/memory-session-store.ts'
import type { ChurnReport } from './churn.ts'
import { createHarness, initializeMessage } from './harness.ts'

// Opens sessions, ends them by DELETE or abandons them, and prints what remains.

const [cycles = 0, abandoned = 0] = process.argv.slice(2).map(Number)
const clock = new FakeClock()
const sessionStore = new MemorySessionStore({ clock })
const eventStore = new MemoryEventStore({ clock })
const { server, post, send } = createHarness({
  endpoint: { sessions: { store: sessionStore }, streams: { eventStore } },
  server: { clock },
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
server.on('session:open', () => void opened++)
server.on('session:close', () => void closed++)

async function open(): Promise<Record<string, string>> {
  const { headers } = await post(initializeMessage())
  return { 'mcp-session-id': headers['mcp-session-id'] as string }
}

/** Everything that a session can have: a stream, a call that streams, a subscription to changes. */
async function use(headers: Record<string, string>): Promise<void> {
  await post({ jsonrpc: '2.0', method: 'notifications/initialized' }, headers)
  const params = { name: 'talk', _meta: { progressToken: 1 } }
  const answer = await post({ jsonrpc: '2.0', id: 2, method: 'tools/call', params }, headers)
  await answer.sink.ended()
}

async function cycle(): Promise<void> {
  const headers = await open()
  await use(headers)
  const listener = await send({ method: 'GET', headers })
  await send({ method: 'DELETE', headers })
  await listener.sink.ended()
}

async function abandon(place: number): Promise<void> {
  const headers = await open()
  if (place % 4 === 0) return
  await use(headers)
  if (place % 4 === 1) return
  const listener = await send({ method: 'GET', headers })
  listener.request.leave()
}

async function heap(): Promise<number> {
  for (let i = 0; i < 4; i++) {
    await settled()
    globalThis.gc?.()
  }
  return process.memoryUsage().heapUsed
}

const warm = Math.ceil(cycles / 4)
for (let i = 0; i < warm; i++) await cycle()
const before = await heap()
for (let i = warm; i < cycles; i++) await cycle()
const between = await heap()
for (let i = 0; i < abandoned; i++) await abandon(i)
const alive = opened - closed
await clock.advance(40 * 60_000)
const after = await heap()

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
  alive,
  records: sessionStore.size,
  events: eventStore.size,
  timers: clock.pending,
  grownByCycles: between - before,
  grownByAbandoned: after - between,
  idleBytes,
}
console.log(JSON.stringify(report))
