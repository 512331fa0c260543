import { settled } from '@jetway-apps/test-support'
import { describe, expect, it } from 'vitest'
import type { EventStore } from '../../../src/stores/event-store.ts'
import { MemoryEventStore } from '../../../src/stores/memory-event-store.ts'
import { type Answer, createHarness, type Harness, parseSse } from '../support/harness.ts'

const DESCRIPTION = 'aä€😀 '.repeat(2_000)
const CALL = { jsonrpc: '2.0', id: 2, method: 'tools/call', params: { name: 'now' } }
const LIST = { jsonrpc: '2.0', id: 2, method: 'tools/list' }

/** A session on a mount that streams every response, with a tool that returns immediately. */
async function streaming(eventStore: EventStore | false): Promise<{
  readonly harness: Harness
  readonly send: (message: object) => Promise<Answer>
  readonly resume: (after: string | undefined) => Promise<Answer>
}> {
  const harness = createHarness({
    endpoint: { response: 'sse', streams: { eventStore } },
    setUp: (server) => {
      server.addTool({ name: 'now', description: DESCRIPTION, handler: () => 'now' })
      server.addTool({ name: 'async', handler: async () => 'async' })
    },
  })
  const { headers } = await harness.open({ version: '2025-11-25' })
  return {
    harness,
    send: (message) => harness.post(message, headers),
    resume: (after) => harness.send({ method: 'GET', headers: { ...headers, 'last-event-id': after } }),
  }
}

/** An asynchronous store. */
const later = (store: EventStore): EventStore => ({
  open: async (...all) => store.open(...all),
  append: async (...all) => store.append(...all),
  complete: async (...all) => store.complete(...all),
  read: async (...all) => store.read(...all),
  seize: async (...all) => store.seize(...all),
  delete: async (key) => store.delete(key),
})

describe.each([
  ['at once', (): EventStore => new MemoryEventStore()],
  ['asynchronously', (): EventStore => later(new MemoryEventStore())],
])(
  'a stream that is already complete when it is first written, with a store that responds %s',
  (_when, create) => {
    it.each([
      ['a small response', CALL],
      ['a response from an async handler without await', { ...CALL, params: { name: 'async' } }],
      ['a large serialised response', LIST],
    ])('is sent as a single body, and can be resumed: %s', async (_size, message) => {
      const { harness, send, resume } = await streaming(create())
      const { reply, sink } = await send(message)
      expect(reply.open).toBeUndefined()
      expect(harness.endpoint.stats().openStreams).toBe(0)
      const [primer, response, ...more] = sink.events
      expect([primer?.data, more]).toEqual(['', []])
      expect(JSON.parse(response?.data ?? '')).toMatchObject({ id: 2, result: {} })
      const resumed = await resume(primer?.id)
      expect(resumed.sink.events).toEqual([response])
      expect(resumed.sink.closed).toBe(true)
      expect((await resume(response?.id)).status).toBe(400)
    })
  },
)

it('a mount counts the UTF-8 bytes of a complete stream', async () => {
  const { harness, send } = await streaming(new MemoryEventStore())
  const { sink } = await send(LIST)
  expect(harness.endpoint.stats().replayBytes).toBe(Buffer.byteLength(sink.events[1]?.data ?? ''))
})

it('a mount omits ids from a complete stream if events are not stored', async () => {
  const { send } = await streaming(false)
  const { sink } = await send(CALL)
  expect(sink.events.map(({ id }) => id)).toEqual([undefined])
})

it('a mount omits ids from a complete stream if the event store fails', async () => {
  const store = new MemoryEventStore()
  const failing = { ...later(store), complete: () => Promise.reject(new Error('no store')) }
  const { harness, send } = await streaming(failing)
  const sent = send(CALL)
  await settled()
  await harness.clock.advance(3_000)
  const { reply } = await sent
  const events = parseSse(String(reply.body))
  expect(events.map(({ id }) => id)).toEqual([undefined])
  expect(JSON.parse(events[0]?.data ?? '')).toMatchObject({ id: 2, result: {} })
  expect(harness.log.filter(({ level }) => level === 'error')).toHaveLength(1)
  expect(store.size.streams).toBe(0)
})

it('a mount delays a complete stream for up to 3 s while the event store fails', async () => {
  const store = later(new MemoryEventStore())
  let away = true
  const failing: EventStore = {
    ...store,
    complete: async (...all) => {
      if (away) throw new Error('no store')
      return store.complete(...all)
    },
  }
  const { harness, send, resume } = await streaming(failing)
  const sent = send(CALL)
  await settled()
  await harness.clock.advance(2_000)
  away = false
  await harness.clock.advance(1_000)
  const [primer, response] = (await sent).sink.events
  expect((await resume(primer?.id)).sink.events).toEqual([response])
})
