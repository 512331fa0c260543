import { REVISIONS } from '@jetway/core/protocol'
import { afterEach, describe, expect, it } from 'vitest'
import { connectPeer } from '../src/peer.ts'
import { recordTransport } from '../src/record-transport.ts'
import { SSE_DOORS } from './support/host-doors.ts'
import { createTellingServer, exercise, faults } from './support/telling-server.ts'

const SESSION_REVISIONS = REVISIONS.filter(({ era }) => era === 'legacy').map(({ version }) => version)
const CELLS = SSE_DOORS.flatMap((door) =>
  SESSION_REVISIONS.map((revision) => [door.name, revision, door] as const),
)

const open: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const end of open.splice(0).toReversed()) await end()
})

// https://modelcontextprotocol.io/specification/2025-11-25/basic/lifecycle#version-negotiation
describe.each(CELLS)('over %s, a client of %s', (_name, revision, door) => {
  it('is answered in its revision, and hears nothing that it does not define', async () => {
    const server = createTellingServer()
    const served = await door.open(server)
    open.push(() => served.close())
    const { transport, frames } = recordTransport(await served.dial())
    const peer = await connectPeer(transport, { revision })
    open.push(() => peer.close())
    expect(peer.initialized['protocolVersion']).toBe(revision)
    const answers = await exercise(peer, server)
    expect(frames.filter(({ direction }) => direction === 'received').length).toBeGreaterThan(answers.size)
    expect(faults(revision, frames)).toEqual([])
  })
})
