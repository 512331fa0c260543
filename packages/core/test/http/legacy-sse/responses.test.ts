import { FakeClock, silent } from '@jetway-apps/test-support'
import { describe, expect, it } from 'vitest'
import { SseResponses } from '../../../src/http/legacy-sse/responses.ts'
import { ServedServer } from '../../../src/http/servers/served-server.ts'
import { McpServer } from '../../../src/index.ts'
import { NOTHING_HELD } from '../../../src/session/stats.ts'

const RESULT = 10_000
/** Four results of the maximum size. */
const LIMIT = 4 * RESULT

function responses(outboundLimit = LIMIT) {
  const info = { name: 'test', version: '1' }
  const server = new McpServer(info, { logger: silent, limits: { maxResultBytes: RESULT } })
  const overflows: number[] = []
  server.on('overflow', ({ bytes }) => void overflows.push(bytes))
  const { runtime } = server
  const served = new ServedServer(runtime, runtime.revisions, new FakeClock(), () => NOTHING_HELD)
  const outlet = { waitingBytes: 0 }
  return {
    outlet,
    overflows,
    made: new SseResponses({ outlet, server: served, sessionId: 's', outboundLimit }),
  }
}

describe('responses on an HTTP+SSE connection', () => {
  it('exceed their limit if queued and reserved bytes together exceed four full-size results', () => {
    const { outlet, made } = responses()
    outlet.waitingBytes = LIMIT - 1
    made.hold(1)
    expect(made.full).toBe(false)
    made.hold(1)
    expect(made.full).toBe(true)
    made.hold(-1)
    expect(made.full).toBe(false)
  })

  it('make the mount refuse further requests while they exceed its limit', () => {
    const { outlet, made } = responses(1_000)
    outlet.waitingBytes = 1_000
    expect(made.refuses(0)).toBe(false)
    outlet.waitingBytes = 1_001
    expect(made.refuses(0)).toBe(true)
  })

  it('make the mount refuse requests from a slow client if pending responses could exceed the limit', () => {
    const { outlet, made } = responses()
    made.fit(1, { frame: 'x'.repeat(RESULT) })
    made.fit(2, { frame: 'x' })
    expect(made.refuses(100)).toBe(false)
    outlet.waitingBytes = RESULT
    expect([made.refuses(3), made.refuses(4)]).toEqual([false, true])
  })

  it('are replaced with errors if they exceed the limit, and are omitted for cancelled calls', () => {
    const { outlet, overflows, made } = responses()
    const frame = 'é'.repeat(RESULT)
    expect(made.fit(1, undefined)).toBeUndefined()
    outlet.waitingBytes = LIMIT - RESULT
    expect([made.fit(1, { frame }), overflows]).toEqual([frame, []])
    outlet.waitingBytes = LIMIT - RESULT + 1
    expect(made.fit(1, { frame })).toContain(`More than ${LIMIT} bytes of responses wait`)
    expect(overflows).toEqual([2 * RESULT])
  })
})
