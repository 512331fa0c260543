import { describe, expect, it } from 'vitest'
import { createHarness, type Harness, type HarnessOptions } from '../support/harness.ts'

const SECOND = 1_000

const waiting = (options: HarnessOptions = {}): Harness => {
  const harness: Harness = createHarness({
    ...options,
    setUp: (server) =>
      server.addTool({
        name: 'wait',
        handler: () => new Promise((resolve) => harness.clock.setTimeout(() => resolve('done'), 50 * SECOND)),
      }),
  })
  return harness
}

describe('the progress keepalive for a silent call over HTTP', () => {
  it("is sent on the call's stream before the response", async () => {
    const { open, clock } = waiting()
    const pending = (await open()).call('wait', {}, { progressToken: 'p' })
    await clock.advance(0)
    await clock.advance(50 * SECOND)
    const { sink } = await pending
    expect(sink.messages.map(({ params, id }) => params?.['progress'] ?? `answer ${id}`)).toEqual([
      0,
      0.000001,
      0.000002,
      'answer 2',
    ])
    expect(sink.text).toContain(': keep-alive\n\n')
  })

  it('is sent even if there is no session', async () => {
    const { post, clock } = waiting({ endpoint: { stateless: true } })
    const params = { name: 'wait', arguments: {}, _meta: { progressToken: 1 } }
    const pending = post({ jsonrpc: '2.0', id: 2, method: 'tools/call', params })
    await clock.advance(0)
    await clock.advance(50 * SECOND)
    expect((await pending).sink.messages).toHaveLength(4)
  })

  it('does not turn the reply to a short call into a stream', async () => {
    const { open, clock } = createHarness({
      setUp: (server) => server.addTool({ name: 'quick', handler: () => Promise.resolve('done') }),
    })
    const { headers, json } = await (await open()).call('quick', {}, { progressToken: 'p' })
    await clock.advance(60 * SECOND)
    expect(headers['content-type']).toBe('application/json')
    expect(json.result).toBeDefined()
  })

  it('is not sent if the mount sends only JSON replies', async () => {
    const { open, clock } = waiting({ endpoint: { response: 'json' } })
    const pending = (await open()).call('wait', {}, { progressToken: 'p' })
    await clock.advance(0)
    await clock.advance(50 * SECOND)
    expect((await pending).json.result).toBeDefined()
  })
})
