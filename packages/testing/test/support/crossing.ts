import { seeded } from '@jetway-apps/test-support'
import { setImmediate as turn, setTimeout as delay } from 'node:timers/promises'
import { McpServer } from '@jetway/core'
import { MemoryEventStore } from '@jetway/core/stores'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { fastify, hono } from './adapters.ts'
import { type Piece, ResumingClient } from './resuming-client.ts'

const CALLERS = 12
const ADAPTERS = [
  ['Fastify', fastify],
  ['Hono', hono],
] as const

/** Creates a server whose tool returns its argument immediately, later, or on a stream. */
function echoing(random: () => number): McpServer {
  const server = new McpServer({ name: 'echoing', version: '1' })
  server.addTool({
    name: 'echo',
    inputSchema: z.object({ text: z.string() }),
    async handler({ text }, ctx) {
      const way = random()
      if (way < 0.2) return text
      if (way > 0.6) void ctx.progress(1, 2, text)
      await (way < 0.9 ? turn() : delay(random() * 3))
      if (way > 0.8) void ctx.progress(2, 2, text)
      return text
    },
  })
  return server
}

/** Tests twelve callers in one session that all use the same id for every call. */
export function describeOneId(calls: number): void {
  describe.each(ADAPTERS)(`${calls} calls with the same id from twelve callers on %s`, (_, adapter) => {
    it('each return one response, to the right caller', { timeout: 60_000 + 10 * calls }, async () => {
      const app = await adapter.serve(echoing(seeded(3)), {}, {})
      const client = await new ResumingClient(app.url, { keepAlive: true }).open()
      const callers = Array.from({ length: CALLERS }, async (_item, caller) => {
        let answered = 0
        for (let n = 0; n < calls / CALLERS; n++) {
          const text = `caller ${caller}, call ${n}`
          const { notices, response, pieces } = await client.call('echo', { text }, { id: 1 })
          const said = notices.map(({ params }) => params?.['message'])
          expect([response.id, response.result?.content]).toEqual([1, [{ type: 'text', text }]])
          expect(said).toEqual(said.map(() => text))
          expect(pieces).toHaveLength(1)
          answered++
        }
        return answered
      })
      const answered = await Promise.all(callers)
      expect(answered.reduce((sum, one) => sum + one)).toBe(calls)
      client.close()
      await app.close()
      await app.release()
    })
  })
}

const AT_ONCE = 25
const SECRETS = /secret-\d+-[a-z]+/g

interface Member {
  readonly client: ResumingClient
  readonly secret: string
  /** All messages received in this session. */
  readonly heard: string[]
  readonly lastId: string
}

/** Tests sessions on both frameworks that share one event store. */
export function describeSharedStore(sessions: number): void {
  it(`keeps the data of ${sessions} sessions separate`, { timeout: 60_000 + 40 * sessions }, async () => {
    const eventStore = new MemoryEventStore()
    const server = telling()
    const apps = await Promise.all(
      ADAPTERS.map(([, adapter]) => adapter.serve(server, { streams: { eventStore } }, {})),
    )
    const members: Member[] = []
    for (let first = 0; first < sessions; first += AT_ONCE) {
      const some = Array.from({ length: Math.min(AT_ONCE, sessions - first) }, (_, i) =>
        join(apps[(first + i) % apps.length]?.url ?? '', `secret-${first + i}-${'abcdefgh'[i % 8]}`),
      )
      members.push(...(await Promise.all(some)))
    }
    const refusals: Piece[] = []
    for (const [i, { client, heard }] of members.entries()) {
      const other = members[(i + 2) % members.length]
      if (other === undefined) continue
      const refusal = await client.resume(other.lastId)
      heard.push(refusal.text)
      refusals.push(refusal)
    }
    for (const { secret, heard } of members) {
      const said = heard.join('').match(SECRETS) ?? []
      expect(said.length).toBeGreaterThan(3)
      expect(new Set(said)).toEqual(new Set([secret]))
    }
    expect(refusals).toHaveLength(sessions)
    expect(new Set(refusals.map(({ status, text }) => `${status} ${text}`)).size).toBe(1)
    expect(refusals[0]?.status).toBe(400)
    for (const app of apps) {
      await app.close()
      await app.release()
    }
  })
}

function telling(): McpServer {
  const server = new McpServer({ name: 'telling', version: '1' })
  server.addTool({
    name: 'tell',
    inputSchema: z.object({ secret: z.string() }),
    async handler({ secret }, ctx) {
      for (let i = 1; i <= 4; i++) {
        void ctx.progress(i, 4, secret)
        await turn()
      }
      return secret
    },
  })
  return server
}

/** Opens a session, disconnects from its first call after one or two events, and resumes the call. */
async function join(url: string, secret: string): Promise<Member> {
  const client = await new ResumingClient(url).open()
  const { notices, response, pieces } = await client.call('tell', { secret }, { leaveAfter: 2 })
  expect(notices.map(({ params }) => params?.['progress'])).toEqual([1, 2, 3, 4])
  expect(response.result?.content).toEqual([{ type: 'text', text: secret }])
  const heard = pieces.map(({ text }) => text)
  return { client, secret, heard, lastId: pieces[0]?.lastId ?? 'none' }
}
