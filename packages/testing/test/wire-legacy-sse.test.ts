import { REVISIONS } from '@jetway/core/protocol'
import { describe, expect, it, onTestFinished } from 'vitest'
import { connectPeer } from '../src/peer.ts'
import { recordTransport } from '../src/record-transport.ts'
import { SSE_TRANSPORTS } from './support/host-transports.ts'
import { createTellingServer, exercise, faults } from './support/telling-server.ts'

const SESSION_REVISIONS = REVISIONS.filter(({ era }) => era === 'legacy').map(({ version }) => version)
const CELLS = SSE_TRANSPORTS.flatMap((over) =>
  SESSION_REVISIONS.map((revision) => [over.name, revision, over] as const),
)

// https://modelcontextprotocol.io/specification/2025-11-25/basic/lifecycle#version-negotiation
describe.each(CELLS)('a client over %s that uses %s', (_name, revision, over) => {
  it('receives responses in its revision, and only what the revision defines', async () => {
    const server = createTellingServer()
    const served = await over.open(server)
    onTestFinished(() => served.close())
    const { transport, frames } = recordTransport(await served.dial())
    const peer = await connectPeer(transport, { revision })
    onTestFinished(() => peer.close())
    expect(peer.initialized['protocolVersion']).toBe(revision)
    const answers = await exercise(peer, server)
    expect(frames.filter(({ direction }) => direction === 'received').length).toBeGreaterThan(answers.size)
    expect(faults(revision, frames)).toEqual([])
  })
})
